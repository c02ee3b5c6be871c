package org.stillwater.command.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.StoreExecutor;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.operation.Answer.Why;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.command.AutoStartQueue;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * Does the work that monitoring leaves to commands: restarts VMs, continues operations on another
 * host, and ends work that needs no action. Used by the deciding thread only.
 */
final class PendingWorkRunner {

    private static final Logger LOG = LoggerFactory.getLogger(PendingWorkRunner.class);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private final CommandEngine commands;
    private final CommandContext context;
    private final CommandSettings settings;
    private final FleetReader fleet;
    private final VmCommandAccess vmAccess;
    private final OperationStore store;
    private final Definitions definitions;
    private final EngineClock clock;
    private final OperationRegistry registry;
    private final StoreExecutor storeExecutor;
    private final ThrottledLog warnings;
    private final AutoStartQueue autoStart;
    private final List<PendingWork> needless = new ArrayList<>();
    private boolean discharging;
    private boolean lookAtStarts;

    PendingWorkRunner(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.settings = context.settings();
        this.fleet = context.fleet();
        this.vmAccess = context.vmAccess();
        this.store = context.store();
        this.definitions = commands.definitions();
        this.clock = context.clock();
        this.registry = context.registry();
        this.storeExecutor = context.storeExecutor();
        this.warnings = context.warnings();
        this.autoStart = new AutoStartQueue(settings.autoStart());
    }

    /** Monitoring left something to be done, and it is durable. */
    void opened(PendingWork work) {
        if (settings.shadow()) {
            needless.add(work); // the other engine does it
            return;
        }
        switch (work.kind()) {
            case HA_RESTART, COLD_REBOOT -> register(work);
            case RERUN, RERUN_MIGRATION -> rerun(work);
            case PROCESS_DOWN -> needless.add(work);
        }
    }

    private void register(PendingWork work) {
        PendingWork replaced = autoStart.register(work, clock.nanoTime());
        if (replaced != null) {
            needless.add(replaced);
        }
        lookAtStarts = true;
    }

    /** A start or migration failed: its initiator tries elsewhere. */
    private void rerun(PendingWork work) {
        OperationKind kind =
                work.kind() == WorkKind.RERUN_MIGRATION ? OperationKind.MIGRATE : OperationKind.RUN;
        for (VmTask task : registry.on(work.vmId())) {
            Operation operation = task.operation();
            boolean waits =
                    operation.kind() == kind
                            || (kind == OperationKind.RUN
                                    && operation.kind() == OperationKind.RESUME);
            if (waits) {
                takeOver(work, operation);
                return;
            }
        }
        VmView vm = fleet.vm(work.vmId());
        boolean failed =
                kind == OperationKind.RUN && vm != null && vm.definition().highlyAvailable();
        if (failed) {
            register(work); // its initiator has given up; it is to run anyway
        } else {
            needless.add(work);
        }
    }

    private void takeOver(PendingWork work, Operation operation) {
        storeExecutor.submit(
                () -> {
                    Set<UUID> taken = store.takeOver(List.of(new Begun(operation, work, null)));
                    context.durability().kept();
                    context.post(() -> {
                        vmAccess.workTaken(work);
                        if (taken.contains(operation.id())) {
                            context.fact(
                                    operation.id(), new VmFact.TryElsewhere(work.generation()));
                        }
                    });
                },
                failure -> {
                    notTaken(failure);
                    context.post(() -> context.after(pause(failure), () -> rerun(work)));
                });
    }

    private void notTaken(Throwable failure) {
        warnings.about("work not taken over", String.valueOf(failure.getMessage()));
        context.durability().lost(failure.toString());
    }

    /** An absent database is tried again soon, a defective store later. */
    private Duration pause(Throwable failure) {
        return failure instanceof StoreUnavailable
                ? settings.firstRetry()
                : settings.longestRetry();
    }

    boolean dischargeAll() {
        if (needless.isEmpty() || discharging) {
            return false;
        }
        List<PendingWork> all = List.copyOf(needless);
        needless.clear();
        discharging = true;
        Instant now = clock.now();
        storeExecutor.submit(
                () -> {
                    store.discharge(all, now);
                    context.durability().kept();
                    context.post(() -> {
                        discharging = false;
                        all.forEach(vmAccess::workTaken);
                    });
                },
                failure -> {
                    context.durability().lost(failure.toString());
                    context.post(() -> notDischarged(all, failure));
                });
        return true;
    }

    /**
     * Tries again; if the store itself fails, one by one, so that one does not affect the others.
     */
    private void notDischarged(List<PendingWork> all, Throwable failure) {
        warnings.about("work not ended", String.valueOf(failure.getMessage()));
        boolean apart = !(failure instanceof StoreUnavailable) && all.size() > 1;
        if (apart) {
            discharging = false;
            Instant now = clock.now();
            all.forEach(work -> dischargeAlone(work, now));
            return;
        }
        context.after(
                settings.longestRetry(),
                () -> {
                    discharging = false;
                    needless.addAll(all);
                });
    }

    private void dischargeAlone(PendingWork work, Instant now) {
        storeExecutor.submit(
                () -> {
                    store.discharge(List.of(work), now);
                    context.durability().kept();
                    context.post(() -> vmAccess.workTaken(work));
                },
                failure -> {
                    context.durability().lost(failure.toString());
                    context.post(() ->
                            context.after(
                                    settings.longestRetry(),
                                    () -> dischargeAlone(work, clock.now())));
                });
    }

    /** Starts the VMs that are due to start automatically. */
    boolean startAutomatically(long now) {
        OptionalLong due = autoStart.nextLookNanos(now);
        if (!lookAtStarts && (due.isEmpty() || due.getAsLong() - now > 0)) {
            return false;
        }
        if (autoStart.size() == 0) {
            lookAtStarts = false;
            return false;
        }
        AutoStartQueue.Look look =
                autoStart.look(this::factsOf, definitions::priority, this::isBusyForStart, now);
        lookAtStarts = false;
        needless.addAll(look.needless());
        for (AutoStartQueue.Start start : look.starts()) {
            boolean begun = context.guarded(() -> begin(start, now));
            if (!begun) {
                autoStart.notBegun(start.vm(), now);
            }
        }
        return !look.starts().isEmpty();
    }

    private void begin(AutoStartQueue.Start start, long now) {
        Operation.Origin origin =
                new Operation.Origin(
                        "engine",
                        start.cause() == Cause.COLD_REBOOT ? "cold reboot" : "high availability");
        OperationRequest wish =
                new OperationRequest(
                        start.vm(),
                        OperationKind.RUN,
                        new OperationParameters.Run(null, false, start.cause()));
        CompletableFuture<Answer> answer = commands.admission().submit(wish, origin, start.work());
        if (answer.isDone() && answer.join() instanceof Answer.Refused(Why why, String reason)) {
            LOG.info("vm={} not started again yet: {} {}", start.vm(), why, reason);
            autoStart.notBegun(start.vm(), now);
        }
    }

    private @Nullable VmFacts factsOf(VmId id) {
        VmView vm = fleet.vm(id);
        return vm == null
                ? null
                : new VmFacts(
                        id,
                        vm.definition(),
                        vm.state().runtime(),
                        vm.state().placement(),
                        org.stillwater.core.vm.VmCommands.NONE);
    }

    /** A start of its own does not keep a VM from being counted as starting. */
    private boolean isBusyForStart(VmId vm) {
        for (VmTask task : registry.on(vm)) {
            OperationKind kind = task.operation().kind();
            boolean coldReboot =
                    task.operation().parameters() instanceof OperationParameters.Reboot reboot
                            && reboot.cold();
            if (kind != OperationKind.CONSOLE_TICKET && !coldReboot) {
                return true;
            }
        }
        return false;
    }

    /** An operation could not begin; if it was a start of the engine's own, it is due again. */
    void notBegun(Operation operation) {
        VmId vm = operation.vm();
        if (vm != null && isAutomatic(causeOf(operation))) {
            autoStart.notBegun(vm, clock.nanoTime());
        }
    }

    private static Cause causeOf(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Run run
                ? run.cause()
                : Cause.REQUEST;
    }

    private static boolean isAutomatic(Cause cause) {
        return cause == Cause.HIGH_AVAILABILITY || cause == Cause.COLD_REBOOT;
    }

    private void startEnded(Operation operation, VmId vm) {
        Cause cause = causeOf(operation);
        if (cause == Cause.LEASE && operation.state() != OperationState.SUCCEEDED) {
            // Work that monitoring found during this start was this operation's to repeat.
            VmView view = fleet.vm(vm);
            if (view != null) {
                resumeStart(view);
            }
            return;
        }
        if (!isAutomatic(cause)) {
            return;
        }
        boolean up = operation.state() == OperationState.SUCCEEDED;
        OperationFailure failure = operation.failure();
        String reason = failure == null ? "" : failure.reason();
        switch (autoStart.ended(vm, up, clock.nanoTime())) {
            case AGAIN ->
                    vmAccess.audit(
                            cause == Cause.HIGH_AVAILABILITY
                                    ? AuditEvent.HA_VM_RESTART_FAILED
                                    : AuditEvent.COLD_REBOOT_FAILED,
                            vm,
                            null,
                            OperationAudit.details(operation, Map.of("reason", reason)));
            case GIVEN_UP ->
                    vmAccess.audit(
                            AuditEvent.EXCEEDED_MAXIMUM_NUM_OF_COLD_REBOOT_VM_ATTEMPTS,
                            vm,
                            null,
                            OperationAudit.details(operation, Map.of("reason", reason)));
            case DONE, UNKNOWN -> {}
        }
    }

    /**
     * Makes the start of a failed, highly available VM due, also if a failed attempt had taken its
     * pending work over: the time of the next attempt was in memory only. An open cold reboot does
     * not start the VM by itself.
     */
    void resumeStart(VmView vm) {
        if (!settings.shadow()
                && vm.definition().highlyAvailable()
                && vm.state().runtime().status() == VmStatus.DOWN
                && vm.state().runtime().exitStatus() == ExitStatus.ERROR
                && !isBusyForStart(vm.id())) {
            autoStart.resume(vm.id(), Cause.HIGH_AVAILABILITY, 0, clock.nanoTime());
            lookAtStarts = true;
        }
    }

    /** A cold reboot with a failed start is due again: its time was in memory only. */
    void resumeColdReboot(VmId id, int failures) {
        VmView vm = fleet.vm(id);
        if (!settings.shadow()
                && vm != null
                && vm.state().runtime().status() == VmStatus.DOWN
                && !isBusyForStart(id)) {
            autoStart.resume(id, Cause.COLD_REBOOT, failures, clock.nanoTime());
            lookAtStarts = true;
        }
    }

    /** Automatic starts are checked in this turn. */
    void lookAtStarts() {
        lookAtStarts = true;
    }

    /** The VM changed: its start may no longer be needed. */
    void changed(VmId vm) {
        lookAtStarts |= autoStart.contains(vm);
    }

    /** An operation on a VM has ended, which may have been a start of the engine's own. */
    void ended(Operation operation, VmId vm) {
        if (operation.kind() == OperationKind.RUN) {
            startEnded(operation, vm);
        }
        changed(vm);
    }

    /** VMs to be started automatically. */
    AutoStartQueue autoStart() {
        return autoStart;
    }

    /** Time until the next start is due, up to a limit. */
    long untilNext(long wait, long now) {
        OptionalLong start = autoStart.nextLookNanos(now);
        return start.isPresent()
                ? Math.min(wait, Math.max(SHORTEST_WAIT.toNanos(), start.getAsLong() - now))
                : wait;
    }
}
