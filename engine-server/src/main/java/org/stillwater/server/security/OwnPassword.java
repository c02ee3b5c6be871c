package org.stillwater.server.security;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.User;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.security.Logins.Outcome;

/** How users change their own passwords, by the page or by REST. Thread-safe. */
@Component
class OwnPassword {

    /** Outcome of a change. */
    sealed interface Result {

        /** It is done and durable; every session of the user has ended. */
        record Done() implements Result {}

        /** The present password is another. */
        record Wrong() implements Result {}

        /** The password must be changed, and this is the same again. */
        record Same() implements Result {}

        /** The present password could not be checked yet. */
        record Later(Duration after) implements Result {}
    }

    private final Accounts accounts;
    private final Passwords passwords;
    private final Logins logins;
    private final Sessions sessions;
    private final SecurityAudit audit;

    OwnPassword(
            Accounts accounts,
            Passwords passwords,
            Logins logins,
            Sessions sessions,
            SecurityAudit audit) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.logins = logins;
        this.sessions = sessions;
        this.audit = audit;
    }

    /** The user of this name with a password in the engine; null if there is none. */
    @Nullable User keptFor(String name) {
        User user = accounts.named(name);
        return user == null || !user.name().equals(name) ? null : user;
    }

    /**
     * Changes a password. The present one is requested, so that a session left open is not worth
     * the account.
     *
     * @param address where the request came from
     * @param device the browser, if it is known as one of this user's
     */
    Result change(User user, String present, String next, String address, @Nullable String device)
            throws StoreUnavailable {
        switch (logins.login(user.name(), present, address, device, "change of password")) {
            case Outcome.Welcome _ -> {}
            case Outcome.Later(Duration after) -> {
                return new Result.Later(after);
            }
            case Outcome.Refused _, Outcome.Disabled _ -> {
                return new Result.Wrong();
            }
        }
        if (user.mustChangePassword() && present.equals(next)) {
            return new Result.Same();
        }
        String hash = passwords.hash(next);
        UserController.check(accounts.change(user.id(), each -> each.withPasswordHash(hash)));
        sessions.endAll(user.id());
        audit.userChanged(user.name(), "password", user.name());
        if (user.mustChangePassword()) {
            audit.firstPasswordChanged(user.name());
        }
        return new Result.Done();
    }
}
