package org.stillwater.monitoring.write;

import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore.HostChange;

/** Changes of one host that are not durable yet. Guarded by the writer's lock. */
final class PendingHost extends Pending<HostId, PendingHost> {

    HostChange change;
    private boolean written;

    PendingHost(HostChange change, long observedNanos) {
        super(change.id(), observedNanos);
        this.change = change;
    }

    @Override
    boolean isWritten() {
        return written;
    }

    @Override
    void written() {
        written = true;
    }

    @Override
    PendingHost again(long nanos) {
        return new PendingHost(change, nanos);
    }

    @Override
    PendingHost overtakenBy(PendingHost newer) {
        change = change.then(newer.change);
        newer.takeActions().forEach(this::then);
        return this;
    }

    @Override
    int workCount() {
        return change.work().size();
    }
}
