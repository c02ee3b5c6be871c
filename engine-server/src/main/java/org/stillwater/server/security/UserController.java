package org.stillwater.server.security;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.security.AccountJson.UserView;
import org.stillwater.server.security.AccountJson.UserViews;
import tools.jackson.databind.JsonNode;

/** Users: {@code /api/v1/users}, for administrators. */
@RestController
@RequestMapping("/api/v1/users")
class UserController {

    private static final int LONGEST_NAME = 255;

    /** A login and, after the last @, the profile. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}._+@-]+@internal");

    private final Accounts accounts;
    private final Passwords passwords;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final Callers callers;
    private final EngineClock clock;

    UserController(
            Accounts accounts,
            Passwords passwords,
            Sessions sessions,
            SecurityAudit audit,
            Callers callers,
            EngineClock clock) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.sessions = sessions;
        this.audit = audit;
        this.callers = callers;
        this.clock = clock;
    }

    @GetMapping
    UserViews list() {
        List<UserView> all = accounts.users().stream().map(UserView::of).toList();
        return new UserViews(all, all.size());
    }

    @GetMapping("/{id}")
    UserView one(@PathVariable String id) {
        return UserView.of(known(id));
    }

    @AuditedAs(AuditEvent.USER_ADDED)
    @PostMapping
    ResponseEntity<UserView> add(@RequestBody JsonNode body) {
        AccountJson.only(body, "name", "password", "enabled", "grants", "mustChangePassword");
        String given = AccountJson.text(body, "name", LONGEST_NAME);
        String name =
                given == null || given.indexOf('@') >= 0 ? given : given + "@" + User.INTERNAL;
        if (name == null || name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
            throw Rejected.badRequest(
                    "name must be letters, digits and . _ + - @, and end with @internal");
        }
        String password = AccountJson.password(body, "password");
        Boolean enabled = AccountJson.truth(body, "enabled");
        boolean must = Boolean.TRUE.equals(AccountJson.truth(body, "mustChangePassword"));
        Set<Grant> grants = AccountJson.grants(body);
        User user =
                new User(
                        UUID.randomUUID(),
                        name,
                        password == null ? null : passwords.hash(password),
                        enabled == null || enabled,
                        grants == null ? Set.of() : grants,
                        clock.now(),
                        must);
        try {
            check(accounts.add(user));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        audit.userAdded(name, callers.current().name());
        return ResponseEntity.created(URI.create("/api/v1/users/" + user.id()))
                .body(UserView.of(user));
    }

    /**
     * Changes the given members: the password, the grants, whether the user may log in and must
     * change the password first. The other members are read-only and may be sent back. A new
     * password need not be changed, unless the same request demands it.
     */
    @AuditedAs(AuditEvent.USER_CHANGED)
    @PutMapping("/{id}")
    UserView change(@PathVariable String id, @RequestBody JsonNode body) {
        User before = known(id);
        AccountJson.only(
                body,
                "password",
                "enabled",
                "grants",
                "mustChangePassword",
                "id",
                "name",
                "hasPassword",
                "createdAt");
        String name = AccountJson.text(body, "name", LONGEST_NAME);
        if (name != null && !name.equals(before.name())) {
            throw Rejected.badRequest("name stays " + before.name());
        }
        AccountJson.checkReadOnly(body, before);
        String password = AccountJson.password(body, "password");
        Boolean enabled = AccountJson.truth(body, "enabled");
        Boolean must = AccountJson.truth(body, "mustChangePassword");
        Set<Grant> grants = AccountJson.grants(body);
        String hash = password == null ? null : passwords.hash(password);
        try {
            check(
                    accounts.change(
                            before.id(),
                            user -> {
                                User changed =
                                        user.with(
                                                enabled == null ? user.enabled() : enabled,
                                                grants == null ? user.grants() : grants);
                                User withPassword =
                                        hash == null ? changed : changed.withPasswordHash(hash);
                                return must == null
                                        ? withPassword
                                        : withPassword.withMustChangePassword(must);
                            }));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        List<String> what = new ArrayList<>();
        if (password != null) {
            what.add("password");
        }
        if (enabled != null && enabled != before.enabled()) {
            what.add(enabled ? "enabled" : "disabled");
        }
        if (grants != null) {
            what.add("grants");
        }
        if (must != null && must != before.mustChangePassword()) {
            what.add(must ? "must change the password" : "need not change the password");
        }
        if (password != null || Boolean.FALSE.equals(enabled) || Boolean.TRUE.equals(must)) {
            sessions.endAll(before.id());
        }
        audit.userChanged(before.name(), String.join(", ", what), callers.current().name());
        return UserView.of(known(id));
    }

    @AuditedAs(AuditEvent.USER_REMOVED)
    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        User before = known(id);
        try {
            check(accounts.remove(before.id()));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        sessions.endAll(before.id());
        audit.userRemoved(before.name(), callers.current().name());
        return ResponseEntity.noContent().build();
    }

    /** By id or name; no name has the form of an id. */
    private User known(String text) {
        return accounts.users().stream()
                .filter(user ->
                        user.name().equals(text) || user.id().toString().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> Rejected.notFound("There is no such user."));
    }

    static void check(Accounts.Change change) {
        switch (change) {
            case DONE -> {}
            case UNKNOWN ->
                    throw Rejected.badRequest(
                            "The user, or a VM or cluster of a grant, is not there.");
            case TAKEN -> throw Rejected.conflict("There is a user of that name.");
            case LAST_ADMINISTRATOR ->
                    throw Rejected.conflict(
                            "There would be no enabled administrator with a password left.");
            case TOO_MANY -> throw Rejected.conflict("There are as many as there may be.");
        }
    }
}
