package org.stillwater.core.command;

import org.stillwater.core.vm.VmStatus;

/** Stops the CPUs of a VM. */
final class PauseOperation extends VmOperation {

    PauseOperation(Input input) {
        super(input, VmVerb.PAUSE, input.limits().pause(), "waits until it is paused");
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.PAUSED;
    }
}
