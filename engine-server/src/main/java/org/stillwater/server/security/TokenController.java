package org.stillwater.server.security;

import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.security.AccountJson.TokenView;
import org.stillwater.server.security.AccountJson.TokenViews;
import tools.jackson.databind.JsonNode;

/**
 * Tokens of programs: {@code /api/v1/tokens}. Users have their own, administrators see all. A
 * request with a token that is no administrator's gets none of it ({@link
 * AccessRequirement#PERSON}), so that a leaked token neither outlives its expiry nor ends others.
 */
@RestController
@RequestMapping("/api/v1/tokens")
class TokenController {

    /** By it, scanners for secrets that leaked recognise one. */
    private static final String PREFIX = "sw_";

    private static final int LONGEST_LABEL = 128;
    private static final Duration LONGEST_LIFE = Duration.ofDays(3_660);

    private final Accounts accounts;
    private final SecurityAudit audit;
    private final Callers callers;
    private final EngineClock clock;

    TokenController(Accounts accounts, SecurityAudit audit, Callers callers, EngineClock clock) {
        this.accounts = accounts;
        this.audit = audit;
        this.callers = callers;
        this.clock = clock;
    }

    @GetMapping
    TokenViews list() {
        List<TokenView> seen =
                accounts.tokens().stream()
                        .filter(this::maySee)
                        .map(token -> TokenView.of(token, accounts.user(token.user()), null))
                        .toList();
        return new TokenViews(seen, seen.size());
    }

    private boolean maySee(ApiToken token) {
        Caller caller = callers.current();
        User owner = accounts.user(token.user());
        return caller.has(Role.ADMINISTRATOR)
                || (owner != null && owner.name().equals(caller.name()));
    }

    @AuditedAs(AuditEvent.TOKEN_MADE)
    @PostMapping
    ResponseEntity<TokenView> add(@RequestBody JsonNode body) {
        Caller caller = callers.current();
        AccountJson.only(body, "label", "roles", "expiresAt", "user");
        String label = AccountJson.text(body, "label", LONGEST_LABEL);
        if (label == null || label.isBlank()) {
            throw Rejected.badRequest("label must name the purpose of the token");
        }
        if (!SafeText.isSafe(label)) {
            throw Rejected.badRequest(
                    "label has no control character, and none that is invisible or turns the"
                            + " direction of others");
        }
        Set<Role> roles = AccountJson.roles(body);
        Instant expiresAt = expiry(AccountJson.text(body, "expiresAt", 64));
        User owner = owner(AccountJson.text(body, "user", 255), caller);
        String secret = PREFIX + Secrets.token();
        ApiToken token =
                new ApiToken(
                        UUID.randomUUID(),
                        owner.id(),
                        label.strip(),
                        Secrets.hash(secret),
                        roles,
                        clock.now(),
                        expiresAt);
        if (token.caller(owner).grants().isEmpty()) {
            throw Rejected.badRequest(owner.name() + " has none of these roles");
        }
        try {
            UserController.check(accounts.add(token));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        audit.tokenMade(owner.name(), token.label(), caller.name());
        return ResponseEntity.created(URI.create("/api/v1/tokens/" + token.id()))
                .body(TokenView.of(token, owner, secret));
    }

    private User owner(@Nullable String named, Caller caller) {
        String name = named == null ? caller.name() : named;
        User owner = accounts.named(name);
        if (!name.equals(caller.name()) && !caller.has(Role.ADMINISTRATOR)) {
            throw Rejected.forbidden("Only administrators make tokens of others.");
        }
        if (owner == null) {
            throw Rejected.badRequest(
                    "A token acts for a user of the engine; name one in the member user.");
        }
        return owner;
    }

    private @Nullable Instant expiry(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            Instant at = OffsetDateTime.parse(text.strip()).toInstant();
            Instant now = clock.now();
            if (at.isAfter(now) && at.isBefore(now.plus(LONGEST_LIFE))) {
                return at;
            }
        } catch (DateTimeException _) {
            // answered below like any other time that it cannot be
        }
        throw Rejected.badRequest(
                "expiresAt must be a time to come like 2027-01-31T00:00:00Z, within ten years");
    }

    @AuditedAs(AuditEvent.TOKEN_REVOKED)
    @DeleteMapping("/{id}")
    ResponseEntity<Void> revoke(@PathVariable String id) {
        ApiToken token = accounts.token(AccountJson.uuid(id));
        if (token == null || !maySee(token)) {
            throw Rejected.notFound("There is no such token.");
        }
        User owner = accounts.user(token.user());
        try {
            UserController.check(accounts.revoke(token));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        audit.tokenRevoked(
                owner == null ? "" : owner.name(), token.label(), callers.current().name());
        return ResponseEntity.noContent().build();
    }
}
