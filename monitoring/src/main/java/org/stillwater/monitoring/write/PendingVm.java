package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.WorkKind;

/** Changes of one VM that are not durable yet. Guarded by the writer's lock. */
final class PendingVm extends Pending<VmId, PendingVm> {

    VmRuntime runtime;
    VmPlacement placement;
    RuntimeFields fields = RuntimeFields.NONE;
    PlacementFields placed = PlacementFields.NONE;
    List<OpenWork> work = List.of();

    PendingVm(VmId id, VmRuntime runtime, VmPlacement placement, long observedNanos) {
        super(id, observedNanos);
        this.runtime = runtime;
        this.placement = placement;
    }

    /**
     * Adds work. One of each kind is kept, so that it is bounded for any outage of the database:
     * the first of a run, which the first of a later run replaces.
     */
    void queue(List<OpenWork> next) {
        for (OpenWork fresh : next) {
            OpenWork present = of(fresh.work().kind());
            boolean known =
                    present != null && present.work().generation() >= fresh.work().generation();
            if (!known) {
                List<OpenWork> all = new ArrayList<>(work);
                all.remove(present);
                all.add(fresh);
                work = all;
            }
        }
    }

    private @Nullable OpenWork of(WorkKind kind) {
        for (OpenWork present : work) {
            if (present.work().kind() == kind) {
                return present;
            }
        }
        return null;
    }

    @Override
    boolean isWritten() {
        return fields.isEmpty() && placed.isEmpty() && work.isEmpty();
    }

    @Override
    void written() {
        fields = RuntimeFields.NONE;
        placed = PlacementFields.NONE;
        work = List.of();
    }

    @Override
    PendingVm again(long nanos) {
        PendingVm again = new PendingVm(id, runtime, placement, nanos);
        again.fields = fields;
        again.placed = placed;
        again.work = work;
        return again;
    }

    @Override
    int workCount() {
        return work.size();
    }

    @Override
    String columns() {
        StringJoiner columns = new StringJoiner(", ");
        fields.forEach(field -> columns.add(field.column()));
        placed.forEach(field -> columns.add(field.column()));
        return columns.toString();
    }

    VmChange toChange() {
        return new VmChange(id, fields, runtime, placed, placement, work);
    }

    @Override
    PendingVm overtakenBy(PendingVm newer) {
        runtime = newer.runtime;
        placement = newer.placement;
        fields = fields.union(newer.fields);
        placed = placed.union(newer.placed);
        queue(newer.work);
        newer.takeActions().forEach(this::then);
        return this;
    }
}
