package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.User;
import org.stillwater.core.port.EngineClock;
import org.stillwater.server.settings.LoginSettings;
import org.stillwater.server.settings.SecuritySettings;

/**
 * Checks names and passwords. Whoever fails does not learn whether there is such a user, whether
 * the user is locked out or disabled: the answer and, as far as hashing goes, its time are the
 * same. A password that was right is not hashed again for a short time; it is recognised by a keyed
 * fingerprint, whose key lives as long as the process. Thread-safe.
 */
@Component
class Logins {

    private static final int MOST_KEPT = 10_000;

    /** What came of a login. */
    sealed interface Outcome {

        /** It was the user. */
        record Welcome(User user) implements Outcome {}

        /** Name or password were wrong, or the user may not log in. */
        record Refused() implements Outcome {}

        /** Nothing was checked: too many fail, or too many come. */
        record Later(Duration after) implements Outcome {}
    }

    private final Accounts accounts;
    private final Passwords passwords;
    private final SecurityAudit audit;
    private final LoginSettings settings;
    private final FailureCounts byName;
    private final FailureCounts byAddress;
    private final Semaphore hashing;
    private final SecretKeySpec key = Secrets.key();
    private final Cache<String, Boolean> checked;

    Logins(
            Accounts accounts,
            Passwords passwords,
            SecurityAudit audit,
            SecuritySettings security,
            LoginSettings settings,
            EngineClock clock) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.audit = audit;
        this.settings = settings;
        this.byName = new FailureCounts(settings.failuresPerUser(), settings.lockedFor(), clock);
        this.byAddress =
                new FailureCounts(settings.failuresPerAddress(), settings.lockedFor(), clock);
        this.hashing = new Semaphore(settings.atOnce(), true);
        this.checked =
                Caffeine.newBuilder()
                        .maximumSize(MOST_KEPT)
                        .expireAfterWrite(security.credentialsKept())
                        .ticker(clock::nanoTime)
                        .build();
    }

    /**
     * Checks a name and a password.
     *
     * @param name as it was given
     * @param address where the request came from
     * @param means how, for the audit log
     */
    Outcome login(String name, String password, String address, String means) {
        User user = accounts.named(name);
        String hash = user == null ? null : user.passwordHash();
        String fingerprint = hash == null ? null : Secrets.fingerprint(key, name, hash, password);
        if (user != null
                && fingerprint != null
                && user.enabled()
                && checked.getIfPresent(fingerprint) != null) {
            return new Outcome.Welcome(user);
        }
        Duration blocked = byAddress.blocked(address);
        if (blocked != null) {
            return new Outcome.Later(blocked);
        }
        String nameKey = Secrets.fingerprint(key, name.toLowerCase(Locale.ROOT));
        if (byName.blocked(nameKey) != null) {
            count(address);
            return new Outcome.Refused();
        }
        Boolean right = right(password, hash);
        if (right == null) {
            return new Outcome.Later(Duration.ofSeconds(1));
        }
        if (user != null && right && user.enabled()) {
            if (fingerprint != null) {
                checked.put(fingerprint, true);
            }
            byName.succeeded(nameKey);
            audit.loggedIn(user.name(), address, means);
            return new Outcome.Welcome(user);
        }
        audit.failed(name, address);
        if (byName.failed(nameKey)) {
            audit.lockedOut(name, address, settings.lockedFor());
        }
        count(address);
        return new Outcome.Refused();
    }

    private void count(String address) {
        if (byAddress.failed(address)) {
            audit.refused(address, settings.lockedFor());
        }
    }

    /** Whether the password is right; null if nobody had time to look. */
    private @Nullable Boolean right(String password, @Nullable String hash) {
        if (password.length() > SecuritySettings.LONGEST_PASSWORD) {
            return false;
        }
        boolean entered = false;
        try {
            entered = hashing.tryAcquire(settings.patience().toNanos(), TimeUnit.NANOSECONDS);
            return entered ? passwords.matches(password, hash) : null;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
            return null;
        } finally {
            if (entered) {
                hashing.release();
            }
        }
    }
}
