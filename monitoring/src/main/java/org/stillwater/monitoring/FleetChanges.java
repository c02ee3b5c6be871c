package org.stillwater.monitoring;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Subscription;

/** The ordered changes of the fleet, for readers that follow them. Any thread; does not block. */
public final class FleetChanges {

    private final ChangeFeed feed;
    private final EngineClock clock;

    FleetChanges(ChangeFeed feed, EngineClock clock) {
        this.feed = feed;
        this.clock = clock;
    }

    /**
     * Makes a revision for a change that the feed does not carry, so that readers can distinguish
     * answers before and after it.
     *
     * @return the revision
     */
    public long nextRevision() {
        return feed.untold(clock.nanoTime());
    }

    /** Puts an alert of a rule that fired, changed or ended into the order. */
    public void alerted(Alert alert) {
        feed.alerted(alert, clock.nanoTime());
    }

    /**
     * The changes after a revision; null if they are no longer kept, or if the revision is not one
     * of this run of the engine: the caller must read everything again.
     */
    public ChangeFeed.@Nullable Changes since(long revision) {
        return feed.since(revision);
    }

    /**
     * Subscribes to changes. When the subscription is not {@link Subscription#resumed() resumed},
     * the subscriber reads {@link FleetReader#hosts()} and {@link FleetReader#vms()} after this
     * call and misses no change: a change in between arrives as a delta, perhaps a second time.
     *
     * @param after the last revision seen, null for none
     * @param statistics whether to receive the hosts of VMs with new statistics
     */
    public Subscription subscribe(@Nullable Long after, boolean statistics) {
        return feed.subscribe(after, statistics);
    }
}
