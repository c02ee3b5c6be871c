package org.stillwater.core.command;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationParameters.Reboot;
import org.stillwater.core.operation.OperationParameters.Run;
import org.stillwater.core.operation.OperationState;

/**
 * Decides the transitions of operations on VMs. Each kind of operation is a {@link VmOperation} of
 * its own; this class chooses it.
 */
public final class VmOperationMachine {

    private final CommandLimits limits;
    private final Function<HostId, String> hostNames;

    /** Operations with these limits, which name hosts by their identities. */
    public VmOperationMachine(CommandLimits limits) {
        this(limits, HostId::toString);
    }

    /**
     * Operations with these limits.
     *
     * @param hostNames the name of a host in texts for people
     */
    public VmOperationMachine(CommandLimits limits, Function<HostId, String> hostNames) {
        this.limits = limits;
        this.hostNames = hostNames;
    }

    /**
     * Step that follows from a fact.
     *
     * @param task the operation; an ended operation has no further steps
     * @param vm the state of the VM; null if it no longer exists
     * @param fact the fact
     * @param now the present time
     */
    public VmStep decide(VmTask task, @Nullable VmFacts vm, VmFact fact, Instant now) {
        if (task.phase() == Phase.ENDED) {
            return new VmStep(task, List.of());
        }
        if (vm == null) {
            OperationFailure gone =
                    new OperationFailure(
                            OperationFailure.Code.GONE, "the VM is not there any more");
            Operation ended = task.operation().ended(OperationState.FAILED, "failed", gone, now);
            return new VmStep(task.in(Phase.ENDED, ended), List.of());
        }
        VmOperation operation = of(new VmOperation.Input(task, vm, now, limits, hostNames));
        return operation == null ? new VmStep(task, List.of()) : operation.decide(fact);
    }

    /** The operation of its kind; null for one without a call to a host. */
    private static @Nullable VmOperation of(VmOperation.Input input) {
        Operation operation = input.task().operation();
        return switch (operation.kind()) {
            case RUN ->
                    operation.parameters() instanceof Run run && run.cause() == Cause.LEASE
                            ? new LeaseRunOperation(input)
                            : new RunOperation(input);
            case RESUME -> new ResumeOperation(input);
            case MIGRATE -> new MigrateOperation(input);
            case CANCEL_MIGRATION -> new CancelMigrationOperation(input);
            case SHUTDOWN -> new ShutdownOperation(input);
            case POWER_OFF -> new PowerOffOperation(input);
            case REBOOT ->
                    operation.parameters() instanceof Reboot reboot && reboot.cold()
                            ? new ColdRebootOperation(input)
                            : new WarmRebootOperation(input);
            case PAUSE -> new PauseOperation(input);
            case SUSPEND -> new SuspendOperation(input);
            case RESET -> new ResetOperation(input);
            case CONSOLE_TICKET -> new ConsoleTicketOperation(input);
            case CHANGE_CD -> new ChangeCdOperation(input);
            case PLUG_DEVICE -> new HotplugOperation(input, VmVerb.PLUG);
            case UNPLUG_DEVICE -> new HotplugOperation(input, VmVerb.UNPLUG);
            case ADD_VM, UPDATE_VM, REMOVE_VM, DRAIN, EVACUATE, FENCE -> null;
        };
    }
}
