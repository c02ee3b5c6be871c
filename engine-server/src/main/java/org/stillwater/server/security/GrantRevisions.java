package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Set;
import java.util.function.LongSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.monitoring.FleetChanges;

/**
 * The revision of the engine since which a caller has its present grants. A caller that requests
 * changes since an older revision gets a full answer instead: otherwise it would keep objects that
 * it may no longer see, and miss objects that it may see now.
 *
 * <p>Each request compares the caller's grants with those of its previous request. Changed grants
 * get a new revision, so all revisions that the caller received before are too old. The number of
 * callers is bounded; after the first one was forgotten, an unknown caller counts as one with
 * changed grants. Thread-safe.
 */
@Component
class GrantRevisions {

    private static final int MOST = 100_000;

    /** Grants of a caller, and the revision since which they hold. */
    private record Outlook(Set<Grant> grants, long since) {}

    private final Cache<Object, Outlook> outlooks;
    private final LongSupplier nextRevision;
    private volatile boolean forgetful;

    @Autowired
    GrantRevisions(FleetChanges changes) {
        this(changes::nextRevision, MOST);
    }

    GrantRevisions(LongSupplier nextRevision, int most) {
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
     * @param bearer owner of the grants: the id of a user or of a token, or the caller if only the
     *     grants are known
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

    /**
     * Whether an unknown caller is new; one that is known by grants alone may have had others
     * before.
     */
    private boolean isNew(Object bearer) {
        return !forgetful && !(bearer instanceof Caller);
    }
}
