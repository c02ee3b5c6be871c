package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Brings a VM to a host on which it has no process yet: from its disks, or from its memory. */
abstract sealed class StartOperation extends PlacedOperation permits RunOperation, ResumeOperation {

    StartOperation(Input input, VmVerb verb) {
        super(input, verb, input.limits().start(), "waits until it is up");
    }

    /** Takes back the start of a VM that waits on its target to be launched. */
    abstract void revertStart(String reason);

    /** Shows the VM as waiting on the target to be launched; no state of its last run remains. */
    @Override
    void announce() {
        VmRuntime starting =
                vm.runtime()
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.WAIT_FOR_LAUNCH)
                        .set(RuntimeField.EXIT_STATUS, ExitStatus.NORMAL)
                        .set(RuntimeField.EXIT_REASON, ExitReason.UNKNOWN)
                        .set(RuntimeField.EXIT_MESSAGE, null)
                        .set(RuntimeField.PAUSE_STATUS, PauseStatus.NONE)
                        .set(RuntimeField.CURRENT_CD, null) // that of its definition
                        .build();
        VmRun run = vm.placement().run().next().startedAt(now);
        boolean once =
                operation().parameters() instanceof OperationParameters.Run how
                        && how.definition() != null;
        VmPlacement placement =
                vm.placement()
                        .withRunOn(target())
                        .withMigratingTo(null)
                        .withLastStart(now)
                        .withRun(once ? run.asVolatile() : run);
        commit(starting, placement, new VmCommands(InFlight.RUN, false, false));
    }

    @Override
    boolean isStillBegun() {
        return vm.status() == VmStatus.WAIT_FOR_LAUNCH && isOnTarget();
    }

    @Override
    @Nullable HostId callee() {
        return operation().target();
    }

    /**
     * The target may have reported a process of the VM meanwhile, as one does where the VM arrived
     * by a migration that seemed to have failed. Such a VM is neither down nor to be started
     * elsewhere, even if the host refuses the start.
     */
    @Override
    void refused(HostFailure failure) {
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH && vm.saidToRun()) {
            awaitReports("has the VM and answered: " + failure.describe());
        } else {
            super.refused(failure);
        }
    }

    /** A VM that its target reports is not to be started once more. */
    @Override
    final boolean isToBeRepeated() {
        return !vm.saidToRun() && super.isToBeRepeated();
    }

    /** Monitoring queues the work of a failed start; it comes as {@code TryElsewhere}. */
    @Override
    final @Nullable OperationFailure missedByEnd() {
        boolean failed = vm.runtime().exitStatus() == ExitStatus.ERROR;
        return failed || vm.generation() == operation().generation() ? null : super.missedByEnd();
    }

    @Override
    final @Nullable OperationFailure missedWhileRunning() {
        if (vm.status() == VmStatus.POWERING_DOWN) {
            return new OperationFailure(Code.OVERTAKEN, "it was shut down before it was up");
        }
        return vm.status() == VmStatus.PAUSED && !isPausedStart() && operation().target() != null
                ? notReached("it is paused: " + vm.runtime().pauseStatus())
                : null;
    }

    /** Whether the VM is started with its CPUs standing still. */
    final boolean isPausedStart() {
        return operation().parameters() instanceof OperationParameters.Run run && run.paused();
    }

    @Override
    final String failed() {
        return "the start failed";
    }

    @Override
    void revert(String reason) {
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH && isOnTarget()) {
            revertStart(reason);
        } else {
            drop();
        }
    }

    /** Shows the VM as one that runs nowhere. */
    final void stop(VmRuntime runtime) {
        VmPlacement nowhere =
                vm.placement()
                        .withRunOn(null)
                        .withLastStop(now)
                        .withRun(vm.placement().run().ended());
        change(runtime, nowhere, VmCommands.NONE);
    }

    @Override
    void resume() {
        VmStatus status = vm.status();
        if (status.isRunningOrPaused() && isNextRun()) {
            followWhereItIs();
        } else if (status != VmStatus.DOWN || !isNextRun()) {
            admitAgain();
        } else if (vm.runtime().exitStatus() == ExitStatus.ERROR) {
            task = task.in(VmTask.Phase.AWAITING, operation()).lingering(true);
            tryElsewhere(Code.NOT_REACHED, failed() + because());
        } else {
            fail(Code.NOT_REACHED, "it ended" + because());
        }
    }

    private void followWhereItIs() {
        adoptTarget();
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH || vm.status() == VmStatus.POWERING_UP) {
            follow(new VmCommands(InFlight.RUN, false, false));
        } else {
            awaitAgain();
        }
    }

    /** The VM's host is the one that the start chose before the engine was restarted. */
    final void adoptTarget() {
        task = task.with(operation().placed(vm.runOn(), operation().explanation())).lingering(true);
    }
}
