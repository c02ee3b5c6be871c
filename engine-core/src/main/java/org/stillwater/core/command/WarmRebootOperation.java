package org.stillwater.core.command;

import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.vm.VmStatus;

/** Has the guest of a VM restart; its process stays. */
final class WarmRebootOperation extends VmOperation {

    WarmRebootOperation(Input input) {
        super(input, VmVerb.REBOOT, input.limits().reboot(), "waits until its guest restarts");
    }

    @Override
    void announce() {
        commitNote();
    }

    @Override
    void look() {
        if (vm.status() != VmStatus.UP) {
            task = task.hasLeft();
        }
        super.look();
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.REBOOT_IN_PROGRESS
                || (task.left() && vm.status() == VmStatus.UP);
    }

    @Override
    void revert(String reason) {
        restoreStopped();
    }

    @Override
    void resume() {
        if (vm.status() == VmStatus.UP || vm.status() == VmStatus.POWERING_UP) {
            fail(
                    Code.INTERRUPTED,
                    "the engine was restarted before the guest was seen to restart; it is not"
                            + " repeated, because it may have been done");
        } else {
            task = task.hasLeft();
            awaitAgain();
        }
    }
}
