package org.stillwater.core.command;

import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;

/** Starts a VM that is down. */
sealed class RunOperation extends StartOperation permits LeaseRunOperation {

    RunOperation(Input input) {
        super(input, VmVerb.CREATE);
    }

    @Override
    final boolean isDoneAlready(HostFailure failure) {
        return AnswerRules.isRefusedWith(failure, RefusalCode.VM_EXISTS);
    }

    /** Whether the run that is seen is one that this operation began. */
    boolean isOwnRun() {
        return isNextRun();
    }

    /** A VM that migrates has been launched: the migration is another operation's business. */
    @Override
    final boolean isReached() {
        VmStatus status = vm.status();
        return ((status == VmStatus.UP || status == VmStatus.MIGRATING_FROM) && isOwnRun())
                || (isPausedStart() && status == VmStatus.PAUSED);
    }

    @Override
    final void lookOn() {
        if (vm.status() == VmStatus.POWERING_UP) {
            task = task.with(operation().at(50));
        }
    }

    /**
     * A VM that its host does not launch is started elsewhere, after its remains there are removed.
     * It ends then if it may run on that host only, was tried on as many hosts as allowed, or was
     * taken back. Reports of the host until then concern the start that is given up.
     */
    @Override
    void leaveHost(HostId host, String why) {
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH
                && host.equals(vm.runOn())
                && host.equals(operation().target())) {
            revert(why);
            effect(new VmEffect.Release(false));
            task = task.lingering(true).failedOnTarget(why);
            clear(host);
            effect(new VmEffect.Hold());
        }
    }

    @Override
    final void revertStart(String reason) {
        stop(down(ExitStatus.ERROR, reason));
    }
}
