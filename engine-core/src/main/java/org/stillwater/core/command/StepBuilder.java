package org.stillwater.core.command;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** A step of an operation under construction: its effects in order, and its next state. */
abstract sealed class StepBuilder permits VmOperation {

    final VmFacts vm;
    final Instant now;
    VmTask task;
    private final List<VmEffect> effects = new ArrayList<>(4);

    StepBuilder(VmTask task, VmFacts vm, Instant now) {
        this.task = task;
        this.vm = vm;
        this.now = now;
    }

    final VmStep step() {
        return new VmStep(task, effects);
    }

    final Operation operation() {
        return task.operation();
    }

    final void effect(VmEffect effect) {
        effects.add(effect);
    }

    final void go(Phase phase, String step) {
        task = task.in(phase, operation().doing(step, now));
    }

    final void succeed(String result) {
        end(OperationState.SUCCEEDED, result, null);
    }

    final void fail(Code code, String reason) {
        fail(new OperationFailure(code, reason));
    }

    final void fail(OperationFailure failure) {
        end(OperationState.FAILED, "failed", failure);
    }

    final void cancelled(String result) {
        end(OperationState.CANCELLED, result, null);
    }

    private void end(OperationState state, String result, @Nullable OperationFailure why) {
        task = task.in(Phase.ENDED, operation().ended(state, result, why, now));
    }

    /** Shows the VM like this from now on, and holds its reports until the host has answered. */
    final void commit(VmRuntime runtime, VmPlacement placement, VmCommands commands) {
        effect(new VmEffect.Hold());
        effect(new VmEffect.Change(runtime, placement, commands, true));
        go(Phase.COMMITTING, "is being recorded");
    }

    /** Makes durable that the operation is under way, for one that must not be done twice. */
    final void commitNote() {
        go(Phase.COMMITTING, "is being recorded");
        effect(new VmEffect.Note());
    }

    /** Changes the known state of the VM, without waiting until it is durable. */
    final void change(VmRuntime runtime, VmPlacement placement, VmCommands commands) {
        effect(new VmEffect.Change(runtime, placement, commands, false));
    }

    /** Takes back a status that was made known; the VM may be in another one by now. */
    final void restore(VmStatus announced, VmPlacement placement) {
        VmRuntime runtime = vm.runtime();
        change(
                vm.status() == announced
                        ? runtime.with(RuntimeField.STATUS, task.before())
                        : runtime,
                placement,
                VmCommands.NONE);
        poll();
    }

    /** Takes back that the VM is being stopped. */
    final void restoreStopped() {
        restore(
                VmStatus.POWERING_DOWN,
                vm.placement().withRun(vm.placement().run().withStopReason(null)));
    }

    /** The VM, ended like this. */
    final VmRuntime down(ExitStatus status, String message) {
        return vm.runtime()
                .edit()
                .set(RuntimeField.STATUS, VmStatus.DOWN)
                .set(RuntimeField.EXIT_STATUS, status)
                .set(
                        RuntimeField.EXIT_REASON,
                        status == ExitStatus.ERROR ? ExitReason.GENERIC_ERROR : ExitReason.SUCCESS)
                .set(RuntimeField.EXIT_MESSAGE, message)
                .build();
    }

    /** Asks the VM's host for all of its VMs. */
    final void poll() {
        HostId host = vm.runOn();
        if (host != null) {
            effect(new VmEffect.Poll(host));
        }
    }

    static OperationFailure notReached(String reason) {
        return new OperationFailure(Code.NOT_REACHED, reason);
    }

    /** The host's message about the end of the VM, with a colon before it; empty for none. */
    final String because() {
        String message = vm.runtime().exitMessage();
        return message == null || message.isEmpty() ? "" : ": " + message;
    }

    /** Whether the VM has a process on a host. */
    final boolean isOnHost() {
        return vm.status().isRunningOrPaused() && vm.runOn() != null;
    }

    /** Whether the VM began to run again after the operation was requested. */
    final boolean isNextRun() {
        return vm.generation() > operation().generation();
    }
}
