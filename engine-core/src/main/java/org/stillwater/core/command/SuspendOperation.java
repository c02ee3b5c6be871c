package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;

/** Saves the memory of a VM to volumes that are created for it, and ends its process. */
final class SuspendOperation extends VmOperation {

    SuspendOperation(Input input) {
        super(
                input,
                VmVerb.HIBERNATE,
                input.limits().suspend(),
                "waits until its memory is written");
    }

    @Override
    void prepare() {
        go(Phase.PREPARING, "creates the volumes for its memory");
        effect(new VmEffect.CreateVolumes());
    }

    @Override
    void announce() {
        commit(
                vm.runtime().with(RuntimeField.STATUS, VmStatus.SAVING_STATE),
                vm.placement(),
                vm.commands());
    }

    @Override
    boolean isDoneAlready(HostFailure failure) {
        return AnswerRules.isOver(failure);
    }

    @Override
    void look() {
        if (task.mayLinger() && vm.status() == VmStatus.UP) {
            task = task.lingering(false); // its host never got the call
            begin();
        } else {
            super.look();
        }
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.SUSPENDED;
    }

    @Override
    @Nullable OperationFailure missedWhileRunning() {
        return vm.status() == VmStatus.UP || vm.status() == VmStatus.PAUSED
                ? notReached("its memory was not written")
                : null;
    }

    @Override
    void revert(String reason) {
        restore(VmStatus.SAVING_STATE, vm.placement());
    }

    /**
     * Whether the host was asked to save the memory is unknown, and a second request could spoil
     * the memory being saved. A host that was not asked soon reports the VM as up, and is asked
     * then.
     */
    @Override
    void resume() {
        if (vm.status() == VmStatus.SAVING_STATE) {
            task = task.lingering(true);
            awaitAgain();
            poll();
        } else {
            super.resume();
        }
    }
}
