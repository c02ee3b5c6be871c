package org.stillwater.core.command;

import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Destroys the process of a VM, or drops the saved memory of a suspended one. */
final class PowerOffOperation extends StopOperation {

    PowerOffOperation(Input input) {
        super(input, VmVerb.DESTROY, input.limits().stop(), AWAITS_VM);
    }

    @Override
    void announce() {
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
        effect(new VmEffect.Release(true));
        await("waits until it has ended");
        HostId host = vm.runOn();
        if (host != null) {
            effect(new VmEffect.TellGone(host));
        }
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.DOWN;
    }

    @Override
    void resume() {
        if (vm.status().isRunningOrPaused()) {
            task = task.in(Phase.QUEUED, operation());
            begin(); // a host that no longer has the VM answers so
        } else {
            awaitAgain();
        }
    }
}
