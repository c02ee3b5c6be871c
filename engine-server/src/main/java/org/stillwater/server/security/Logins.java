package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.User;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.GuessLimiter.Turn;
import org.stillwater.server.settings.LoginSettings;
import org.stillwater.server.settings.SecuritySettings;

/**
 * Checks names and passwords, and slows guesses without locking a name out (ADR 37). A failed login
 * does not show whether there is such a user: names that do not exist are slowed like others, only
 * the right password shows that the user is disabled, and the time that hashing takes is the same.
 * Thread-safe.
 *
 * <p>A login takes its turn with its client, which is the name together with the address or with
 * the browser that the user has logged in with before. A client that is not known takes a turn with
 * its address and one with the name, too; clients that failed before have a queue for the name
 * which is not that of other clients. So guesses from elsewhere make neither a known client nor one
 * that has not failed wait. Known and unknown clients also have places of their own for the logins
 * that wait: however many strangers wait, a known client is let in.
 *
 * <p>A password that was right is not hashed again for a short time when it comes from the same
 * client; it is recognised by a keyed fingerprint with a key that lives as long as the process. A
 * slowed client takes its turn nevertheless: otherwise an answer would reveal a right guess while
 * wrong ones are refused.
 */
@Component
class Logins {

    private static final int MOST_KEPT = 10_000;
    private static final int MOST_KNOWN = 100_000;
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** Outcome of a login. */
    sealed interface Outcome {

        /** It was the user. */
        record Welcome(User user) implements Outcome {}

        /** Name or password were wrong. */
        record Refused() implements Outcome {}

        /** The password was right, but the user may not log in. */
        record Disabled() implements Outcome {}

        /** Nothing was checked: too many fail, or too many come. */
        record Later(Duration after) implements Outcome {}
    }

    /** Lets time pass. */
    @FunctionalInterface
    interface Pause {

        /** Returns after this time. */
        void last(Duration time) throws InterruptedException;
    }

    /** A turn, and the limiter that gets it back. */
    private record Taken(GuessLimiter limiter, Turn turn) {}

    private final Accounts accounts;
    private final Passwords passwords;
    private final SecurityAudit audit;
    private final LoginSettings settings;
    private final Pause pause;
    private final GuessLimiter byClient;
    private final GuessLimiter byAddress;
    private final GuessLimiter byNameOfSuspects;
    private final GuessLimiter byNameOfStrangers;
    private final Semaphore hashing;
    private final Semaphore hashingForUnknown;
    private final AtomicInteger insideKnown = new AtomicInteger();
    private final AtomicInteger insideUnknown = new AtomicInteger();
    private final SecretKeySpec key = Secrets.key();
    private final Cache<String, Boolean> checked;
    private final Cache<String, Boolean> known;
    private final ConcurrentMap<String, CompletableFuture<Outcome>> underWay =
            new ConcurrentHashMap<>();

    @Autowired
    Logins(
            Accounts accounts,
            Passwords passwords,
            SecurityAudit audit,
            SecuritySettings security,
            LoginSettings settings,
            EngineClock clock) {
        this(accounts, passwords, audit, security, settings, clock, Thread::sleep);
    }

    Logins(
            Accounts accounts,
            Passwords passwords,
            SecurityAudit audit,
            SecuritySettings security,
            LoginSettings settings,
            EngineClock clock,
            Pause pause) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.audit = audit;
        this.settings = settings;
        this.pause = pause;
        this.byClient = limiter(settings.failuresPerClient(), settings.longestPause(), clock);
        this.byAddress = limiter(settings.failuresPerAddress(), settings.firstPause(), clock);
        this.byNameOfSuspects = limiter(settings.failuresPerUser(), settings.longestPause(), clock);
        this.byNameOfStrangers =
                limiter(settings.failuresPerUser(), settings.longestPause(), clock);
        this.hashing = new Semaphore(settings.atOnce(), true);
        this.hashingForUnknown = new Semaphore(Math.max(1, settings.atOnce() - 1), true);
        this.checked =
                Caffeine.newBuilder()
                        .maximumSize(MOST_KEPT)
                        .expireAfterWrite(security.credentialsKept())
                        .ticker(clock::nanoTime)
                        .build();
        this.known =
                Caffeine.newBuilder()
                        .maximumSize(MOST_KNOWN)
                        .expireAfterAccess(settings.knownFor())
                        .ticker(clock::nanoTime)
                        .build();
    }

    private GuessLimiter limiter(int free, Duration slowest, EngineClock clock) {
        return new GuessLimiter(
                free, settings.firstPause(), slowest, settings.forgottenAfter(), clock);
    }

    /**
     * Checks a name and a password; waits where logins are slowed.
     *
     * @param name as it was given
     * @param address where the request came from
     * @param means kind of login, for the audit log
     */
    Outcome login(String name, String password, String address, String means) {
        return login(name, password, address, null, means);
    }

    /**
     * Checks a name and a password; waits where logins are slowed.
     *
     * @param name as it was given
     * @param address where the request came from
     * @param device the browser, where {@link KnownDevices} knows it as one of this user's
     * @param means kind of login, for the audit log
     */
    Outcome login(
            String name, String password, String address, @Nullable String device, String means) {
        User user = accounts.named(name);
        String hash = user == null ? null : user.passwordHash();
        String source = ClientAddress.network(address);
        String whole = Accounts.whole(name).toLowerCase(Locale.ROOT);
        String client =
                device == null
                        ? Secrets.fingerprint(key, whole, "address", source)
                        : Secrets.fingerprint(key, whole, "device", device);
        String fingerprint = Secrets.fingerprint(key, client, hash == null ? "" : hash, password);
        boolean right = user != null && user.enabled() && checked.getIfPresent(fingerprint) != null;
        if (user != null && right && !byClient.isSlowed(client)) {
            return new Outcome.Welcome(user);
        }
        CompletableFuture<Outcome> mine = new CompletableFuture<>();
        CompletableFuture<Outcome> same = underWay.putIfAbsent(fingerprint, mine);
        if (same != null) {
            return ofTheSame(same); // one guess, however often it is sent at the same time
        }
        boolean isKnown = device != null || known.getIfPresent(client) != null;
        AtomicInteger inside = isKnown ? insideKnown : insideUnknown;
        Outcome outcome = new Outcome.Later(AGAIN);
        try {
            if (inside.incrementAndGet() <= settings.waiting()) {
                Guess guess = new Guess(user, name, password, fingerprint, client, source, address);
                outcome = guess.inTurn(Secrets.fingerprint(key, whole), isKnown, means);
            }
            return outcome;
        } finally {
            inside.decrementAndGet();
            underWay.remove(fingerprint, mine);
            mine.complete(outcome);
        }
    }

    private Outcome ofTheSame(CompletableFuture<Outcome> same) {
        try {
            return same.get(3 * settings.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
        } catch (ExecutionException | TimeoutException _) {
            // it took longer than it may; the next attempt starts again
        }
        return new Outcome.Later(AGAIN);
    }

    /**
     * One guess: a name and a password that were not checked lately, or that come from a slowed
     * client.
     */
    private final class Guess {

        private final @Nullable User user;
        private final String name;
        private final String password;
        private final String fingerprint;
        private final String client;
        private final String source;
        private final String address;
        private final List<Taken> taken = new ArrayList<>();

        Guess(
                @Nullable User user,
                String name,
                String password,
                String fingerprint,
                String client,
                String source,
                String address) {
            this.user = user;
            this.name = name;
            this.password = password;
            this.fingerprint = fingerprint;
            this.client = client;
            this.source = source;
            this.address = address;
        }

        Outcome inTurn(String nameKey, boolean isKnown, String means) {
            boolean suspect = byClient.failures(client) > 0;
            take(byClient, client);
            if (!isKnown) {
                take(byAddress, source);
                take(suspect ? byNameOfSuspects : byNameOfStrangers, nameKey);
            }
            Duration wait = Duration.ZERO;
            boolean refused = false;
            for (Taken each : taken) {
                refused |= each.turn().refused();
                wait = wait.compareTo(each.turn().pause()) < 0 ? each.turn().pause() : wait;
            }
            Boolean right = null;
            try {
                if (refused) {
                    return new Outcome.Later(wait);
                }
                right = isRight(wait, isKnown);
                return right == null ? new Outcome.Later(AGAIN) : outcome(right, means);
            } finally {
                if (right == null || (right && user != null && user.enabled())) {
                    taken.forEach(each -> each.limiter().giveBack(each.turn()));
                }
            }
        }

        private void take(GuessLimiter limiter, String whose) {
            taken.add(new Taken(limiter, limiter.take(whose, settings.patience())));
        }

        private Outcome outcome(boolean right, String means) {
            if (user != null && right && user.enabled()) {
                known.put(client, true);
                if (checked.getIfPresent(fingerprint) == null) {
                    checked.put(fingerprint, true);
                    audit.loggedIn(user.name(), address, means);
                }
                return new Outcome.Welcome(user);
            }
            audit.failed(name, address);
            for (Taken each : taken) {
                if (each.turn().slows()) {
                    int failures = each.turn().failures() + 1;
                    if (each.limiter() == byAddress) {
                        audit.slowed(address, failures);
                    } else {
                        audit.slowed(name, address, failures);
                    }
                }
            }
            return right ? new Outcome.Disabled() : new Outcome.Refused();
        }

        /** Whether the password is right; null if it could not be checked in time. */
        private @Nullable Boolean isRight(Duration wait, boolean isKnown) {
            boolean enteredAsUnknown = false;
            boolean entered = false;
            try {
                if (wait.isPositive()) {
                    pause.last(wait);
                }
                if (password.length() > SecuritySettings.LONGEST_PASSWORD) {
                    return false;
                }
                if (checked.getIfPresent(fingerprint) != null) {
                    return true;
                }
                long patience = settings.patience().toNanos();
                if (!isKnown) {
                    enteredAsUnknown = hashingForUnknown.tryAcquire(patience, TimeUnit.NANOSECONDS);
                }
                if (isKnown || enteredAsUnknown) {
                    entered = hashing.tryAcquire(patience, TimeUnit.NANOSECONDS);
                }
                return entered
                        ? passwords.matches(password, user == null ? null : user.passwordHash())
                        : null;
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the server is stopping
                return null;
            } finally {
                if (entered) {
                    hashing.release();
                }
                if (enteredAsUnknown) {
                    hashingForUnknown.release();
                }
            }
        }
    }
}
