package org.stillwater.server.security;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.settings.SecuritySettings;

/**
 * Sessions after a login: tokens of oVirt's clients and sessions behind cookies, in memory, each of
 * which ends when it is not used for a while. Only hashes of them are kept. Bounded by user, by
 * address and in total: a login beyond a bound ends a session of the same user, the one that was
 * used longest ago, and never one of another user. Thread-safe.
 */
@Component
class Sessions {

    /** Purpose of a session; one kind is not accepted for another. */
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
     * @param kind purpose of the session
     * @param user the user, null for a user of another server
     * @param caller the user, as of the login
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
            boolean echoed) {

        /** Owner of the limit that it counts to. */
        private Object owner() {
            return user == null ? caller.name() : user;
        }
    }

    /** A session with the data for its bounds; guarded by the sessions. */
    private static final class Entry {

        private final Session session;
        private final String source;
        private final long beganNanos;
        private final long longestNanos;
        private long usedNanos;

        Entry(Session session, String source, Duration longest, long beganNanos) {
            this.session = session;
            this.source = source;
            this.longestNanos = longest.toNanos();
            this.beganNanos = beganNanos;
            this.usedNanos = beganNanos;
        }
    }

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final Accounts accounts;
    private final SecurityAudit audit;
    private final EngineClock clock;
    private final SecuritySettings settings;

    private final Map<String, Entry> sessions = new HashMap<>(); // guarded by this

    /** By owner, in the order of their last use. */
    private final Map<Object, LinkedHashMap<String, Entry>> owned = new HashMap<>(); // by this

    private final Map<String, Integer> fromSource = new HashMap<>(); // guarded by this

    Sessions(Accounts accounts, SecurityAudit audit, SecuritySettings settings, EngineClock clock) {
        this.accounts = accounts;
        this.audit = audit;
        this.clock = clock;
        this.settings = settings;
    }

    /** How long a session lasts unused when nothing else was requested. */
    Duration idle() {
        return settings.sessionIdle();
    }

    /**
     * Begins a session; the returned text is the only copy of its secret.
     *
     * @param user as he was when his password was found right
     * @param address where the login came from
     * @return null if there are as many as there may be, and none of this user to end instead; or
     *     if he has another password since, or is no longer let in
     */
    @Nullable String begin(Kind kind, User user, Duration lasting, boolean echoed, String address) {
        return begin(
                new Session(kind, user.id(), user.caller(), lasting, null, echoed),
                FOR_EVER,
                user,
                address);
    }

    /** Begins a session of a user of another server; null as above. */
    @Nullable String begin(Kind kind, Caller caller, Duration longest, String address) {
        return begin(
                new Session(kind, null, caller, idle(), clock.now().plus(longest), false),
                longest,
                null,
                address);
    }

    private @Nullable String begin(
            Session session, Duration longest, @Nullable User by, String address) {
        String secret = Secrets.token();
        boolean ended = false;
        boolean began;
        synchronized (this) {
            if (by != null && !isStill(by)) {
                return null; // a request to end all sessions of the user came before this one
            }
            String source = ClientAddress.network(address);
            Object owner = session.owner();
            forgetExpired(owner);
            int most =
                    session.caller().grants().isEmpty()
                            ? Math.min(settings.sessionsWithoutGrant(), settings.sessionsPerUser())
                            : settings.sessionsPerUser();
            while (owned.getOrDefault(owner, new LinkedHashMap<>()).size() >= most) {
                ended |= endOldest(owner, _ -> true);
            }
            if (sessions.size() >= settings.maxSessions() || isFull(source)) {
                forgetExpired();
            }
            if (sessions.size() >= settings.maxSessions()) {
                ended |= endOldest(owner, _ -> true);
            }
            if (isFull(source)) {
                ended |= endOldest(owner, entry -> entry.source.equals(source));
            }
            began = sessions.size() < settings.maxSessions() && !isFull(source);
            if (began) {
                add(Secrets.hash(secret), new Entry(session, source, longest, clock.nanoTime()));
            }
        }
        if (ended || !began) {
            audit.sessionsLimited(
                    session.caller().name(), address, began ? "ended for another" : "refused");
        }
        return began ? secret : null;
    }

    private boolean isStill(User user) {
        User now = accounts.user(user.id());
        return now != null
                && now.enabled()
                && Objects.equals(now.passwordHash(), user.passwordHash());
    }

    private boolean isFull(String source) {
        return fromSource.getOrDefault(source, 0) >= settings.sessionsPerAddress();
    }

    private void add(String hash, Entry entry) {
        sessions.put(hash, entry);
        owned.computeIfAbsent(entry.session.owner(), _ -> new LinkedHashMap<>()).put(hash, entry);
        fromSource.merge(entry.source, 1, Integer::sum);
    }

    private @Nullable Entry remove(String hash) {
        Entry entry = sessions.remove(hash);
        if (entry != null) {
            owned.computeIfPresent(
                    entry.session.owner(),
                    (_, all) -> {
                        all.remove(hash);
                        return all.isEmpty() ? null : all;
                    });
            fromSource.computeIfPresent(entry.source, (_, n) -> n == 1 ? null : n - 1);
        }
        return entry;
    }

    /** Ends the owner's session that was used longest ago of those that are meant, if any. */
    private boolean endOldest(Object owner, Predicate<Entry> meant) {
        Map<String, Entry> all = owned.get(owner);
        if (all != null) {
            for (Map.Entry<String, Entry> each : all.entrySet()) {
                if (meant.test(each.getValue())) {
                    return remove(each.getKey()) != null;
                }
            }
        }
        return false;
    }

    private boolean hasExpired(Entry entry) {
        Instant until = entry.session.until();
        long nanos = clock.nanoTime();
        // By both clocks: one that was ahead at the login and is set back prolongs no session.
        return nanos - entry.usedNanos >= entry.session.idle().toNanos()
                || nanos - entry.beganNanos >= entry.longestNanos
                || (until != null && !clock.now().isBefore(until));
    }

    private void forgetExpired(Object owner) {
        Map<String, Entry> all = owned.get(owner);
        if (all != null) {
            Map.copyOf(all).forEach(this::forgetIfExpired);
        }
    }

    private void forgetExpired() {
        Map.copyOf(sessions).forEach(this::forgetIfExpired);
    }

    private void forgetIfExpired(String hash, Entry entry) {
        if (hasExpired(entry)) {
            Entry _ = remove(hash);
        }
    }

    /** The session of this secret, which thereby was used; null if there is none. */
    @Nullable Session used(Kind kind, String secret) {
        return find(kind, Secrets.hash(secret));
    }

    private synchronized @Nullable Session find(Kind kind, String hash) {
        Entry entry = sessions.get(hash);
        if (entry == null || entry.session.kind() != kind) {
            return null;
        }
        if (hasExpired(entry)) {
            Entry _ = remove(hash);
            return null;
        }
        entry.usedNanos = clock.nanoTime();
        Map<String, Entry> all = owned.get(entry.session.owner());
        if (all != null && all.size() > 1) {
            all.remove(hash);
            all.put(hash, entry); // to the end: it is the one that was used last
        }
        return entry.session;
    }

    /** The caller of a session's requests: as the user is now; null if the user is gone. */
    @Nullable Caller caller(Session session) {
        UUID id = session.user();
        if (id == null) {
            return session.caller();
        }
        User user = accounts.user(id);
        return user == null || !user.enabled() ? null : user.caller();
    }

    /** The owner of the session of this secret; looking at it is using it. */
    AccessRecheck standing(Kind kind, String secret) {
        String hash = Secrets.hash(secret);
        return () -> {
            Session session = find(kind, hash);
            return session == null ? null : caller(session);
        };
    }

    /** Ends a session; null if there is none. */
    @Nullable Session end(String secret) {
        String hash = Secrets.hash(secret);
        synchronized (this) {
            Entry entry = remove(hash);
            return entry == null ? null : entry.session;
        }
    }

    /** Ends every session of a user. */
    synchronized void endAll(UUID user) {
        Map<String, Entry> all = owned.get(user);
        if (all != null) {
            for (String hash : Set.copyOf(all.keySet())) {
                Entry _ = remove(hash);
            }
        }
    }
}
