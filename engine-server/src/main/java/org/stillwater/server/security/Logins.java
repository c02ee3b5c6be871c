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
 * Checks names and passwords. Whoever fails does not learn whether there is such a user: names that
 * are nobody's are locked out like others, only who knows the password learns that the user is
 * disabled, and the time that hashing takes is the same. Thread-safe.
 *
 * <p>A password that was right is not hashed again for a short time when it comes from the same
 * address; it is recognised by a keyed fingerprint, whose key lives as long as the process. So a
 * client that was let in goes on while somebody elsewhere fails with its name until that is locked
 * out, and does not let in whoever guesses. It does not go on from an address that failed as often
 * with that name itself, or that is refused for what it did with others.
 */
@Component
class Logins {

    private static final int MOST_KEPT = 10_000;

    /** What came of a login. */
    sealed interface Outcome {

        /** It was the user. */
        record Welcome(User user) implements Outcome {}

        /** Name or password were wrong. */
        record Refused() implements Outcome {}

        /** The password was right, but the user may not log in. */
        record Disabled() implements Outcome {}

        /** Nothing was checked: too many logins with this name failed, whoever's it is. */
        record Locked(Duration left) implements Outcome {}

        /** Nothing was checked: too many fail, or too many come. */
        record Later(Duration after) implements Outcome {}
    }

    private final Accounts accounts;
    private final Passwords passwords;
    private final SecurityAudit audit;
    private final LoginSettings settings;
    private final FailureCounts byName;
    private final FailureCounts byAddress;
    private final FailureCounts byBoth;
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
        this.byBoth = new FailureCounts(settings.failuresPerUser(), settings.lockedFor(), clock);
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
        Duration blocked = byAddress.blocked(address);
        if (blocked != null) {
            return new Outcome.Later(blocked);
        }
        String whole = Accounts.whole(name).toLowerCase(Locale.ROOT);
        String nameKey = Secrets.fingerprint(key, whole);
        String bothKey = Secrets.fingerprint(key, whole, address);
        Duration nameLocked = byName.blocked(nameKey);
        Duration bothLocked = byBoth.blocked(bothKey);
        String fingerprint =
                hash == null ? null : Secrets.fingerprint(key, whole, hash, password, address);
        if (bothLocked == null
                && user != null
                && fingerprint != null
                && user.enabled()
                && checked.getIfPresent(fingerprint) != null) {
            if (nameLocked != null) {
                checked.put(fingerprint, true); // it could not be checked again until the lock ends
            }
            return new Outcome.Welcome(user);
        }
        Duration locked = nameLocked != null ? nameLocked : bothLocked;
        if (locked != null) {
            count(address);
            return new Outcome.Locked(locked);
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
            byBoth.succeeded(bothKey);
            audit.loggedIn(user.name(), address, means);
            return new Outcome.Welcome(user);
        }
        audit.failed(name, address);
        if (byName.failed(nameKey)) {
            audit.lockedOut(name, address, settings.lockedFor());
        }
        boolean _ = byBoth.failed(bothKey);
        count(address);
        return right ? new Outcome.Disabled() : new Outcome.Refused();
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
