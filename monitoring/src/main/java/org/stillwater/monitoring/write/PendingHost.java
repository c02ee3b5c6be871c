package org.stillwater.monitoring.write;

import org.stillwater.core.port.HostStore.HostChange;

/** What of one host is not durable yet. Guarded by the writer's lock. */
final class PendingHost extends Pending {

    HostChange change;
    private boolean written;

    PendingHost(HostChange change, long observedNanos) {
        super(observedNanos);
        this.change = change;
    }

    boolean isWritten() {
        return written;
    }

    /** It is durable. */
    void written() {
        written = true;
    }

    /** The same values to be written another time; what waited for them does not. */
    PendingHost again(long nanos) {
        return new PendingHost(change, nanos);
    }

    /** This, which could not be written, with what changed meanwhile. */
    PendingHost overtakenBy(PendingHost newer) {
        change = change.then(newer.change);
        newer.takeActions().forEach(this::then);
        return this;
    }
}
