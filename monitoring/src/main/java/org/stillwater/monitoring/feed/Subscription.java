package org.stillwater.monitoring.feed;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.stillwater.core.id.HostId;

/**
 * One reader of the change feed. Used by one thread, except {@link #close()}, which any thread may
 * call.
 */
public final class Subscription implements AutoCloseable {

    /** Number of readers at which each of them waits for the longest time. */
    private static final int MANY = 500;

    private final ChangeFeed feed;
    private final boolean resumed;
    private final boolean statistics;

    /** Ended by its reader, or because the feed was closed. */
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Changed by its reader only. */
    private long startRevision;

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

    /** Whether it continues at the subscriber's position, so that no snapshot is needed. */
    public boolean resumed() {
        return resumed;
    }

    /**
     * Waits for changes.
     *
     * @param patience how long at most
     * @return the changes; empty without one or if the subscription is over
     * @throws SubscriberLagged if changes were lost to this reader; it should close and start again
     */
    public FeedBatch next(Duration patience) throws InterruptedException, SubscriberLagged {
        return feed.next(this, patience);
    }

    /**
     * Goes back to an earlier revision, for a reader of a snapshot that was begun then.
     *
     * @return false, and nothing else is done, if so many changes have come since that a reader of
     *     a long snapshot could lose some
     */
    public boolean goBack(long to) {
        return feed.goBack(this, to);
    }

    /**
     * Continues after the newest change, for a reader that has received nothing yet and will read a
     * snapshot now.
     */
    public void restart() {
        startRevision = feed.restart(this);
    }

    /** Whether it was closed, or the engine stopped. */
    public boolean isOver() {
        return ended.getCount() == 0;
    }

    /**
     * Waits until changes have gathered, or until the subscription ends; the following {@link
     * #next} returns them together. The wait is shorter with fewer readers.
     *
     * @param most longest wait, with 500 readers and more
     */
    public void rest(Duration most) throws InterruptedException {
        gather(Math.min(most.toNanos(), most.toNanos() / MANY * feed.subscribers()));
    }

    /** Waits for this time, or until the subscription ends, while changes gather. */
    public void pause(Duration time) throws InterruptedException {
        gather(time.toNanos());
    }

    private void gather(long nanos) throws InterruptedException {
        if (nanos > 0) {
            var _ = ended.await(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The feed no longer sends it changes. */
    void end() {
        ended.countDown();
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
