package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Set;
import java.util.function.LongSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.monitoring.MonitoringEngine;

/**
 * Since which revision of the engine callers may see what they may see now. Whoever asks only for
 * what changed after a revision would otherwise keep what was taken from him in between, and not
 * learn of what was added.
 *
 * <p>Looked at with every request. Grants that are not those of the request before get a revision
 * of their own: every number that was told before is older, every one that is told from now on is
 * not. Who was never seen was never told anything. Bounded; once anybody was forgotten, whoever is
 * new might be somebody whose grants have changed. Thread-safe.
 */
@Component
class Outlooks {

    private static final int MOST = 100_000;

    /** What a caller may see, and since which revision that is so. */
    private record Outlook(Set<Grant> grants, long since) {}

    private final Cache<Object, Outlook> outlooks;
    private final LongSupplier nextRevision;
    private volatile boolean forgetful;

    @Autowired
    Outlooks(MonitoringEngine engine) {
        this(engine::nextRevision, MOST);
    }

    Outlooks(LongSupplier nextRevision, int most) {
        this.nextRevision = nextRevision;
        this.outlooks =
                Caffeine.newBuilder()
                        .maximumSize(most)
                        .executor(Runnable::run)
                        .evictionListener((_, _, _) -> forgetful = true)
                        .build();
    }

    /**
     * A caller asks.
     *
     * @param bearer whose grants they are: the id of a user or of a token, or the caller if nothing
     *     but the grants is known
     * @return the oldest revision from which changes are all that the caller has missed
     */
    long sameSince(Object bearer, Caller caller) {
        Outlook known = outlooks.getIfPresent(bearer);
        return known != null && known.grants().equals(caller.grants())
                ? known.since()
                : changed(bearer, caller);
    }

    private long changed(Object bearer, Caller caller) {
        return outlooks.asMap()
                .compute(
                        bearer,
                        (_, known) ->
                                known != null && known.grants().equals(caller.grants())
                                        ? known // another request was first
                                        : new Outlook(
                                                caller.grants(),
                                                known == null && isNew(bearer)
                                                        ? Long.MIN_VALUE
                                                        : nextRevision.getAsLong()))
                .since();
    }

    /** Whether somebody unknown is new; who is known by grants alone may have had others before. */
    private boolean isNew(Object bearer) {
        return !forgetful && !(bearer instanceof Caller);
    }
}
