package org.stillwater.monitoring.feed;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.stillwater.core.model.HostId;

/**
 * One reader of the change feed. Used by one thread, except {@link #close()}, which any thread may
 * call.
 */
public final class Subscription implements AutoCloseable {

    private final ChangeFeed feed;
    private final long startRevision;
    private final boolean resumed;
    private final boolean statistics;

    // Guarded by the feed's lock; the set is bounded by the number of hosts.
    long position;
    final Set<HostId> refreshedHosts = new LinkedHashSet<>();

    Subscription(ChangeFeed feed, long position, boolean resumed, boolean statistics) {
        this.feed = feed;
        this.startRevision = position;
        this.position = position;
        this.resumed = resumed;
        this.statistics = statistics;
    }

    /** The revision after which it begins; a snapshot read now is at least as new as this. */
    public long startRevision() {
        return startRevision;
    }

    /** Whether it goes on where the subscriber stopped, so that no snapshot is needed. */
    public boolean resumed() {
        return resumed;
    }

    /**
     * Waits for changes.
     *
     * @param patience how long at most
     * @return what happened, empty if nothing did or the subscription is over
     * @throws SubscriberLagged if changes were lost to this reader; it should close and start again
     */
    public FeedBatch next(Duration patience) throws InterruptedException, SubscriberLagged {
        return feed.next(this, patience);
    }

    /** Whether it was closed, or the engine stopped. */
    public boolean isOver() {
        return feed.isOver(this);
    }

    /** Ends it. Idempotent. */
    @Override
    public void close() {
        feed.remove(this);
    }

    boolean wantsStatistics() {
        return statistics;
    }

    void refreshed(HostId host) {
        if (statistics) {
            refreshedHosts.add(host);
        }
    }
}
