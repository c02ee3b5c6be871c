package org.stillwater.command.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.command.storage.Leases;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * Starts VMs with a storage lease elsewhere while their host is silent, the more urgent first
 * (monitoring specification §5.1). The lease, not the engine, sees to it that a VM does not run
 * twice; until one is up elsewhere it stays unknown where it was. A lease in a definition is not
 * enough: the VM's process must have been started with it, see {@link Leases#isHeld}.
 *
 * <p>The operations become durable first, then the work is taken over in the name of the first of
 * them. After a crash in between the work is open and its VMs are busy: no work is lost, no VM is
 * started twice. Used by the deciding thread only.
 */
final class LeaseRestarts {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseRestarts.class);

    private final HostOperationLifecycle lifecycle;
    private final CommandEngine engine;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final ThrottledLog warnings;
    private final Map<HostId, HostWork> waiting = new LinkedHashMap<>();
    private boolean underWay;
    private boolean planned;

    LeaseRestarts(HostOperationLifecycle lifecycle, HostOperationSettings settings) {
        this.lifecycle = lifecycle;
        this.engine = lifecycle.engine();
        this.context = lifecycle.context();
        this.settings = settings;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), context.settings().quietPeriod(), "leases");
    }

    /** Whether a VM is being started by its lease. */
    static boolean isStarting(OperationRegistry registry, VmId vm) {
        return startOf(registry, vm) != null;
    }

    private static @Nullable UUID startOf(OperationRegistry registry, VmId vm) {
        for (VmTask task : registry.on(vm)) {
            if (task.operation().parameters() instanceof OperationParameters.Run run
                    && run.cause() == Cause.LEASE) {
                return task.operation().id();
            }
        }
        return null;
    }

    /**
     * Opens the work about VMs with leases on a silent host. A later attempt replaces an earlier
     * one.
     */
    void opened(HostWork work) {
        HostWork other = waiting.get(work.host());
        if (other == null || other.isReplacedBy(work)) {
            waiting.put(work.host(), work);
        }
        next();
    }

    /** One pass at a time. */
    private void next() {
        for (HostWork work : List.copyOf(waiting.values())) {
            if (underWay) {
                return;
            }
            // A failed check does not affect the other hosts; it is repeated with the next one.
            String piece = "restarts by lease of host " + work.host();
            boolean _ = context.isolated(piece, () -> look(work));
            if (!waiting.containsKey(work.host())) {
                context.forgetPiece(piece);
            }
        }
        if (!waiting.isEmpty() && !underWay && !planned) {
            // Work found at the engine's start waits until the host is found silent again.
            planned = true;
            context.after(
                    settings.look(),
                    () -> {
                        planned = false;
                        next();
                    });
        }
    }

    private void look(HostWork work) {
        HostState host = lifecycle.host(work.host());
        if (!lifecycle.isPresent(work) || host == null) {
            waiting.remove(work.host());
        } else if (host.status() == HostStatus.NON_RESPONSIVE) {
            pass(work);
            waiting.remove(work.host(), work);
        }
    }

    private void pass(HostWork work) {
        List<VmId> candidates = new ArrayList<>();
        UUID owner = null;
        for (VmId vm : context.vmAccess().vmsOn(work.host())) {
            VmView view = context.fleet().vm(vm);
            if (view == null
                    || !view.definition().leased()
                    || view.state().runtime().status() != VmStatus.UNKNOWN
                    || !context.fleet().contested(vm).isEmpty()) {
                continue; // a VM that another host claims to run is not started (ADR 0032)
            }
            UUID begun = startOf(context.registry(), vm);
            if (begun != null) {
                owner = begun;
            } else if (context.registry().isBusy(vm)) {
                LOG.debug("vm={} has an operation under way", vm);
            } else if (engine.isLeaseHeld(view)) {
                candidates.add(vm);
            } else {
                // It could run twice.
                LOG.info("vm={} is not started elsewhere: its lease is not known to be held", vm);
                context.vmAccess().audit(AuditEvent.VM_LEASE_NOT_HELD, vm, work.host(), Map.of());
            }
        }
        candidates.sort(
                Comparator.comparingInt((VmId vm) -> engine.definitions().priority(vm))
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()));
        if (!candidates.isEmpty()) {
            begin(work, candidates);
        } else if (owner != null) {
            underWay = true;
            takeOver(work, owner); // they were begun before a crash
        } else {
            // Stays open until its episode ends or a later attempt replaces it.
            LOG.info("host={} has no VM to be started by its lease now", work.host());
        }
    }

    private void begin(HostWork work, List<VmId> vms) {
        LOG.info("host={} is silent, starting VMs with leases elsewhere: {}", work.host(), vms);
        List<CompletableFuture<Answer>> answers =
                engine.submit(
                        vms.stream()
                                .map(vm ->
                                        new OperationRequest(
                                                vm,
                                                OperationKind.RUN,
                                                new OperationParameters.Run(
                                                        null, false, Cause.LEASE)))
                                .toList(),
                        new Operation.Origin(HostOperationLifecycle.ENGINE, "storage lease"));
        underWay = true;
        CompletableFuture<Void> _ =
                CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                        .whenComplete((_, _) -> context.post(() -> begun(work, answers)));
    }

    private void begun(HostWork work, List<CompletableFuture<Answer>> answers) {
        boolean again = false;
        for (CompletableFuture<Answer> answer : answers) {
            switch (answer.join()) {
                case Answer.Accepted(Operation operation) -> {
                    takeOver(work, operation.id());
                    return;
                }
                case Answer.Refused(Answer.Why why, String reason) -> {
                    again |= why == Answer.Why.UNAVAILABLE || why == Answer.Why.TOO_MUCH;
                    warnings.about("a VM was not started by its lease", reason);
                }
            }
        }
        underWay = false;
        if (again) {
            context.after(context.settings().longestRetry(), () -> opened(work));
        }
        next();
    }

    private void takeOver(HostWork work, UUID owner) {
        context.storeExecutor()
                .submit(
                        () -> {
                            boolean _ = context.pendingWork().takeOver(work, owner);
                            context.post(this::passed);
                        },
                        failure -> context.post(() -> notTaken(work, owner, failure)));
    }

    private void notTaken(HostWork work, UUID owner, Throwable failure) {
        warnings.about("work not taken over", failure.toString());
        if (failure instanceof StoreUnavailable) {
            context.after(context.settings().longestRetry(), () -> takeOver(work, owner));
        } else {
            passed();
        }
    }

    private void passed() {
        underWay = false;
        next();
    }
}
