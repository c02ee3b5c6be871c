package org.stillwater.core.command;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;

/**
 * Starts a VM with a lease elsewhere while its host is silent and its state unknown. The VM stays
 * shown where it was until its new host reports it: only the operation knows the called host.
 */
final class LeaseRunOperation extends RunOperation {

    LeaseRunOperation(Input input) {
        super(input);
    }

    @Override
    void announce() {
        effect(new VmEffect.Hold());
        change(vm.runtime(), vm.placement(), new VmCommands(InFlight.RUN, false, false, target()));
        commitNote();
    }

    @Override
    boolean isStillBegun() {
        return true;
    }

    @Override
    void await(String step) {
        super.await(step);
        // Nothing is shown of such a VM until its new host reports it: silence is noticed.
        effect(new VmEffect.Deadline(limits.pause()));
    }

    @Override
    boolean isOwnRun() {
        return isOnTarget();
    }

    @Override
    @Nullable OperationFailure missed() {
        return vm.status() == VmStatus.UNKNOWN ? null : super.missed();
    }

    @Override
    void overdue() {
        Instant began = operation().startedAt();
        if (vm.status() == VmStatus.UNKNOWN && !isOnTarget() && operation().target() != null) {
            task = task.lingering(true);
            tryElsewhere(Code.NOT_REACHED, "its new host does not run it");
        } else if (began == null || !now.isBefore(began.plus(limits.start()))) {
            super.overdue();
        } // else it was seen, and may take its time
    }

    @Override
    void leaveHost(HostId host, String why) {}

    @Override
    void resume() {
        if (vm.status().isRunningOrPaused()) {
            adoptTarget();
        } else if (operation().target() != null) {
            task = task.lingering(true);
        } else {
            admitAgain();
            return;
        }
        follow(new VmCommands(InFlight.RUN, false, false, operation().target()));
    }
}
