package org.stillwater.command.pool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationAudit;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * Starts the VMs that pools are to have running without a user. While no VM is missing, it does not
 * access the database. Used by the deciding thread only.
 */
final class PoolPrestart {

    private static final Logger LOG = LoggerFactory.getLogger(PoolPrestart.class);

    private final PoolSettings settings;
    private final CommandEngine commands;
    private final CommandContext context;
    private final Collection<VmPool> pools;
    private final ReturnedVms returned;

    /** Starts in a row that failed, by pool. */
    private final Map<UUID, Integer> failures = new HashMap<>();

    private boolean lookIsDue;

    /**
     * Starts VMs of these pools.
     *
     * @param pools changes with the pools
     */
    PoolPrestart(
            PoolSettings settings,
            CommandEngine commands,
            Collection<VmPool> pools,
            ReturnedVms returned) {
        this.settings = settings;
        this.commands = commands;
        this.context = commands.context();
        this.pools = pools;
        this.returned = returned;
    }

    /** Pools whose starts failed too often are tried again. */
    void forgetFailures() {
        failures.clear();
    }

    /** An operation on a VM of a pool has ended. */
    void ended(VmPool pool, Operation operation) {
        VmId vm = operation.vm();
        boolean ours =
                operation.parameters() instanceof OperationParameters.Run run
                        && run.cause() == Cause.POOL;
        if (ours && operation.state() == OperationState.SUCCEEDED) {
            failures.remove(pool.id());
        } else if (ours) {
            failures.merge(pool.id(), 1, Integer::sum);
            OperationFailure failure = operation.failure();
            context.vmAccess()
                    .audit(
                            AuditEvent.VM_FAILED_TO_PRESTART_IN_POOL,
                            vm,
                            null,
                            OperationAudit.details(
                                    operation,
                                    Map.of(
                                            "pool",
                                            pool.name(),
                                            "reason",
                                            failure == null
                                                    ? "it was cancelled"
                                                    : failure.reason())));
        }
        if (!lookIsDue) {
            lookIsDue = true;
            context.after(Duration.ofSeconds(1), this::look);
        }
    }

    /** Starts missing VMs. */
    void look() {
        lookIsDue = false;
        if (commands.settings().shadow()) {
            return;
        }
        for (VmPool pool : pools) {
            if (pool.prestarted() > 0
                    && failures.getOrDefault(pool.id(), 0) < settings.attempts()) {
                boolean _ = context.guarded(() -> look(pool)); // does not affect the others
            }
        }
    }

    private void look(VmPool pool) {
        int ready = 0;
        List<VmId> idle = new ArrayList<>();
        for (Map.Entry<VmId, @Nullable String> member : pool.members().entrySet()) {
            VmId vm = member.getKey();
            if (member.getValue() != null || returned.isEnding(vm)) {
                continue;
            }
            VmView view = context.fleet().vm(vm);
            VmStatus status = view == null ? null : view.state().runtime().status();
            boolean busy = context.registry().isBusy(vm);
            if (isReady(vm, status) || (busy && isStarting(vm))) {
                ready++;
            } else if (status == VmStatus.DOWN && !busy) {
                idle.add(vm);
            }
        }
        int wanted = Math.min(pool.prestarted() - ready, settings.batch());
        if (wanted <= 0 || idle.isEmpty()) {
            return;
        }
        List<OperationRequest> starts = new ArrayList<>();
        for (VmId vm : idle.subList(0, Math.min(wanted, idle.size()))) {
            starts.add(
                    new OperationRequest(
                            vm,
                            OperationKind.RUN,
                            new OperationParameters.Run(null, false, Cause.POOL)));
        }
        LOG.info(
                "pool={} starting {} VMs: {} of {} are ready",
                pool.name(),
                starts.size(),
                ready,
                pool.prestarted());
        List<CompletableFuture<Answer>> _ =
                commands.submit(starts, new Operation.Origin("engine", "pool " + pool.name()));
    }

    /** Whether a user could have it now, or in a moment. */
    private boolean isReady(VmId id, @Nullable VmStatus status) {
        VmView vm = context.fleet().vm(id);
        boolean watched =
                vm != null
                        && (vm.state().placement().run().consoleUser() != null
                                || hasOpenConsole(vm));
        return !watched
                && (status == VmStatus.UP
                        || status == VmStatus.POWERING_UP
                        || status == VmStatus.WAIT_FOR_LAUNCH);
    }

    /** Whether a user looks at its screen. */
    static boolean hasOpenConsole(@Nullable VmView vm) {
        String client = vm == null ? null : vm.state().runtime().clientIp();
        return client != null && !client.isEmpty();
    }

    private boolean isStarting(VmId vm) {
        return context.registry().on(vm).stream()
                .anyMatch(task -> task.operation().kind() == OperationKind.RUN);
    }
}
