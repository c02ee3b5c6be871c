package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;

/** What of one VM is not durable yet. Guarded by the writer's lock. */
final class PendingVm {

    final VmId id;
    VmRuntime runtime;
    VmPlacement placement;
    RuntimeFields fields = RuntimeFields.NONE;
    boolean placementChanged;
    final long observedNanos;
    List<Runnable> afterCommit = List.of();

    PendingVm(VmId id, VmRuntime runtime, VmPlacement placement, long observedNanos) {
        this.id = id;
        this.runtime = runtime;
        this.placement = placement;
        this.observedNanos = observedNanos;
    }

    void then(Runnable action) {
        if (afterCommit.isEmpty()) {
            afterCommit = new ArrayList<>(1);
        }
        afterCommit.add(action);
    }

    boolean isWritten() {
        return fields.isEmpty() && !placementChanged;
    }

    /** This, which could not be written, with what changed meanwhile. */
    PendingVm overtakenBy(PendingVm newer) {
        runtime = newer.runtime;
        placement = newer.placement;
        fields = fields.union(newer.fields);
        placementChanged |= newer.placementChanged;
        newer.afterCommit.forEach(this::then);
        return this;
    }
}
