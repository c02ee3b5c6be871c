package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.core.port.EngineClock;
import org.stillwater.server.settings.SecuritySettings;

/**
 * What a login leads to: tokens of oVirt's clients and sessions behind cookies, in memory, each of
 * which ends when it is not used for a while. Only hashes of them are kept. Bounded: beyond it, one
 * that is little used ends. Thread-safe.
 */
@Component
class Sessions {

    /** What a session is for; one kind is not taken for another. */
    enum Kind {
        /** A token of a client of oVirt's interface. */
        TOKEN,
        /** A cookie of a client of oVirt's interface. */
        API_COOKIE,
        /** A cookie of a browser. */
        BROWSER
    }

    /**
     * A session.
     *
     * @param kind what it is for
     * @param user the user, null for one whom another server knows
     * @param caller who asks, as of the login
     * @param idle how long it lasts without being used
     * @param until when it ends though it is used, null for never
     * @param echoed whether each request has to repeat the session's id in a header
     */
    record Session(
            Kind kind,
            @Nullable UUID user,
            Caller caller,
            Duration idle,
            @Nullable Instant until,
            boolean echoed) {}

    private final Cache<String, Session> sessions;
    private final Accounts accounts;
    private final EngineClock clock;
    private final Duration idle;

    Sessions(Accounts accounts, SecuritySettings settings, EngineClock clock) {
        this.accounts = accounts;
        this.clock = clock;
        this.idle = settings.sessionIdle();
        this.sessions =
                Caffeine.newBuilder()
                        .maximumSize(settings.maxSessions())
                        .ticker(clock::nanoTime)
                        .expireAfter(
                                Expiry.accessing((String _, Session session) -> session.idle()))
                        .build();
    }

    /** How long a session lasts unused when nothing else was asked for. */
    Duration idle() {
        return idle;
    }

    /** Begins a session; what it returns is the only copy of its secret. */
    String begin(Kind kind, User user, Duration lasting, boolean echoed) {
        return begin(new Session(kind, user.id(), user.caller(), lasting, null, echoed));
    }

    /** Begins a session of somebody whom another server knows. */
    String begin(Kind kind, Caller caller, Duration longest) {
        return begin(new Session(kind, null, caller, idle, clock.now().plus(longest), false));
    }

    private String begin(Session session) {
        String secret = Secrets.token();
        sessions.put(Secrets.hash(secret), session);
        return secret;
    }

    /** The session of this secret, which thereby was used; null if there is none. */
    @Nullable Session used(Kind kind, String secret) {
        return find(kind, Secrets.hash(secret));
    }

    private @Nullable Session find(Kind kind, String hash) {
        Session session = sessions.getIfPresent(hash);
        if (session == null || session.kind() != kind) {
            return null;
        }
        Instant until = session.until();
        if (until != null && !clock.now().isBefore(until)) {
            sessions.invalidate(hash);
            return null;
        }
        return session;
    }

    /** Who asks when a session is used: as the user is now; null if the user is gone. */
    @Nullable Caller caller(Session session) {
        UUID id = session.user();
        if (id == null) {
            return session.caller();
        }
        User user = accounts.user(id);
        return user == null || !user.enabled() ? null : user.caller();
    }

    /** Whoever has the session of this secret; looking at it is using it. */
    Standing standing(Kind kind, String secret) {
        String hash = Secrets.hash(secret);
        return () -> {
            Session session = find(kind, hash);
            return session == null ? null : caller(session);
        };
    }

    /** Ends a session; null if there is none. */
    @Nullable Session end(String secret) {
        return sessions.asMap().remove(Secrets.hash(secret));
    }

    /** Ends every session of a user. */
    void endAll(UUID user) {
        sessions.asMap().values().removeIf(session -> user.equals(session.user()));
    }
}
