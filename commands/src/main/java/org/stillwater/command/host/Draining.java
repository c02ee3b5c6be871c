package org.stillwater.command.host;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * Migrates VMs away from hosts: all of them, so that a host can enter maintenance (monitoring
 * specification §3.7), or those that their cluster's policy names, from a host that is not
 * operational (§3.8).
 *
 * <p>The migrations are operations of their own, in one batch that has the drain's identity, placed
 * in one pass. A drain ends when no VM is left, or when those that are left cannot leave. After a
 * restart it examines the remaining VMs, and the migrations of its batch that are under way. VMs of
 * a pool that a hypervisor manages are moved by the pool itself. Used by the deciding thread only.
 */
final class Draining {

    private static final Logger LOG = LoggerFactory.getLogger(Draining.class);

    private final HostOperationLifecycle lifecycle;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final ThrottledLog warnings;
    private final DrainMigrations migrations;
    private final PoolEvacuation evacuation;
    private final Map<UUID, Drain> drains = new LinkedHashMap<>();
    private boolean changed;
    private boolean planned;

    Draining(HostOperationLifecycle lifecycle, HostOperationSettings settings) {
        this.lifecycle = lifecycle;
        this.context = lifecycle.context();
        this.settings = settings;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), context.settings().quietPeriod(), "drain");
        this.migrations =
                new DrainMigrations(
                        lifecycle.engine(), settings, () -> changed = true, this::isCalledOff);
        this.evacuation =
                new PoolEvacuation(
                        lifecycle,
                        settings,
                        () -> changed = true,
                        drain -> drains.remove(drain.operation.id()) != null);
    }

    /** These were open when the engine stopped. */
    void recover(List<Operation> open) {
        for (Operation operation : open) {
            if (operation.kind() == OperationKind.DRAIN
                    || operation.kind() == OperationKind.EVACUATE) {
                Drain drain = new Drain(operation, context.clock().nanoTime());
                drains.put(operation.id(), drain);
            }
        }
        for (Operation operation : open) {
            UUID batch = operation.origin().batch();
            Drain drain = batch == null ? null : drains.get(batch);
            VmId vm = operation.vm();
            if (drain != null && vm != null) {
                drain.children.put(vm, operation.id());
                drain.position = Math.max(drain.position, operation.origin().position() + 1);
            }
        }
        plan();
    }

    /** VMs are to leave a host; a repeated attempt continues the work under way. */
    void opened(HostWork work) {
        if (!lifecycle.isPresent(work)) {
            return;
        }
        OperationKind kind =
                work.kind() == HostWorkKind.DRAIN ? OperationKind.DRAIN : OperationKind.EVACUATE;
        for (Drain drain : List.copyOf(drains.values())) {
            if (drain.host.equals(work.host()) && drain.operation.kind() == kind) {
                lookAlone(drain);
                if (drains.containsKey(drain.operation.id())) {
                    join(drain, work);
                    return;
                }
            }
        }
        lifecycle.begin(work, kind, OperationParameters.NONE);
    }

    private void join(Drain drain, HostWork work) {
        Operation operation = drain.operation;
        context.storeExecutor()
                .submit(
                        () -> {
                            Set<UUID> taken =
                                    context.store()
                                            .takeOver(List.of(new Begun(operation, null, work)));
                            context.post(() -> {
                                context.vmAccess().workTaken(work);
                                if (taken.contains(operation.id())) {
                                    drain.stuck.clear();
                                    drain.passing.clear();
                                    changed = true;
                                }
                            });
                        },
                        failure -> {
                            warnings.about(
                                    "work not taken over", String.valueOf(failure.getMessage()));
                            context.post(() ->
                                    context.after(
                                            context.settings().longestRetry(), () -> opened(work)));
                        });
    }

    /** The operation is durable. */
    void begun(Operation operation) {
        Drain drain = new Drain(operation, context.clock().nanoTime());
        drains.put(operation.id(), drain);
        lookAlone(drain);
        plan();
    }

    /** No further migration begins; those under way continue. */
    void cancel(UUID id) {
        Drain drain = drains.remove(id);
        if (drain == null) {
            return;
        }
        callOff(drain);
        lifecycle.cancel(drain.operation, "was cancelled; VMs that migrate already go on");
    }

    /** Cancels migrations of a draining host that have not begun. */
    private void callOff(Drain drain) {
        drain.children.values().forEach(child -> migrations.callOff(drain, child));
    }

    /** Any operation has ended. */
    void ended(Operation operation) {
        VmId vm = operation.vm();
        if (vm == null || drains.isEmpty()) {
            return;
        }
        for (Drain drain : drains.values()) {
            if (operation.id().equals(drain.children.get(vm))) {
                drain.children.remove(vm);
                if (operation.state() != OperationState.SUCCEEDED) {
                    drain.stuck.put(vm, DrainMigrations.reason(operation));
                }
            }
        }
        changed = true;
    }

    /** A VM changed somewhere. */
    void changed() {
        changed = !drains.isEmpty();
    }

    /** Examines changed drains; returns whether there was any. */
    boolean turn() {
        if (!changed) {
            return false;
        }
        changed = false;
        lookAtAll();
        return true;
    }

    private void plan() {
        if (!planned && !drains.isEmpty()) {
            planned = true;
            context.after(
                    settings.look(),
                    () -> {
                        planned = false;
                        lookAtAll();
                        plan();
                    });
        }
    }

    /** A failed check does not affect the other hosts; it is repeated with the next one. */
    private void lookAtAll() {
        List.copyOf(drains.values()).forEach(this::lookAlone);
    }

    private void lookAlone(Drain drain) {
        String piece = "drain of host " + drain.host;
        boolean _ = context.isolated(piece, () -> look(drain));
        if (!drains.containsKey(drain.operation.id())) {
            context.forgetPiece(piece);
        }
    }

    private void look(Drain drain) {
        if (!drains.containsKey(drain.operation.id())) {
            return;
        }
        HostState host = lifecycle.host(drain.host);
        if (host == null) {
            drains.remove(drain.operation.id());
            lifecycle.fail(drain.operation, Code.GONE, "the host is not there any more");
            return;
        }
        boolean ended =
                drain.operation.kind() == OperationKind.DRAIN
                        ? endedWithHost(drain, host)
                        : endedWithPolicy(drain, host);
        if (!ended) {
            goOn(drain, leaving(drain, host));
        }
    }

    /** Whether a drain is over because of its host's status. */
    private boolean endedWithHost(Drain drain, HostState host) {
        if (host.status() == HostStatus.MAINTENANCE) {
            return end(
                    drain, () -> lifecycle.succeed(drain.operation, "the host is in maintenance"));
        }
        if (host.status() == HostStatus.NON_RESPONSIVE) {
            return endedInSilence(drain);
        }
        if (host.status() != HostStatus.PREPARING_FOR_MAINTENANCE || isOver(drain, host)) {
            return end(
                    drain,
                    () -> {
                        callOff(drain);
                        lifecycle.cancel(drain.operation, "maintenance was called off");
                    });
        }
        return false;
    }

    /** The same of an evacuation. A host that is lost for a moment is waited for. */
    private boolean endedWithPolicy(Drain drain, HostState host) {
        return switch (host.status()) {
            case NON_RESPONSIVE -> endedInSilence(drain);
            case NON_OPERATIONAL, CONNECTING, UNASSIGNED, INITIALIZING ->
                    isOver(drain, host) && end(drain, () -> notNeeded(drain));
            // The next drain continues the waiting work.
            case PREPARING_FOR_MAINTENANCE ->
                    end(
                            drain,
                            () ->
                                    lifecycle.cancel(
                                            drain.operation,
                                            "VMs leave for another reason by now"));
            default -> end(drain, () -> notNeeded(drain));
        };
    }

    private void notNeeded(Drain drain) {
        callOff(drain);
        lifecycle.cancel(drain.operation, "VMs may stay, or leave for another reason by now");
    }

    private static boolean isOver(Drain drain, HostState host) {
        return host.condition().episode() != drain.operation.generation();
    }

    private boolean endedInSilence(Drain drain) {
        return end(
                drain,
                () ->
                        lifecycle.fail(
                                drain.operation, Code.HOST_LOST, "the host stopped responding"));
    }

    private boolean end(Drain drain, Runnable ending) {
        drains.remove(drain.operation.id());
        ending.run();
        return true;
    }

    /** VMs that are to leave and have not. */
    private List<VmId> leaving(Drain drain, HostState host) {
        List<VmId> vms = context.vmAccess().vmsOn(drain.host);
        if (drain.operation.kind() == OperationKind.DRAIN) {
            return vms;
        }
        Cluster cluster = context.fleet().cluster(host.definition().cluster());
        MigrateOnError policy = cluster == null ? MigrateOnError.ALL : cluster.migrateOnError();
        return switch (policy) {
            case ALL -> vms;
            case NONE -> List.of();
            case HIGHLY_AVAILABLE ->
                    vms.stream()
                            .filter(vm -> {
                                VmView view = context.fleet().vm(vm);
                                return view != null && view.definition().highlyAvailable();
                            })
                            .toList();
        };
    }

    private void goOn(Drain drain, List<VmId> left) {
        drain.total = Math.max(drain.total, left.size());
        Set<VmId> present = new HashSet<>(left);
        drain.children.keySet().retainAll(present);
        drain.stuck.keySet().retainAll(present);
        drain.passing.retainAll(present);
        drain.later.keySet().retainAll(present);
        drain.restarted.retainAll(present);
        if (left.isEmpty()) {
            end(
                    drain,
                    () ->
                            lifecycle.succeed(
                                    drain.operation,
                                    drain.operation.kind() == OperationKind.DRAIN
                                            ? "no VM is left on the host"
                                            : "no VM is left that its cluster's policy moves"));
            return;
        }
        if (isOfPool(drain)) {
            evacuation.order(drain);
        } else {
            migrations.begin(drain, left);
        }
        if (drain.stuck.size() == left.size()) {
            String reasons = drain.reasons(settings.mostReasons(), lifecycle::nameOf);
            end(drain, () -> lifecycle.fail(drain.operation, Code.NOT_REACHED, reasons));
            return;
        }
        int gone = drain.total - left.size();
        int percent = Math.max(drain.operation.progress(), 100 * gone / drain.total);
        drain.operation =
                drain.operation
                        .doing(
                                "%d of %d VMs have left%s"
                                        .formatted(
                                                gone,
                                                drain.total,
                                                drain.others(migrations.waiting(drain))),
                                context.clock().now())
                        .at(percent);
        context.goesOn(drain.operation);
    }

    private boolean isOfPool(Drain drain) {
        HostState host = lifecycle.host(drain.host);
        return drain.operation.kind() == OperationKind.DRAIN
                && host != null
                && context.administration().isOfPool(host.definition().cluster());
    }

    /** Whether a drain has ended, and no other drain of its host continues its work. */
    private boolean isCalledOff(Drain drain) {
        return drains.values().stream().noneMatch(other -> other.host.equals(drain.host));
    }
}
