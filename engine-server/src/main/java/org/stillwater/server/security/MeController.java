package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.AccountJson.GrantView;
import org.stillwater.server.security.AccountJson.MeView;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.settings.CommandsSettings;
import org.stillwater.server.settings.SecuritySettings;
import tools.jackson.databind.JsonNode;

/** The caller, and the caller's own password: {@code /api/v1/me}. */
@RestController
@RequestMapping("/api/v1/me")
class MeController {

    private final OwnPassword own;
    private final Callers callers;
    private final CommandsSettings commands;

    MeController(OwnPassword own, Callers callers, CommandsSettings commands) {
        this.own = own;
        this.callers = callers;
        this.commands = commands;
    }

    private static Means means() {
        return Callers.means(SecurityContextHolder.getContext().getAuthentication());
    }

    @GetMapping
    MeView me() {
        Caller caller = callers.current();
        return new MeView(
                caller.name(),
                means().name().toLowerCase(Locale.ROOT),
                GrantView.all(caller.grants()),
                commands.enabled() ? commands.mostInBatch() : null);
    }

    /** Takes the present password, so that a session left open is not worth the account. */
    @AuditedAs(AuditEvent.USER_CHANGED)
    @PutMapping("/password")
    ResponseEntity<Void> change(@RequestBody JsonNode body, HttpServletRequest request) {
        AccountJson.only(body, "current", "new");
        String present = AccountJson.text(body, "current", SecuritySettings.LONGEST_PASSWORD);
        String next = AccountJson.password(body, "new");
        if (present == null || next == null) {
            throw Rejected.badRequest("current and new are the passwords of now and from now on");
        }
        String name = callers.current().name();
        User user = means() == Means.NONE ? null : own.keptFor(name);
        if (user == null) {
            throw Rejected.conflict("The engine does not keep a password of " + name + ".");
        }
        try {
            return switch (own.change(user, present, next, ClientAddress.of(request), null)) {
                case OwnPassword.Result.Done _ -> ResponseEntity.noContent().build();
                case OwnPassword.Result.Wrong _ ->
                        throw Rejected.forbidden("The present password is another.");
                case OwnPassword.Result.Same _ ->
                        throw Rejected.badRequest("new must be another than the present password");
                case OwnPassword.Result.Later(var after) -> throw Rejected.later(after);
            };
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
    }
}
