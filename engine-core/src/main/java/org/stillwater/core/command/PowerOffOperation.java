package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * Destroys the process of a VM, or drops the saved memory of a suspended one; a pool drops that of
 * its VMs itself.
 */
final class PowerOffOperation extends StopOperation {

    PowerOffOperation(Input input) {
        super(input, VmVerb.DESTROY, input.limits().stop(), AWAITS_VM);
    }

    @Override
    void announce() {
        if (isSavedInPool()) {
            go(Phase.CALLING, "asks its pool to drop its saved memory");
            effect(new VmEffect.DropMemory());
            return;
        }
        if (vm.status() == VmStatus.SUSPENDED) {
            VmRuntime dropped = down(ExitStatus.NORMAL, "Its saved memory was dropped");
            effect(new VmEffect.Change(dropped, stoppedForReason(), VmCommands.NONE, true));
            go(Phase.COMMITTING, "drops its saved memory");
            return;
        }
        effect(new VmEffect.ExpectAbsence());
        commit(
                vm.status() == VmStatus.MIGRATING_FROM ? vm.runtime() : poweringDown(),
                stoppedForReason(),
                new VmCommands(vm.commands().inFlight(), false, true));
    }

    /** The pool has its memory, and reports when it is down. */
    private boolean isSavedInPool() {
        return vm.isOfPool() && vm.status() == VmStatus.SUSPENDED;
    }

    @Override
    void committed() {
        if (vm.status() == VmStatus.DOWN) {
            effect(new VmEffect.Release(false));
            succeed("the VM is down");
        } else {
            super.committed();
        }
    }

    @Override
    void accepted() {
        if (isSavedInPool()) {
            await("waits until its pool has dropped its saved memory");
            return;
        }
        effect(new VmEffect.Release(true));
        if (vm.isOfPool() && isReached()) { // the pool's report was faster than its answer
            succeed("the VM is down");
            return;
        }
        await("waits until it has ended");
        HostId host = vm.runOn();
        if (host != null) {
            effect(new VmEffect.TellGone(host));
        }
    }

    @Override
    @Nullable OperationFailure missedByEnd() {
        return isSavedInPool() ? null : super.missedByEnd();
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.DOWN;
    }

    @Override
    void resume() {
        if (isSavedInPool() || vm.status().isRunningOrPaused()) {
            task = task.in(Phase.QUEUED, operation());
            begin(); // a host or pool that has done it answers so
        } else {
            awaitAgain();
        }
    }
}
