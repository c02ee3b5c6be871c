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
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.server.security.AccountJson.GrantView;
import org.stillwater.server.security.AccountJson.MeView;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.settings.SecuritySettings;
import tools.jackson.databind.JsonNode;

/** Who asks, and one's own password: {@code /api/v1/me}. */
@RestController
@RequestMapping("/api/v1/me")
class MeController {

    private final Accounts accounts;
    private final Passwords passwords;
    private final Logins logins;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final Callers callers;

    MeController(
            Accounts accounts,
            Passwords passwords,
            Logins logins,
            Sessions sessions,
            SecurityAudit audit,
            Callers callers) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.logins = logins;
        this.sessions = sessions;
        this.audit = audit;
        this.callers = callers;
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
                GrantView.all(caller.grants()));
    }

    /** Takes the present password, so that a session left open is not worth the account. */
    @PutMapping("/password")
    ResponseEntity<Void> change(@RequestBody JsonNode body, HttpServletRequest request) {
        AccountJson.only(body, "current", "new");
        String present = AccountJson.text(body, "current", SecuritySettings.LONGEST_PASSWORD);
        String next = AccountJson.password(body, "new");
        if (present == null || next == null) {
            throw Rejected.badRequest("current and new are the passwords of now and from now on");
        }
        String name = callers.current().name();
        User user = means() == Means.NONE ? null : accounts.named(name);
        if (user == null || !user.name().equals(name)) {
            throw Rejected.conflict("The engine does not keep a password of " + name + ".");
        }
        if (!(logins.login(name, present, request.getRemoteAddr(), "change of password")
                instanceof Logins.Outcome.Welcome)) {
            throw Rejected.forbidden("The present password is another.");
        }
        String hash = passwords.hash(next);
        try {
            UserController.check(accounts.change(user.id(), each -> each.withPasswordHash(hash)));
        } catch (StoreUnavailable e) {
            throw Rejected.unavailable(e);
        }
        sessions.endAll(user.id());
        audit.userChanged(name, "password", name);
        return ResponseEntity.noContent().build();
    }
}
