package org.stillwater.core.command;

import java.time.Duration;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Ends the process of a VM. */
abstract sealed class StopOperation extends VmOperation
        permits ColdRebootOperation, PowerOffOperation, ShutdownOperation {

    StopOperation(Input input, VmVerb verb, Duration patience, String awaits) {
        super(input, verb, patience, awaits);
    }

    final VmRuntime poweringDown() {
        return vm.runtime().with(RuntimeField.STATUS, VmStatus.POWERING_DOWN);
    }

    /** The VM's placement, with the reason for which it is stopped. */
    final VmPlacement stoppedForReason() {
        String reason =
                operation().parameters() instanceof OperationParameters.Shutdown shutdown
                                && !shutdown.message().isBlank()
                        ? shutdown.message()
                        : null;
        return vm.placement().withRun(vm.placement().run().withStopReason(reason));
    }

    /** A VM that is stopped while it powers up is not to be started elsewhere if it fails. */
    final VmCommands withoutStart() {
        return vm.commands().inFlight() == InFlight.RUN ? vm.commands().dropped() : vm.commands();
    }

    @Override
    final boolean isDoneAlready(HostFailure failure) {
        return AnswerRules.isOver(failure);
    }

    @Override
    final void revert(String reason) {
        restoreStopped();
    }
}
