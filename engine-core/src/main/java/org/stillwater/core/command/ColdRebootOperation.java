package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;

/**
 * Shuts a VM down and has it started again, so that its next configuration takes effect. The start
 * is an operation of its own, which is tried again when it fails.
 */
final class ColdRebootOperation extends StopOperation {

    ColdRebootOperation(Input input) {
        super(input, VmVerb.SHUTDOWN, input.limits().reboot(), "waits until its guest restarts");
    }

    @Override
    void announce() {
        commit(
                poweringDown(),
                vm.placement(),
                new VmCommands(withoutStart().inFlight(), true, false));
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.UP && isNextRun();
    }

    @Override
    @Nullable OperationFailure missedByEnd() {
        boolean failed = vm.runtime().exitStatus() == ExitStatus.ERROR;
        return !failed || isNextRun() ? null : super.missedByEnd();
    }

    /** The VM is no longer started again after its end. */
    @Override
    void overdue() {
        change(
                vm.runtime(),
                vm.placement(),
                new VmCommands(vm.commands().inFlight(), false, false));
        super.overdue();
    }

    @Override
    void resume() {
        if (vm.status() == VmStatus.POWERING_DOWN) {
            change(vm.runtime(), vm.placement(), new VmCommands(InFlight.NONE, true, false));
            call(); // to ask again does no harm
        } else if (isNextRun() || vm.status().isNotRunning()) {
            awaitAgain();
        } else {
            admitAgain();
        }
    }
}
