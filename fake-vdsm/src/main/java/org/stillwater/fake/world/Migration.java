package org.stillwater.fake.world;

import java.time.Duration;

/**
 * A VM on its way from one host to another. Guarded by the world's lock and both hosts' monitors.
 */
final class Migration {

    final Domain source;
    final Domain destination;

    /** The source's side of it; it holds the VM's phase at either end, unless it ends. */
    final Departure departure;

    final MigrationOrder.Outcome outcome;
    final long startedAt;
    final long endsAt;
    final long downtimeMillis;

    private boolean postCopy;
    private boolean arrived;

    Migration(
            Domain source,
            Domain destination,
            Departure departure,
            MigrationOrder.Outcome outcome,
            long startedAt,
            Duration takes,
            long downtimeMillis) {
        this.source = source;
        this.destination = destination;
        this.departure = departure;
        this.outcome = outcome;
        this.startedAt = startedAt;
        this.endsAt = startedAt + Math.max(1, takes.toMillis());
        this.downtimeMillis = downtimeMillis;
    }

    /** Percent of the memory that has arrived; 100 only at the end. */
    int progress(long now) {
        if (now >= endsAt) {
            return 100;
        }
        return Math.clamp((now - startedAt) * 100 / (endsAt - startedAt), 0, 99);
    }

    boolean isPostCopy() {
        return postCopy;
    }

    void switchToPostCopy() {
        postCopy = true;
    }

    /** Whether the destination has the VM and only the source's record is left to end. */
    boolean hasArrived() {
        return arrived;
    }

    void arrived() {
        arrived = true;
    }

    boolean endsInPostCopy() {
        return outcome == MigrationOrder.Outcome.POSTCOPY
                || outcome == MigrationOrder.Outcome.POSTCOPY_FAILURE;
    }
}
