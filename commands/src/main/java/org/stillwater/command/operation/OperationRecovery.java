package org.stillwater.command.operation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.OperationRegistry;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;

/**
 * Finds the operations again that were under way when the engine stopped. Used once, before any
 * host is watched.
 */
final class OperationRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(OperationRecovery.class);
    private static final Duration RESUME_AFTER = Duration.ofSeconds(5); // work is reported before

    private final CommandEngine commands;
    private final CommandContext context;
    private final FleetReader fleet;
    private final OperationStore store;
    private final EngineClock clock;
    private final OperationRegistry registry;

    OperationRecovery(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.fleet = context.fleet();
        this.store = context.store();
        this.clock = context.clock();
        this.registry = context.registry();
    }

    /** Finds the open operations again; VMs are known, and no host is watched yet. */
    void recover() throws StoreUnavailable {
        commands.definitions().recover();
        commands.volumes().recover();
        commands.leases().recover();
        List<Operation> found = new ArrayList<>();
        store.loadOpen(found::add);
        store.unreadable()
                .forEach((id, reason) ->
                        context.warnings()
                                .about("an operation cannot be read", id + ": " + reason));
        endReplaced(found);
        Map<VmId, Integer> failedReboots = failedColdReboots();
        for (Operation operation : found) {
            registry.restore(operation);
            commands.runner().add(new RunningOperation(VmTask.of(operation)));
        }
        commands.hostCommands().recover(found);
        for (Operation operation : found) {
            VmId vm = operation.vm();
            if (vm == null || CommandEngine.isOfDefinition(operation.kind())) {
                continue;
            }
            if (operation.parameters() instanceof OperationParameters.Run run
                    && (run.cause() == Cause.HIGH_AVAILABILITY
                            || run.cause() == Cause.COLD_REBOOT)) {
                int failures =
                        run.cause() == Cause.COLD_REBOOT ? failedReboots.getOrDefault(vm, 0) : 0;
                commands.workRunner()
                        .autoStart()
                        .adopt(vm, run.cause(), failures, clock.nanoTime());
            }
            context.fact(
                    operation.id(),
                    isUntouched(operation) ? new VmFact.Begin() : new VmFact.Resumed());
            countMigration(operation.id());
        }
        context.after(
                RESUME_AFTER,
                () -> {
                    fleet.vms().forEach(commands.workRunner()::resumeStart);
                    failedReboots.forEach(commands.workRunner()::resumeColdReboot);
                    commands.volumes().lookAtAll();
                    commands.leases().lookAtAll();
                });
        if (!found.isEmpty()) {
            LOG.info("operations that were under way: {}", found.size());
        }
    }

    /** A migration that is under way again, or still, has had its turn. */
    private void countMigration(UUID id) {
        VmTask task = registry.open(id);
        if (task == null || task.operation().kind() != OperationKind.MIGRATE || !task.isBegun()) {
            return;
        }
        VmView view = fleet.vm(Objects.requireNonNull(task.operation().vm()));
        HostId source = view == null ? null : view.state().placement().runOn();
        HostId destination = task.operation().target();
        if (source != null && destination != null) {
            commands.migrations().adopt(id, source, destination);
        }
    }

    /**
     * If two operations exclude each other, the older one had ended before the newer one began, and
     * only its end did not become durable.
     *
     * @param found those that are open, the oldest first
     */
    private void endReplaced(List<Operation> found) {
        Map<VmId, List<Operation>> byVm = new HashMap<>();
        for (Operation operation : found) {
            VmId vm = operation.vm();
            if (vm != null) {
                byVm.computeIfAbsent(vm, _ -> new ArrayList<>(1)).add(operation);
            }
        }
        found.removeIf(operation -> {
            List<Operation> all =
                    operation.vm() == null
                            ? List.of(operation)
                            : byVm.getOrDefault(operation.vm(), List.of());
            if (all.subList(all.indexOf(operation) + 1, all.size()).stream()
                    .allMatch(later -> mayHaveJoined(later, operation))) {
                return false;
            }
            commands.saver()
                    .unsaved(
                            operation.ended(
                                    OperationState.FAILED,
                                    "failed",
                                    new OperationFailure(
                                            OperationFailure.Code.INTERRUPTED,
                                            "it had ended when the engine stopped; its result is"
                                                    + " unknown"),
                                    clock.now()));
            return true;
        });
    }

    /** Whether an operation may have begun although an older one had not ended. */
    private static boolean mayHaveJoined(Operation later, Operation older) {
        return VmRules.mayJoin(later.kind(), VmTask.in(older, VmTask.Phase.AWAITING));
    }

    /**
     * How often the present cold reboot of each VM failed to start it. One that ran since, started
     * by whomever, has a greater run than its attempts can have begun.
     */
    private Map<VmId, Integer> failedColdReboots() throws StoreUnavailable {
        Map<VmId, Integer> failures = new HashMap<>();
        Map<VmId, Operation> last = new HashMap<>();
        store.loadFailedColdReboots(operation -> {
            VmId vm = Objects.requireNonNull(operation.vm());
            failures.merge(vm, 1, Integer::sum);
            last.put(vm, operation);
        });
        failures.keySet()
                .removeIf(vm -> {
                    Operation start = Objects.requireNonNull(last.get(vm));
                    VmView view = fleet.vm(vm);
                    long begun = start.tried().size() + (start.target() == null ? 0L : 1L);
                    return view == null
                            || view.state().placement().run().generation()
                                    > start.generation() + begun;
                });
        return failures;
    }

    /**
     * Whether an operation that the start found had no effect yet. The beginning of a reset or a
     * warm reboot is durable before it runs, because it must not run twice; for other operations
     * the state of the VM decides.
     */
    private static boolean isUntouched(Operation operation) {
        return operation.state() == OperationState.QUEUED
                && switch (operation.kind()) {
                    case RESET -> true;
                    case REBOOT ->
                            operation.parameters() instanceof OperationParameters.Reboot reboot
                                    && !reboot.cold();
                    default -> false;
                };
    }
}
