package org.stillwater.core.command;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmCommands;
import org.stillwater.core.model.VmCommands.InFlight;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRun;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.RefusalCode;

/**
 * How operations on VMs go from one step to the next.
 *
 * <p>All of them are one pattern: what is about to be done is made known and durable; the host is
 * asked; the VM is awaited. They differ in four things, each a method here: what is made known
 * ({@link #begin}), what the host is asked ({@link #verb}), and how to see that it was reached
 * ({@link #isReached}) or missed ({@link #missed}). Starts and migrations look for a host first,
 * and for another one when that fails.
 *
 * <p>After a restart of the engine nothing is repeated that may have been done: what became of it
 * is read from the VM ({@link #resume}).
 */
public final class VmProcedure {

    private static final String MIGRATES = "migrates";

    private final CommandLimits limits;
    private final Function<HostId, String> names;

    /** Procedures with this patience, which call hosts by their identities. */
    public VmProcedure(CommandLimits limits) {
        this(limits, HostId::toString);
    }

    /**
     * Procedures with this patience.
     *
     * @param names what people call a host
     */
    public VmProcedure(CommandLimits limits, Function<HostId, String> names) {
        this.limits = limits;
        this.names = names;
    }

    /**
     * What follows from a fact.
     *
     * @param task the operation, not ended
     * @param vm what is known of the VM; null if it is not there any more
     * @param fact what happened
     * @param now when
     */
    public VmStep decide(VmTask task, @Nullable VmFacts vm, VmFact fact, Instant now) {
        Draft draft = new Draft(task, now);
        if (task.phase() == Phase.ENDED) {
            return draft.step();
        }
        if (vm == null) {
            draft.fail(Code.GONE, "the VM is not there any more");
            return draft.step();
        }
        switch (fact) {
            case VmFact.Begin _ -> {
                if (task.phase() == Phase.QUEUED) {
                    admit(draft, vm);
                }
            }
            case VmFact.Resumed _ -> resume(draft, vm);
            case VmFact.Placed placed -> {
                if (task.phase() == Phase.PLACING) {
                    placed(draft, vm, placed);
                }
            }
            case VmFact.Nowhere(String why) -> {
                if (task.phase() == Phase.PLACING) {
                    draft.task = draft.task.with(draft.operation().placed(null, why));
                    nowhere(draft, why);
                }
            }
            case VmFact.Prepared _ -> {
                if (task.phase() == Phase.PREPARING) {
                    beginPlaced(draft, vm);
                }
            }
            case VmFact.NotPrepared(Code code, String reason) -> {
                if (task.phase() == Phase.PREPARING) {
                    draft.fail(code, "the volumes for its memory cannot be created: " + reason);
                }
            }
            case VmFact.Committed _ -> {
                if (task.phase() == Phase.COMMITTING) {
                    committed(draft, vm);
                }
            }
            case VmFact.CommitRefused(String reason) -> {
                if (task.phase() == Phase.COMMITTING || task.phase() == Phase.PREPARING) {
                    if (task.phase() == Phase.COMMITTING) {
                        revert(draft, vm, reason);
                        draft.effect(new VmEffect.Release(false));
                    }
                    draft.fail(Code.INTERNAL, "the database refuses the VM's row: " + reason);
                }
            }
            case VmFact.Answered(HostFailure failure) -> answered(draft, vm, failure);
            case VmFact.NotAsked(Code code, String reason) -> {
                if (task.phase() == Phase.CALLING) {
                    notAsked(draft, vm, code, reason);
                }
            }
            case VmFact.Seen _ -> {
                if (task.phase() == Phase.AWAITING) {
                    look(draft, vm);
                } else if (task.phase() == Phase.RESUMING && !mayBeOutdated(task, vm)) {
                    admitAgain(draft, vm);
                }
            }
            case VmFact.TryElsewhere _ -> {
                if (task.phase() == Phase.AWAITING) {
                    tryElsewhere(draft, vm, Code.NOT_REACHED, failureText(draft, vm));
                } else if (task.phase() == Phase.CALLING || task.phase() == Phase.COMMITTING) {
                    draft.task = task.isToGoElsewhere(true);
                }
            }
            case VmFact.LeaveHost(HostId host, String why) -> {
                if (task.phase() == Phase.AWAITING) {
                    leaveHost(draft, vm, host, why);
                }
            }
            case VmFact.Progressed(int percent) -> {
                // No migration that was not ordered yet moves on: that is another one's word.
                if (task.phase() == Phase.CALLING || task.phase() == Phase.AWAITING) {
                    progressed(draft, percent);
                }
            }
            case VmFact.TimedOut _ -> timedOut(draft, vm);
            case VmFact.Cancel _ -> cancel(draft, vm);
        }
        return draft.step();
    }

    // ------------------------------------------------------------------------------- beginning

    private void admit(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        String refusal = VmRules.refusal(operation.kind(), operation.parameters(), vm);
        if (refusal != null) {
            draft.fail(
                    Code.ILLEGAL_STATE, "the VM is %s: %s".formatted(vm.status().label(), refusal));
        } else if (isPlaced(operation, vm)) {
            draft.go(Phase.PLACING, "looks for a host");
            draft.effect(new VmEffect.FindHost());
        } else if (operation.kind() == OperationKind.SUSPEND) {
            draft.go(Phase.PREPARING, "creates the volumes for its memory");
            draft.effect(new VmEffect.CreateVolumes());
        } else {
            begin(draft, vm);
        }
    }

    /** Whether it looks for a host: a paused VM goes on where it is. */
    private static boolean isPlaced(Operation operation, VmFacts vm) {
        return operation.kind() == OperationKind.MIGRATE
                || (operation.kind().isPlaced() && vm.status() != VmStatus.PAUSED);
    }

    private void placed(Draft draft, VmFacts vm, VmFact.Placed placed) {
        draft.task = draft.task.with(draft.operation().placed(placed.host(), placed.why()));
        if (!placed.remains().isEmpty()) {
            // Asked for the VM now, the host would say that it has it; and then, that it is down.
            draft.go(
                    Phase.PREPARING,
                    placed.remains().equals(List.of(placed.host()))
                            ? "removes what an earlier run left on the host"
                            : "removes what a migration left on the host that it went to");
            draft.effect(new VmEffect.Clear(placed.remains()));
        } else {
            beginPlaced(draft, vm);
        }
    }

    private void beginPlaced(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        String refusal = VmRules.refusal(operation.kind(), operation.parameters(), vm);
        if (refusal != null) {
            draft.fail(
                    Code.ILLEGAL_STATE,
                    "the VM is %s by now: %s".formatted(vm.status().label(), refusal));
        } else if (operation.kind() == OperationKind.MIGRATE
                && Objects.equals(vm.runOn(), operation.target())) {
            draft.fail(Code.ILLEGAL_STATE, "the VM is on the chosen host by now");
        } else {
            begin(draft, vm);
        }
    }

    /** Makes known what is about to be done. */
    private void begin(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        VmRuntime runtime = vm.runtime();
        VmPlacement placement = vm.placement();
        VmCommands commands = vm.commands();
        if (vm.status() != VmStatus.POWERING_DOWN) {
            draft.task = draft.task.from(vm.status());
        }
        switch (operation.kind()) {
            case RUN, RESUME -> {
                if (vm.status() == VmStatus.PAUSED) {
                    call(draft, vm);
                    return;
                }
                commands =
                        new VmCommands(
                                InFlight.RUN,
                                false,
                                false,
                                isByLease(operation) ? draft.target() : null);
                if (!isByLease(operation)) {
                    runtime = starting(vm);
                    placement = startingOn(draft, vm);
                }
            }
            case MIGRATE -> {
                commands = new VmCommands(InFlight.MIGRATE, commands.coldReboot(), false);
                runtime = runtime.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM);
                placement = placement.withMigratingTo(draft.target());
            }
            case SHUTDOWN -> {
                runtime = runtime.with(RuntimeField.STATUS, VmStatus.POWERING_DOWN);
                placement = stoppedFor(operation, placement);
                commands = withoutStart(commands);
            }
            case POWER_OFF -> {
                placement = stoppedFor(operation, placement);
                if (vm.status() == VmStatus.SUSPENDED) {
                    draft.effect(
                            new VmEffect.Change(
                                    down(
                                            runtime,
                                            ExitStatus.NORMAL,
                                            "Its saved memory was dropped"),
                                    placement,
                                    VmCommands.NONE,
                                    true));
                    draft.go(Phase.COMMITTING, "drops its saved memory");
                    return;
                }
                draft.effect(new VmEffect.ExpectAbsence());
                commands = new VmCommands(commands.inFlight(), false, true);
                if (vm.status() != VmStatus.MIGRATING_FROM) {
                    runtime = runtime.with(RuntimeField.STATUS, VmStatus.POWERING_DOWN);
                }
            }
            case REBOOT -> {
                if (!isCold(operation)) {
                    record(draft);
                    return;
                }
                commands = new VmCommands(withoutStart(commands).inFlight(), true, false);
                runtime = runtime.with(RuntimeField.STATUS, VmStatus.POWERING_DOWN);
            }
            case SUSPEND -> runtime = runtime.with(RuntimeField.STATUS, VmStatus.SAVING_STATE);
            case RESET -> {
                record(draft);
                return;
            }
            default -> {
                call(draft, vm);
                return;
            }
        }
        draft.effect(new VmEffect.Hold());
        boolean byLease = isByLease(operation);
        draft.effect(new VmEffect.Change(runtime, placement, commands, !byLease));
        draft.go(Phase.COMMITTING, "is being recorded");
        if (byLease) {
            // The VM stays shown where it was: which host is asked, the operation alone knows.
            draft.effect(new VmEffect.Note());
        }
    }

    /** A VM that is stopped while it powers up is not to be started elsewhere if it fails. */
    private static VmCommands withoutStart(VmCommands commands) {
        return commands.inFlight() == InFlight.RUN ? commands.dropped() : commands;
    }

    /** What is done once at the most must be known to be under way before it is. */
    private static void record(Draft draft) {
        draft.go(Phase.COMMITTING, "is being recorded");
        draft.effect(new VmEffect.Note());
    }

    /**
     * The same VM, waiting to be launched; what its last run said of it is not true of this one.
     */
    private static VmRuntime starting(VmFacts vm) {
        return vm.runtime()
                .edit()
                .set(RuntimeField.STATUS, VmStatus.WAIT_FOR_LAUNCH)
                .set(RuntimeField.EXIT_STATUS, ExitStatus.NORMAL)
                .set(RuntimeField.EXIT_REASON, ExitReason.UNKNOWN)
                .set(RuntimeField.EXIT_MESSAGE, null)
                .set(RuntimeField.PAUSE_STATUS, PauseStatus.NONE)
                .set(RuntimeField.CURRENT_CD, null) // that of its definition
                .build();
    }

    private static VmPlacement startingOn(Draft draft, VmFacts vm) {
        VmRun run = vm.placement().run().next().startedAt(draft.now);
        boolean once =
                draft.operation().parameters() instanceof OperationParameters.Run how
                        && how.definition() != null;
        return vm.placement()
                .withRunOn(draft.target())
                .withMigratingTo(null)
                .withLastStart(draft.now)
                .withRun(once ? run.asVolatile() : run);
    }

    /** The same placement, with what was said of why the VM is stopped. */
    private static VmPlacement stoppedFor(Operation operation, VmPlacement placement) {
        String reason =
                operation.parameters() instanceof OperationParameters.Shutdown shutdown
                                && !shutdown.message().isBlank()
                        ? shutdown.message()
                        : null;
        return placement.withRun(placement.run().withStopReason(reason));
    }

    private static VmRuntime down(VmRuntime runtime, ExitStatus status, String message) {
        return runtime.edit()
                .set(RuntimeField.STATUS, VmStatus.DOWN)
                .set(RuntimeField.EXIT_STATUS, status)
                .set(
                        RuntimeField.EXIT_REASON,
                        status == ExitStatus.ERROR ? ExitReason.GENERIC_ERROR : ExitReason.SUCCESS)
                .set(RuntimeField.EXIT_MESSAGE, message)
                .build();
    }

    private void committed(Draft draft, VmFacts vm) {
        if (vm.status() == VmStatus.DOWN && draft.operation().kind() == OperationKind.POWER_OFF) {
            draft.effect(new VmEffect.Release(false));
            draft.succeed("the VM is down");
        } else if (isStillBegun(draft.operation(), vm)) {
            call(draft, vm);
        } else {
            draft.task = draft.task.isAtRest(); // what was seen of an earlier attempt is over
            draft.effect(new VmEffect.Release(false));
            await(draft, patience(draft.operation()), awaits(draft.operation()));
            goElsewhereOrLook(draft, vm);
        }
    }

    /** It took so long to become durable that hosts may have said otherwise. */
    private static boolean isStillBegun(Operation operation, VmFacts vm) {
        return switch (operation.kind()) {
            case RUN, RESUME ->
                    isByLease(operation)
                            || (vm.status() == VmStatus.WAIT_FOR_LAUNCH
                                    && Objects.equals(vm.runOn(), operation.target()));
            case MIGRATE ->
                    vm.status() == VmStatus.MIGRATING_FROM
                            && Objects.equals(vm.placement().migratingTo(), operation.target());
            case SHUTDOWN, POWER_OFF, REBOOT, SUSPEND ->
                    vm.status().isRunningOrPaused() && vm.runOn() != null;
            default -> true;
        };
    }

    /** Goes on with what monitoring found while the host was asked. */
    private void goElsewhereOrLook(Draft draft, VmFacts vm) {
        if (draft.task.elsewhere()) {
            draft.task = draft.task.isToGoElsewhere(false);
            tryElsewhere(draft, vm, Code.NOT_REACHED, failureText(draft, vm));
        } else {
            look(draft, vm);
        }
    }

    // ---------------------------------------------------------------------------------- calling

    private void call(Draft draft, VmFacts vm) {
        HostId host = where(draft.operation(), vm);
        if (host == null) {
            draft.effect(new VmEffect.Release(false));
            draft.fail(Code.ILLEGAL_STATE, "it is on no host by now");
            return;
        }
        VmVerb verb = verb(draft.operation(), vm);
        draft.task = draft.task.isAtRest();
        draft.go(Phase.CALLING, "asks the host");
        draft.effect(new VmEffect.Call(host, verb));
    }

    private static @Nullable HostId where(Operation operation, VmFacts vm) {
        boolean starts =
                operation.kind() == OperationKind.RUN
                        || (operation.kind() == OperationKind.RESUME
                                && vm.status() != VmStatus.PAUSED);
        return starts ? operation.target() : vm.runOn();
    }

    private static VmVerb verb(Operation operation, VmFacts vm) {
        return switch (operation.kind()) {
            case RUN -> VmVerb.CREATE;
            case RESUME -> vm.status() == VmStatus.PAUSED ? VmVerb.CONTINUE : VmVerb.RESTORE;
            case SHUTDOWN -> VmVerb.SHUTDOWN;
            case REBOOT -> isCold(operation) ? VmVerb.SHUTDOWN : VmVerb.REBOOT;
            case POWER_OFF -> VmVerb.DESTROY;
            case RESET -> VmVerb.RESET;
            case PAUSE -> VmVerb.PAUSE;
            case SUSPEND -> VmVerb.HIBERNATE;
            case MIGRATE -> VmVerb.MIGRATE;
            case CANCEL_MIGRATION -> VmVerb.CANCEL_MIGRATION;
            case CONSOLE_TICKET -> VmVerb.SET_TICKET;
            case CHANGE_CD -> VmVerb.CHANGE_CD;
            case PLUG_DEVICE -> VmVerb.PLUG;
            case UNPLUG_DEVICE -> VmVerb.UNPLUG;
            case ADD_VM, UPDATE_VM, REMOVE_VM, DRAIN, EVACUATE, FENCE ->
                    throw new IllegalArgumentException("no host is asked for " + operation.kind());
        };
    }

    private void answered(Draft draft, VmFacts vm, @Nullable HostFailure failure) {
        switch (draft.task.phase()) {
            case CALLING -> {
                if (failure == null || isDoneAlready(draft.operation(), failure)) {
                    accepted(draft, vm);
                } else if (!isCertain(failure)) {
                    unanswered(draft, vm, failure);
                } else if (isSaidToHaveBegun(draft.operation(), vm)) {
                    awaitItsWord(draft, vm, "has the VM and answered: " + failure.describe());
                } else {
                    refused(draft, vm, failure);
                }
            }
            case PREPARING -> {
                if (failure == null || isRemoved(failure)) {
                    beginPlaced(draft, vm);
                } else {
                    Code code = isCertain(failure) ? Code.REFUSED : Code.HOST_LOST;
                    notStarted(
                            draft,
                            code,
                            "what an earlier run or a migration left on a host cannot be removed: "
                                    + failure.describe());
                }
            }
            case CLEARING -> {
                if (failure == null || isRemoved(failure)) {
                    draft.task = draft.task.lingering(false);
                    draft.effect(new VmEffect.Release(true));
                    cleared(draft);
                } else {
                    fail(
                            draft,
                            vm,
                            Code.HOST_LOST,
                            "it is unknown whether its start left something on the last host, which"
                                    + " does not answer: "
                                    + failure.describe());
                }
            }
            default -> {}
        }
    }

    /** Whether the answer to an order to remove a VM means that the host does not have it now. */
    public static boolean isRemoved(@Nullable HostFailure failure) {
        return failure == null || isRefusedWith(failure, RefusalCode.NO_SUCH_VM);
    }

    /** Whether a host has no migration to go on with after it answered so to a cancellation. */
    public static boolean isCalledOff(@Nullable HostFailure failure) {
        return failure == null || isRefusedWith(failure, RefusalCode.MIGRATION_FAILED);
    }

    /** Whether the host certainly did nothing. */
    private static boolean isCertain(HostFailure failure) {
        return switch (failure) {
            case HostFailure.Refused _,
                    HostFailure.Recovering _,
                    HostFailure.Overloaded _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _ ->
                    true;
            case HostFailure.Unreachable _,
                    HostFailure.TimedOut _,
                    HostFailure.ProtocolViolation _ ->
                    false;
        };
    }

    private static boolean isDoneAlready(Operation operation, HostFailure failure) {
        return switch (operation.kind()) {
            case RUN -> isRefusedWith(failure, RefusalCode.VM_EXISTS);
            case SHUTDOWN, POWER_OFF, SUSPEND -> isOver(failure);
            case REBOOT -> isCold(operation) && isOver(failure);
            default -> false;
        };
    }

    /** A host that is asked to stop what has ended, or what it does not have any more. */
    private static boolean isOver(HostFailure failure) {
        return isRefusedWith(failure, RefusalCode.NO_SUCH_VM)
                || isRefusedWith(failure, RefusalCode.VM_IS_DOWN);
    }

    private static boolean isRefusedWith(HostFailure failure, int code) {
        return failure instanceof HostFailure.Refused refused && refused.code() == code;
    }

    private void accepted(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        draft.effect(new VmEffect.Release(true));
        switch (operation.kind()) {
            case RESET -> draft.succeed("was reset");
            case CHANGE_CD -> cdChanged(draft, vm);
            case PLUG_DEVICE -> draft.succeed("the device is plugged");
            case UNPLUG_DEVICE -> draft.succeed("the device is unplugged");
            case CONSOLE_TICKET -> {
                OperationParameters.Console console =
                        (OperationParameters.Console) operation.parameters();
                draft.effect(
                        new VmEffect.Change(
                                vm.runtime(),
                                vm.placement()
                                        .withRun(
                                                vm.placement()
                                                        .run()
                                                        .withConsoleUser(
                                                                console.user(), console.userId())),
                                vm.commands(),
                                false));
                draft.succeed("the ticket is set");
            }
            case POWER_OFF -> {
                await(draft, limits.stop(), "awaits its end");
                HostId host = vm.runOn();
                if (host != null) {
                    draft.effect(new VmEffect.TellGone(host));
                }
            }
            default -> {
                await(draft, patience(operation), awaits(operation));
                if (draft.task.elsewhere()) {
                    draft.task = draft.task.lingering(true);
                }
                goElsewhereOrLook(draft, vm);
            }
        }
    }

    /** Which CD is in the drive is known from here: hosts report it with another change only. */
    private static void cdChanged(Draft draft, VmFacts vm) {
        String image =
                draft.operation().parameters() instanceof OperationParameters.Cd cd
                        ? cd.image()
                        : null;
        draft.effect(
                new VmEffect.Change(
                        vm.runtime().with(RuntimeField.CURRENT_CD, image == null ? "" : image),
                        vm.placement(),
                        vm.commands(),
                        false));
        draft.succeed(image == null ? "the CD is ejected" : "the CD is changed");
    }

    private static String awaits(Operation operation) {
        return switch (operation.kind()) {
            case RUN, RESUME -> "awaits that it is up";
            case SHUTDOWN -> "awaits that its guest shuts down";
            case REBOOT -> "awaits that its guest restarts";
            case PAUSE -> "awaits that it is paused";
            case SUSPEND -> "awaits that its memory is written";
            case MIGRATE -> "awaits that its host begins the transfer";
            default -> "awaits the VM";
        };
    }

    private Duration patience(Operation operation) {
        return switch (operation.kind()) {
            case RUN -> limits.start();
            case SHUTDOWN -> limits.shutdown();
            case POWER_OFF -> limits.stop();
            case REBOOT -> limits.reboot();
            case PAUSE,
                    RESET,
                    CONSOLE_TICKET,
                    CANCEL_MIGRATION,
                    CHANGE_CD,
                    PLUG_DEVICE,
                    UNPLUG_DEVICE ->
                    limits.pause();
            case RESUME -> limits.start();
            case SUSPEND -> limits.suspend();
            // Before the transfer begins, its host lets it wait as long as others are under way.
            case MIGRATE -> limits.turn().plus(limits.migration());
            case ADD_VM, UPDATE_VM, REMOVE_VM, DRAIN, EVACUATE, FENCE -> limits.stop();
        };
    }

    private void await(Draft draft, Duration patience, String step) {
        boolean moves =
                draft.operation().kind() == OperationKind.MIGRATE
                        && draft.task.movesSince() != null;
        draft.go(Phase.AWAITING, moves ? MIGRATES : step);
        draft.effect(new VmEffect.Deadline(moves ? limits.migration() : patience));
        if (isByLease(draft.operation())) {
            // Nothing is shown of such a VM until its new host speaks of it: silence is noticed.
            draft.effect(new VmEffect.Deadline(limits.pause()));
        }
    }

    /**
     * The first word of a migration's progress tells that its transfer began: hosts take a
     * migration at once, and let it wait while as many are under way as they allow.
     */
    private void progressed(Draft draft, int percent) {
        boolean begins = draft.task.movesSince() == null;
        if (begins) {
            draft.task = draft.task.moving(draft.now);
        }
        if (draft.operation().kind() != OperationKind.MIGRATE) {
            return; // it is another operation's migration
        }
        draft.task = draft.task.with(draft.operation().at(percent));
        if (begins && draft.task.phase() == Phase.AWAITING) {
            draft.go(Phase.AWAITING, MIGRATES);
            draft.effect(new VmEffect.Deadline(limits.migration()));
        }
    }

    /** Whether a VM with a lease was not seen on the host that was asked to start it. */
    private static boolean isUnseen(Operation operation, VmFacts vm) {
        return isByLease(operation)
                && vm.status() == VmStatus.UNKNOWN
                && !Objects.equals(vm.runOn(), operation.target());
    }

    private void refused(Draft draft, VmFacts vm, HostFailure failure) {
        Operation operation = draft.operation();
        if (operation.kind() == OperationKind.CANCEL_MIGRATION) {
            notCancelled(draft, vm, failure);
            return;
        }
        if (takesNoMore(operation, failure)) {
            awaitTurn(draft, vm, failure);
            return;
        }
        if (operation.kind().isPlaced() && vm.status() != VmStatus.PAUSED) {
            tryElsewhere(draft, vm, Code.REFUSED, failure.describe());
        } else {
            revert(draft, vm, failure.describe());
            draft.effect(new VmEffect.Release(false));
            draft.fail(Code.REFUSED, failure.describe());
        }
    }

    /**
     * A host refuses to cancel a migration that has ended, which its next report tells, and one
     * that cannot be cancelled any more. After a migration that failed before its transfer began it
     * answers how that one failed: there is nothing left to cancel either.
     */
    private void notCancelled(Draft draft, VmFacts vm, HostFailure failure) {
        HostId host = vm.runOn();
        if (host != null) {
            draft.effect(new VmEffect.Poll(host));
        }
        if (isCalledOff(failure)) {
            accepted(draft, vm);
            return;
        }
        draft.effect(new VmEffect.Release(false));
        if (isRefusedWith(failure, RefusalCode.MIGRATION_NOT_IN_PROGRESS)) {
            draft.fail(
                    Code.ILLEGAL_STATE,
                    "the host answers that no migration is in progress that it could cancel");
        } else {
            draft.fail(Code.REFUSED, failure.describe());
        }
    }

    /** Another host would not be asked either, unless it is the destination that is missing. */
    private void notAsked(Draft draft, VmFacts vm, Code code, String reason) {
        if (draft.operation().kind() == OperationKind.MIGRATE) {
            tryElsewhere(draft, vm, code, reason);
            return;
        }
        revert(draft, vm, reason);
        draft.effect(new VmEffect.Release(false));
        draft.fail(code, reason);
    }

    /** Whether nothing is wrong but that as many migrations are under way as hosts allow. */
    private static boolean takesNoMore(Operation operation, HostFailure failure) {
        return operation.kind() == OperationKind.MIGRATE
                && isRefusedWith(failure, RefusalCode.MIGRATION_LIMIT);
    }

    /** The host is no worse than before: it is looked at again in a while, like the others. */
    private void awaitTurn(Draft draft, VmFacts vm, HostFailure failure) {
        Instant since = draft.operation().startedAt();
        revert(draft, vm, failure.describe());
        draft.effect(new VmEffect.Release(false));
        if (draft.task.cancelled()) {
            draft.end(OperationState.CANCELLED, "was cancelled", null);
        } else if (since != null && !draft.now.isBefore(since.plus(limits.turn()))) {
            draft.fail(
                    Code.REFUSED,
                    "hosts took no more migrations for %d s: %s"
                            .formatted(limits.turn().toSeconds(), failure.describe()));
        } else {
            draft.task = draft.task.with(draft.operation().placed(null, failure.describe()));
            draft.go(Phase.PLACING, "waits until hosts take more migrations");
            draft.effect(new VmEffect.FindHostLater(limits.turnRetry()));
        }
    }

    /**
     * Whether the host that a VM is to be started on has said meanwhile that it has a process of
     * it, as one does where the VM arrived by a migration that was thought to have failed: such a
     * VM is neither down nor to be started elsewhere, whatever the host answers.
     */
    private static boolean isSaidToHaveBegun(Operation operation, VmFacts vm) {
        return (operation.kind() == OperationKind.RUN || operation.kind() == OperationKind.RESUME)
                && vm.status() == VmStatus.WAIT_FOR_LAUNCH
                && vm.saidToRun();
    }

    /** Whether the host's answer is the end: nothing that it reports later tells of it. */
    private static boolean isDoneWhenAnswered(OperationKind kind) {
        return switch (kind) {
            case CONSOLE_TICKET, RESET, CHANGE_CD, PLUG_DEVICE, UNPLUG_DEVICE -> true;
            case RUN,
                    SHUTDOWN,
                    POWER_OFF,
                    REBOOT,
                    PAUSE,
                    RESUME,
                    SUSPEND,
                    MIGRATE,
                    CANCEL_MIGRATION,
                    ADD_VM,
                    UPDATE_VM,
                    REMOVE_VM,
                    DRAIN,
                    EVACUATE,
                    FENCE ->
                    false;
        };
    }

    /** Nobody knows what the host did: it will say so itself, or stop responding. */
    private void unanswered(Draft draft, VmFacts vm, HostFailure failure) {
        if (isDoneWhenAnswered(draft.operation().kind())) {
            draft.effect(new VmEffect.Release(false));
            draft.fail(Code.HOST_LOST, failure.describe());
            return;
        }
        awaitItsWord(draft, vm, "did not answer: " + failure.describe());
    }

    /** Nobody knows what the host did: it will say so itself, or stop responding. */
    private void awaitItsWord(Draft draft, VmFacts vm, String what) {
        HostId host = where(draft.operation(), vm);
        draft.task = draft.task.lingering(true);
        draft.effect(new VmEffect.Release(true));
        await(draft, patience(draft.operation()), "awaits what the host says, which " + what);
        if (host != null) {
            draft.effect(new VmEffect.Poll(host));
        }
        goElsewhereOrLook(draft, vm);
    }

    // --------------------------------------------------------------------------------- awaiting

    private void look(Draft draft, VmFacts vm) {
        if (!isAtRest(draft.operation(), vm)) {
            draft.task = draft.task.hasLeft();
        }
        if (isReached(draft.task, vm)) {
            draft.succeed(reached(draft.operation(), vm));
            return;
        }
        if (draft.operation().kind() == OperationKind.SUSPEND
                && draft.task.mayLinger()
                && vm.status() == VmStatus.UP) {
            draft.task = draft.task.lingering(false); // its host was never asked
            begin(draft, vm);
            return;
        }
        OperationFailure missed = missed(draft.task, vm);
        if (missed == null) {
            if (!isForgotten(draft.task, vm)) {
                if (draft.operation().kind() == OperationKind.MIGRATE) {
                    draft.task = draft.task.isAtRest(); // it may be forgotten once more
                }
            } else if (!draft.task.left()) {
                // What monitoring left to be done, if anything, comes once it is durable.
                draft.task = draft.task.hasLeft();
                draft.effect(new VmEffect.Deadline(limits.pause()));
            }
            if (draft.operation().kind() == OperationKind.RUN
                    && vm.status() == VmStatus.POWERING_UP) {
                draft.task = draft.task.with(draft.operation().at(50));
            }
        } else if (draft.task.cancelled()) {
            draft.end(OperationState.CANCELLED, "was cancelled", null);
        } else {
            draft.end(OperationState.FAILED, "failed", missed);
        }
    }

    /** Whether a VM does not migrate any more, and monitoring waits for it no more. */
    private static boolean isForgotten(VmTask task, VmFacts vm) {
        return task.operation().kind() == OperationKind.MIGRATE
                && !vm.status().isMigrating()
                && vm.commands().inFlight() != InFlight.MIGRATE
                && !Objects.equals(vm.runOn(), task.operation().target());
    }

    /** Whether the VM is as it was before the operation. */
    private static boolean isAtRest(Operation operation, VmFacts vm) {
        return operation.kind() != OperationKind.REBOOT || vm.status() == VmStatus.UP;
    }

    private static boolean isReached(VmTask task, VmFacts vm) {
        Operation operation = task.operation();
        VmStatus status = vm.status();
        return switch (operation.kind()) {
            // What migrates has been launched: the migration is another operation's business.
            case RUN ->
                    ((status == VmStatus.UP || status == VmStatus.MIGRATING_FROM)
                                    && isOwnRun(operation, vm))
                            || (isPausedStart(operation) && status == VmStatus.PAUSED);
            case RESUME ->
                    status == VmStatus.UP
                            || status == VmStatus.MIGRATING_FROM
                            || (status == VmStatus.POWERING_UP && operation.target() == null);
            case SHUTDOWN, POWER_OFF -> status == VmStatus.DOWN;
            case REBOOT ->
                    isCold(operation)
                            ? status == VmStatus.UP && vm.generation() > operation.generation()
                            : status == VmStatus.REBOOT_IN_PROGRESS
                                    || (task.left() && status == VmStatus.UP);
            case PAUSE -> status == VmStatus.PAUSED;
            case SUSPEND -> status == VmStatus.SUSPENDED;
            case MIGRATE ->
                    Objects.equals(vm.runOn(), operation.target())
                            && (status.isRunning() || status == VmStatus.PAUSED)
                            && !status.isMigrating();
            case CANCEL_MIGRATION ->
                    !status.isMigrating()
                            && status.isRunningOrPaused()
                            && vm.placement().migratingTo() == null;
            case RESET,
                    CONSOLE_TICKET,
                    CHANGE_CD,
                    PLUG_DEVICE,
                    UNPLUG_DEVICE,
                    ADD_VM,
                    UPDATE_VM,
                    REMOVE_VM,
                    DRAIN,
                    EVACUATE,
                    FENCE ->
                    true;
        };
    }

    private static String reached(Operation operation, VmFacts vm) {
        return switch (operation.kind()) {
            case MIGRATE -> "arrived";
            default -> "the VM is " + vm.status().label();
        };
    }

    /** Whether the run that is seen is one that this operation began. */
    private static boolean isOwnRun(Operation operation, VmFacts vm) {
        return isByLease(operation)
                ? Objects.equals(vm.runOn(), operation.target())
                : vm.generation() > operation.generation();
    }

    /** Why what was asked for will not be reached any more; null while it may be. */
    private static @Nullable OperationFailure missed(VmTask task, VmFacts vm) {
        Operation operation = task.operation();
        VmStatus status = vm.status();
        boolean byLease = isByLease(operation);
        if (status == VmStatus.UNKNOWN && !byLease) {
            return new OperationFailure(
                    Code.HOST_LOST, "its host stopped responding; its state is unknown");
        }
        if (status.isNotRunning()) {
            return missedByEnd(operation, vm);
        }
        return switch (operation.kind()) {
            case RUN, RESUME -> {
                if (status == VmStatus.POWERING_DOWN) {
                    yield new OperationFailure(Code.OVERTAKEN, "it was shut down before it was up");
                }
                yield status == VmStatus.PAUSED
                                && !isPausedStart(operation)
                                && operation.target() != null
                        ? notReached("it is paused: " + vm.runtime().pauseStatus())
                        : null;
            }
            case SHUTDOWN ->
                    status == VmStatus.UP
                            ? notReached("its guest did not shut down; it can be powered off")
                            : null;
            case SUSPEND ->
                    status == VmStatus.UP || status == VmStatus.PAUSED
                            ? notReached("its memory was not written")
                            : null;
            case PAUSE -> null;
            default -> null;
        };
    }

    private static @Nullable OperationFailure missedByEnd(Operation operation, VmFacts vm) {
        boolean failed = vm.runtime().exitStatus() == ExitStatus.ERROR;
        return switch (operation.kind()) {
            // Monitoring queues what follows from a failed start; it comes as TryElsewhere.
            case RUN, RESUME ->
                    failed || vm.generation() == operation.generation()
                            ? null
                            : notReached("it ended" + because(vm));
            // Its starts are tried again by whoever began them.
            case REBOOT ->
                    isCold(operation) && (!failed || vm.generation() > operation.generation())
                            ? null
                            : notReached("it ended" + because(vm));
            default -> notReached("it ended" + because(vm));
        };
    }

    private static String because(VmFacts vm) {
        String message = vm.runtime().exitMessage();
        return message == null || message.isEmpty() ? "" : ": " + message;
    }

    private static OperationFailure notReached(String reason) {
        return new OperationFailure(Code.NOT_REACHED, reason);
    }

    private static String failureText(Draft draft, VmFacts vm) {
        return (draft.operation().kind() == OperationKind.MIGRATE
                        ? "the migration failed"
                        : "the start failed")
                + because(vm);
    }

    private void timedOut(Draft draft, VmFacts vm) {
        switch (draft.task.phase()) {
            case AWAITING -> {
                Operation operation = draft.operation();
                if (isUnseen(operation, vm) && operation.target() != null) {
                    draft.task = draft.task.lingering(true);
                    tryElsewhere(draft, vm, Code.NOT_REACHED, "its new host does not run it");
                    return;
                }
                Instant moves = draft.task.movesSince();
                if (operation.kind() == OperationKind.MIGRATE
                        && moves != null
                        && !isForgotten(draft.task, vm)
                        && draft.now.isBefore(moves.plus(limits.migration()))) {
                    return; // the patience of one that waited in its host; it moves since
                }
                if (mayAwaitItsTurn(draft, vm)) {
                    draft.effect(new VmEffect.Deadline(limits.pause()));
                    return;
                }
                Instant began = operation.startedAt();
                if (isByLease(operation)
                        && began != null
                        && draft.now.isBefore(began.plus(limits.start()))) {
                    return; // it was seen, and may take its time
                }
                if (draft.operation().kind() == OperationKind.REBOOT && isCold(draft.operation())) {
                    draft.effect(
                            new VmEffect.Change(
                                    vm.runtime(),
                                    vm.placement(),
                                    new VmCommands(vm.commands().inFlight(), false, false),
                                    false));
                }
                if (isForgotten(draft.task, vm)) {
                    if (draft.task.cancelled()) {
                        draft.end(OperationState.CANCELLED, "was cancelled", null);
                        return;
                    }
                    draft.fail(
                            Code.NOT_REACHED,
                            "it does not migrate any more: the VM is " + vm.status().label());
                    return;
                }
                draft.fail(
                        Code.TIMED_OUT,
                        "it took longer than %s s; the VM is %s"
                                .formatted(
                                        (moves == null
                                                        ? patience(draft.operation())
                                                        : limits.migration())
                                                .toSeconds(),
                                        vm.status().label()));
            }
            case RESUMING -> admitAgain(draft, vm);
            case CALLING -> draft.effect(new VmEffect.Release(true)); // the call goes on
            default -> {}
        }
    }

    /**
     * Whether the migration that is to be cancelled may wait in its host still: it is called off
     * there when its turn comes.
     */
    private boolean mayAwaitItsTurn(Draft draft, VmFacts vm) {
        Instant began = draft.operation().startedAt();
        return draft.operation().kind() == OperationKind.CANCEL_MIGRATION
                && vm.status() == VmStatus.MIGRATING_FROM
                && draft.task.movesSince() == null
                && began != null
                && draft.now.isBefore(began.plus(limits.turn()));
    }

    /** What the host was asked for, it does: whoever asked for it has it call that off. */
    private static void cancel(Draft draft, VmFacts vm) {
        switch (draft.task.phase()) {
            case QUEUED, RESUMING, PLACING, PREPARING ->
                    draft.end(OperationState.CANCELLED, "was cancelled before it began", null);
            case COMMITTING -> {
                if (draft.operation().kind() == OperationKind.MIGRATE) {
                    revert(draft, vm, "was cancelled");
                    draft.effect(new VmEffect.Release(false));
                    draft.end(
                            OperationState.CANCELLED,
                            "was cancelled before its host was asked",
                            null);
                } else {
                    draft.task = draft.task.taggedCancelled();
                }
            }
            case CALLING, CLEARING, AWAITING, ENDED -> draft.task = draft.task.taggedCancelled();
        }
    }

    // -------------------------------------------------------------------------- failed attempts

    /** A start or migration failed on its target. */
    private void tryElsewhere(Draft draft, VmFacts vm, Code code, String reason) {
        Operation operation = draft.operation();
        HostId last = operation.target();
        boolean mayLinger = draft.task.mayLinger() && operation.kind() != OperationKind.MIGRATE;
        revert(draft, vm, reason);
        draft.effect(new VmEffect.Release(false));
        draft.task = draft.task.failedOnTarget(reason);
        if (endsHere(draft, code, reason)) {
            return;
        }
        if (mayLinger && last != null) {
            clear(draft, last);
        } else {
            nextHost(draft);
        }
    }

    /**
     * A VM that its host does not launch is started elsewhere, after what is left of it there is
     * removed; one that may run on that host only, that was tried on as many as it may or that was
     * taken back, ends then. What the host reports until then is about the start that is given up.
     */
    private void leaveHost(Draft draft, VmFacts vm, HostId host, String why) {
        Operation operation = draft.operation();
        boolean may =
                operation.kind() == OperationKind.RUN
                        && !isByLease(operation)
                        && vm.status() == VmStatus.WAIT_FOR_LAUNCH
                        && host.equals(vm.runOn())
                        && host.equals(operation.target());
        if (may) {
            revert(draft, vm, why);
            draft.effect(new VmEffect.Release(false));
            draft.task = draft.task.lingering(true).failedOnTarget(why);
            clear(draft, host);
            draft.effect(new VmEffect.Hold());
        }
    }

    private static void clear(Draft draft, HostId host) {
        draft.go(Phase.CLEARING, "removes what is left of the failed start");
        draft.effect(new VmEffect.Call(host, VmVerb.DESTROY));
    }

    /** Nothing is left of the start on the host where it failed last. */
    private void cleared(Draft draft) {
        Operation operation = draft.operation();
        List<HostId> tried = operation.tried();
        HostId only = pinned(operation);
        if (only != null && !draft.task.cancelled()) {
            draft.fail(
                    Code.NO_HOST,
                    "it may run on %s only: %s"
                            .formatted(names.apply(only), answer(draft.task, only)));
        } else if (tried.isEmpty()
                || !endsHere(draft, Code.NOT_REACHED, answer(draft.task, tried.getLast()))) {
            nextHost(draft);
        }
    }

    /** Nothing was asked of the target yet: another host may do. */
    private void notStarted(Draft draft, Code code, String reason) {
        draft.task = draft.task.failedOnTarget(reason);
        if (!endsHere(draft, code, reason)) {
            nextHost(draft);
        }
    }

    /** Ends an operation that failed on its last target if it is not to be tried elsewhere. */
    private boolean endsHere(Draft draft, Code code, String reason) {
        if (draft.task.cancelled()) {
            draft.end(OperationState.CANCELLED, "was cancelled", null);
            return true;
        }
        if (draft.operation().tried().size() >= limits.mostHosts()
                || pinned(draft.operation()) != null) {
            draft.fail(
                    code,
                    draft.operation().tried().size() > 1
                            ? "it was tried on %d hosts: %s"
                                    .formatted(draft.operation().tried().size(), answers(draft))
                            : reason);
            return true;
        }
        return false;
    }

    /** Each host on which it failed, with its answer. */
    private String answers(Draft draft) {
        return draft.operation().tried().stream()
                .map(host -> names.apply(host) + ": " + answer(draft.task, host))
                .collect(Collectors.joining("; "));
    }

    private static String answer(VmTask task, HostId host) {
        for (Operation.Attempt attempt : task.operation().attempts()) {
            if (attempt.host().equals(host) && !attempt.answer().isEmpty()) {
                return attempt.answer();
            }
        }
        return "it was tried by an earlier version of the engine, which did not keep its answer";
    }

    private static @Nullable HostId pinned(Operation operation) {
        return switch (operation.parameters()) {
            case OperationParameters.Run run -> run.host();
            case OperationParameters.Migrate migrate -> migrate.host();
            default -> null;
        };
    }

    private static void nextHost(Draft draft) {
        draft.go(Phase.PLACING, "looks for another host");
        draft.effect(new VmEffect.FindHost());
    }

    private void nowhere(Draft draft, String why) {
        if (draft.operation().tried().isEmpty()) {
            draft.fail(Code.NO_HOST, why);
        } else {
            draft.fail(
                    Code.NO_HOST,
                    "it failed where it was tried (%s), and no other host will do: %s"
                            .formatted(answers(draft), why));
        }
    }

    private void fail(Draft draft, VmFacts vm, Code code, String reason) {
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH) {
            revert(draft, vm, reason);
        }
        draft.effect(new VmEffect.Release(false));
        draft.fail(code, reason);
    }

    /** What was made known did not come true; whatever hosts said since is left as it is. */
    private static void revert(Draft draft, VmFacts vm, String reason) {
        VmRuntime runtime = vm.runtime();
        VmPlacement placement = vm.placement();
        switch (draft.operation().kind()) {
            case RUN, RESUME -> {
                if (draft.operation().kind() == OperationKind.RESUME
                        && vm.status() == VmStatus.DOWN
                        && vm.runtime().exitStatus() == ExitStatus.ERROR) {
                    // It did not wake up; its memory is where it was.
                    draft.effect(
                            new VmEffect.Change(
                                    runtime.with(RuntimeField.STATUS, VmStatus.SUSPENDED),
                                    placement,
                                    VmCommands.NONE,
                                    false));
                    return;
                }
                if (vm.status() != VmStatus.WAIT_FOR_LAUNCH
                        || !Objects.equals(vm.runOn(), draft.operation().target())) {
                    draft.effect(dropped(vm));
                    return;
                }
                runtime =
                        draft.operation().kind() == OperationKind.RESUME
                                ? runtime.with(RuntimeField.STATUS, VmStatus.SUSPENDED)
                                : down(runtime, ExitStatus.ERROR, reason);
                placement =
                        placement
                                .withRunOn(null)
                                .withLastStop(draft.now)
                                .withRun(placement.run().ended());
            }
            case MIGRATE -> {
                if (vm.status() != VmStatus.MIGRATING_FROM) {
                    draft.effect(dropped(vm));
                    return;
                }
                runtime = runtime.with(RuntimeField.STATUS, draft.task.before());
                placement = placement.withMigratingTo(null);
            }
            case SHUTDOWN, POWER_OFF, REBOOT -> {
                placement = placement.withRun(placement.run().withStopReason(null));
                if (vm.status() == VmStatus.POWERING_DOWN) {
                    runtime = runtime.with(RuntimeField.STATUS, draft.task.before());
                }
            }
            case SUSPEND -> {
                if (vm.status() == VmStatus.SAVING_STATE) {
                    runtime = runtime.with(RuntimeField.STATUS, draft.task.before());
                }
            }
            default -> {
                return;
            }
        }
        draft.effect(new VmEffect.Change(runtime, placement, VmCommands.NONE, false));
        HostId host = vm.runOn();
        if (host != null && draft.operation().kind() != OperationKind.RUN) {
            draft.effect(new VmEffect.Poll(host)); // it may be in another status by now
        }
    }

    private static VmEffect.Change dropped(VmFacts vm) {
        return new VmEffect.Change(vm.runtime(), vm.placement(), vm.commands().dropped(), false);
    }

    // --------------------------------------------------------------------------------- resuming

    /** The engine was restarted: how far it came is read from the VM. */
    private void resume(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        VmStatus status = vm.status();
        switch (operation.kind()) {
            case RUN, RESUME -> resumeStart(draft, vm);
            case MIGRATE -> {
                if (status == VmStatus.MIGRATING_FROM || status == VmStatus.MIGRATING_TO) {
                    draft.task =
                            draft.task.with(
                                    operation.placed(
                                            status == VmStatus.MIGRATING_FROM
                                                    ? vm.placement().migratingTo()
                                                    : vm.runOn(),
                                            operation.explanation()));
                    follow(draft, vm, InFlight.MIGRATE);
                } else if (operation.target() != null
                        && Objects.equals(vm.runOn(), operation.target())) {
                    draft.task = draft.task.in(Phase.AWAITING, operation);
                    look(draft, vm);
                } else {
                    admitAgain(draft, vm);
                }
            }
            case CONSOLE_TICKET ->
                    draft.fail(
                            Code.INTERRUPTED,
                            "the engine was restarted, and keeps no passwords; ask again");
            case RESET, CHANGE_CD, PLUG_DEVICE, UNPLUG_DEVICE ->
                    draft.fail(
                            Code.INTERRUPTED,
                            "the engine was restarted before the host answered; it is not repeated,"
                                    + " because it may have been done");
            case POWER_OFF -> {
                if (status == VmStatus.POWERING_DOWN || status.isRunningOrPaused()) {
                    draft.task = draft.task.in(Phase.QUEUED, operation);
                    begin(draft, vm); // what is gone is not removed twice
                } else {
                    awaitAgain(draft, vm);
                }
            }
            case CANCEL_MIGRATION -> {
                if (status == VmStatus.MIGRATING_FROM) {
                    call(draft, vm);
                } else {
                    awaitAgain(draft, vm);
                }
            }
            case REBOOT -> resumeReboot(draft, vm);
            default -> {
                boolean begun =
                        switch (operation.kind()) {
                            case SHUTDOWN -> status == VmStatus.POWERING_DOWN;
                            case SUSPEND -> status == VmStatus.SAVING_STATE;
                            default -> false;
                        };
                if (begun && operation.kind() == OperationKind.SHUTDOWN) {
                    // Whether the host was asked is not known; to ask again does no harm.
                    call(draft, vm);
                } else if (begun) {
                    resumeSuspend(draft, vm);
                } else if (status.isNotRunning() || isReached(draft.task, vm)) {
                    awaitAgain(draft, vm);
                } else {
                    admitAgain(draft, vm);
                }
            }
        }
    }

    /**
     * Begins what may not have begun. It was admitted for a state of the VM that may not have
     * become durable: if it would be refused now, hosts are given time to say so again.
     */
    private void admitAgain(Draft draft, VmFacts vm) {
        if (draft.task.phase() != Phase.RESUMING && mayBeOutdated(draft.task, vm)) {
            draft.go(Phase.RESUMING, "awaits what hosts say of the VM");
            draft.effect(new VmEffect.Deadline(limits.pause()));
            HostId host = vm.runOn();
            if (host != null) {
                draft.effect(new VmEffect.Poll(host));
            }
        } else {
            draft.task = draft.task.in(Phase.QUEUED, draft.operation());
            admit(draft, vm);
        }
    }

    /** Whether it would be refused for a status of which a host will say whether it is true. */
    private static boolean mayBeOutdated(VmTask task, VmFacts vm) {
        Operation operation = task.operation();
        return vm.status().isRunningOrPaused()
                && VmRules.refusal(operation.kind(), operation.parameters(), vm) != null;
    }

    /**
     * Whether the host was asked to save the memory is not known, and to ask twice could spoil what
     * is being saved: a host that was not asked says soon that the VM is up, and is asked then.
     */
    private void resumeSuspend(Draft draft, VmFacts vm) {
        draft.task = draft.task.lingering(true);
        awaitAgain(draft, vm);
        HostId host = vm.runOn();
        if (host != null) {
            draft.effect(new VmEffect.Poll(host));
        }
    }

    private void resumeReboot(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        VmStatus status = vm.status();
        if (!isCold(operation)) {
            if (status == VmStatus.UP || status == VmStatus.POWERING_UP) {
                draft.fail(
                        Code.INTERRUPTED,
                        "the engine was restarted before the guest was seen to restart; it is not"
                                + " repeated, because it may have been done");
            } else {
                draft.task = draft.task.hasLeft();
                awaitAgain(draft, vm);
            }
        } else if (status == VmStatus.POWERING_DOWN) {
            draft.effect(
                    new VmEffect.Change(
                            vm.runtime(),
                            vm.placement(),
                            new VmCommands(InFlight.NONE, true, false),
                            false));
            call(draft, vm); // to ask again does no harm
        } else if (vm.generation() > operation.generation() || status.isNotRunning()) {
            awaitAgain(draft, vm);
        } else {
            admitAgain(draft, vm);
        }
    }

    private void resumeStart(Draft draft, VmFacts vm) {
        Operation operation = draft.operation();
        VmStatus status = vm.status();
        boolean own = isByLease(operation) || vm.generation() > operation.generation();
        if (status == VmStatus.PAUSED && operation.kind() == OperationKind.RESUME) {
            draft.task = draft.task.in(Phase.QUEUED, operation);
            admit(draft, vm);
        } else if (status.isRunningOrPaused() && own) {
            draft.task =
                    draft.task
                            .with(operation.placed(vm.runOn(), operation.explanation()))
                            .lingering(true);
            follow(draft, vm, InFlight.RUN);
        } else if (status == VmStatus.DOWN && own && !isByLease(operation)) {
            if (vm.runtime().exitStatus() == ExitStatus.ERROR) {
                draft.task = draft.task.in(Phase.AWAITING, operation).lingering(true);
                tryElsewhere(draft, vm, Code.NOT_REACHED, failureText(draft, vm));
            } else {
                draft.fail(Code.NOT_REACHED, "it ended" + because(vm));
            }
        } else if (isByLease(operation) && operation.target() != null) {
            draft.task = draft.task.lingering(true);
            follow(draft, vm, InFlight.RUN);
        } else {
            admitAgain(draft, vm);
        }
    }

    /** Waits again for what hosts say, as if they had just been asked. */
    private void follow(Draft draft, VmFacts vm, InFlight which) {
        boolean pending =
                which == InFlight.MIGRATE
                        || vm.status() == VmStatus.WAIT_FOR_LAUNCH
                        || vm.status() == VmStatus.POWERING_UP
                        || isByLease(draft.operation());
        if (pending) {
            draft.effect(
                    new VmEffect.Change(
                            vm.runtime(),
                            vm.placement(),
                            new VmCommands(
                                    which,
                                    false,
                                    false,
                                    isByLease(draft.operation())
                                            ? draft.operation().target()
                                            : null),
                            false));
        }
        awaitAgain(draft, vm);
    }

    private void awaitAgain(Draft draft, VmFacts vm) {
        await(draft, patience(draft.operation()), awaits(draft.operation()));
        look(draft, vm);
    }

    // ------------------------------------------------------------------------------- parameters

    private static boolean isByLease(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Run run
                && run.cause() == OperationParameters.Cause.LEASE;
    }

    private static boolean isPausedStart(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Run run && run.paused();
    }

    private static boolean isCold(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Reboot reboot && reboot.cold();
    }

    /** A step under construction. */
    private static final class Draft {
        VmTask task;
        final Instant now;
        final List<VmEffect> effects = new ArrayList<>(4);

        Draft(VmTask task, Instant now) {
            this.task = task;
            this.now = now;
        }

        Operation operation() {
            return task.operation();
        }

        HostId target() {
            return Objects.requireNonNull(task.operation().target(), "no host was chosen");
        }

        void effect(VmEffect effect) {
            effects.add(effect);
        }

        void go(Phase phase, String step) {
            task = task.in(phase, task.operation().doing(step, now));
        }

        void succeed(String result) {
            end(OperationState.SUCCEEDED, result, null);
        }

        void fail(Code code, String reason) {
            end(OperationState.FAILED, "failed", new OperationFailure(code, reason));
        }

        void end(OperationState state, String result, @Nullable OperationFailure why) {
            task = task.in(Phase.ENDED, task.operation().ended(state, result, why, now));
        }

        VmStep step() {
            return new VmStep(task, effects);
        }
    }
}
