package org.stillwater.command.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmStatus;
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
 *
 * <p>It is long because a drain is one state machine: each step from its plan to its end changes
 * the same record.
 */
final class Draining {

    private static final Logger LOG = LoggerFactory.getLogger(Draining.class);
    private static final int LONGEST_REASON = 200;

    private final HostOperationLifecycle lifecycle;
    private final CommandEngine engine;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final ThrottledLog warnings;
    private final Map<UUID, Drain> drains = new LinkedHashMap<>();
    private boolean changed;
    private boolean planned;

    /** State of a draining operation besides the operation itself. */
    private static final class Drain {
        Operation operation;
        final HostId host;
        final long sinceNanos;

        /** Most VMs that were there to leave. */
        int total;

        int position;

        /** VMs with a migration that is about to become durable. */
        final Set<VmId> asked = new HashSet<>();

        /** VMs that migrate. */
        final Map<VmId, UUID> children = new HashMap<>();

        /** VMs that will not, and why. */
        final Map<VmId, String> stuck = new TreeMap<>();

        /** Those of them that will as soon as they are in another status. */
        final Set<VmId> passing = new HashSet<>();

        /** VMs without an operation that can begin now, with the time to ask again, monotonic. */
        final Map<VmId, Long> later = new HashMap<>();

        /** Why the last of them could not begin. */
        String laterBecause = "";

        /** VMs that the host did not launch, and that are to be started elsewhere. */
        final Set<VmId> restarted = new HashSet<>();

        /** Whether its pool moves the VMs now. */
        boolean evacuates;

        /** Why its pool refuses; null without a request or a refusal. */
        @Nullable String refusal;

        /** Time of the next request to its pool, monotonic; the first one is immediate. */
        long evacuateAtNanos;

        Drain(Operation operation, long nowNanos) {
            this.operation = operation;
            this.host = Objects.requireNonNull(operation.host());
            this.sinceNanos = nowNanos;
            this.evacuateAtNanos = nowNanos;
        }
    }

    Draining(HostOperationLifecycle lifecycle, HostOperationSettings settings) {
        this.lifecycle = lifecycle;
        this.engine = lifecycle.engine();
        this.context = lifecycle.context();
        this.settings = settings;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), context.settings().quietPeriod(), "drain");
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
        drain.children.values().forEach(child -> callOff(drain, child));
    }

    private void callOff(Drain drain, UUID child) {
        VmTask task = context.registry().open(child);
        if (task != null && !task.isBegun() && isOfDrain(task.operation())) {
            String _ = engine.cancel(child, drain.operation.origin());
        }
    }

    /** Whether a migration belongs to a drain of its host, in contrast to one ordered by a user. */
    private boolean isOfDrain(Operation migration) {
        UUID batch = migration.origin().batch();
        Operation whole = batch == null ? null : engine.operation(batch);
        return whole != null
                && (whole.kind() == OperationKind.DRAIN || whole.kind() == OperationKind.EVACUATE);
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
                    drain.stuck.put(vm, reason(operation));
                }
            }
        }
        changed = true;
    }

    private static String reason(Operation operation) {
        OperationFailure failure = operation.failure();
        if (failure == null) {
            return "its migration was cancelled";
        }
        return failure.code() == Code.NO_HOST
                ? "no host fits: " + failure.reason()
                : failure.reason();
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
            evacuate(drain);
        } else {
            submit(drain, left);
        }
        if (drain.stuck.size() == left.size()) {
            end(drain, () -> lifecycle.fail(drain.operation, Code.NOT_REACHED, reasons(drain)));
            return;
        }
        int gone = drain.total - left.size();
        int percent = Math.max(drain.operation.progress(), 100 * gone / drain.total);
        drain.operation =
                drain.operation
                        .doing(
                                "%d of %d VMs have left%s"
                                        .formatted(gone, drain.total, others(drain)),
                                context.clock().now())
                        .at(percent);
        context.goesOn(drain.operation);
    }

    /** Text about the VMs that have not left. */
    private String others(Drain drain) {
        int waiting = 0;
        for (UUID child : drain.children.values()) {
            VmTask task = context.registry().open(child);
            if (task != null && !task.isBegun()) {
                waiting++;
            }
        }
        StringBuilder text = new StringBuilder();
        if (drain.evacuates) {
            text.append(", the pool moves the others");
        } else if (drain.refusal != null) {
            text.append("; the pool is asked again, because ").append(drain.refusal);
        }
        count(text, drain.children.size() - waiting, "migrate");
        count(text, waiting, "wait for a host that takes them");
        count(text, drain.stuck.size(), "cannot leave");
        count(text, drain.later.size(), "are asked again");
        if (!drain.later.isEmpty()) {
            text.append(", because ").append(cut(drain.laterBecause));
        }
        return text.toString();
    }

    private static void count(StringBuilder text, int vms, String what) {
        if (vms > 0) {
            text.append(", ").append(vms).append(' ').append(what);
        }
    }

    private boolean isOfPool(Drain drain) {
        HostState host = lifecycle.host(drain.host);
        return drain.operation.kind() == OperationKind.DRAIN
                && host != null
                && context.administration().isOfPool(host.definition().cluster());
    }

    /**
     * Has the pool of the host move all VMs, once at a time. Reports of the VMs may come after its
     * answer, so remaining VMs get time before the next request to the pool.
     */
    private void evacuate(Drain drain) {
        long now = context.clock().nanoTime();
        if (drain.evacuates || now - drain.evacuateAtNanos < 0) {
            return;
        }
        drain.evacuates = true;
        context.administration()
                .pools()
                .order(
                        drain.host,
                        HypervisorPools.HostOrder.EVACUATE,
                        answer -> context.post(() -> evacuated(drain, answer)));
    }

    /**
     * A pool refuses to evacuate a host for a VM that cannot move now, such as one that boots; like
     * such a VM of another host, it gets time.
     */
    private void evacuated(Drain drain, HostAnswer<HostId> answer) {
        long now = context.clock().nanoTime();
        Duration patience = settings.drainPatience();
        drain.evacuates = false;
        drain.refusal = null;
        changed = true;
        switch (answer) {
            case HostAnswer.Success<HostId> _ -> drain.evacuateAtNanos = now + patience.toNanos();
            case HostAnswer.Failed<HostId>(HostFailure failure) -> {
                drain.evacuateAtNanos = now + context.settings().longestRetry().toNanos();
                drain.refusal = cut(failure.describe());
                boolean isOver =
                        failure instanceof HostFailure.Refused
                                && now - drain.sinceNanos >= patience.toNanos();
                if (isOver && drains.remove(drain.operation.id()) != null) {
                    lifecycle.fail(
                            drain.operation,
                            Code.REFUSED,
                            "its pool does not evacuate the host: " + drain.refusal);
                }
            }
        }
    }

    /** Migrates all VMs together that can migrate and have no migration yet. */
    private void submit(Drain drain, List<VmId> left) {
        List<OperationRequest> wanted = new ArrayList<>();
        String cause = drain.operation.kind() == OperationKind.DRAIN ? "maintenance" : "evacuation";
        for (VmId vm : left) {
            if (drain.asked.contains(vm)
                    || isLater(drain, vm)
                    || drain.children.containsKey(vm)
                    || (drain.stuck.containsKey(vm) && !drain.passing.contains(vm))) {
                continue;
            }
            UUID migration = migrationOf(vm);
            drain.later.remove(vm);
            if (migration != null) {
                drain.children.put(vm, migration);
            } else if (mayMigrate(drain, vm)) {
                wanted.add(
                        new OperationRequest(
                                vm,
                                OperationKind.MIGRATE,
                                new OperationParameters.Migrate(null, cause + " of its host")));
            }
        }
        if (wanted.isEmpty()) {
            return;
        }
        Operation.Origin origin =
                new Operation.Origin(
                        drain.operation.origin().requestedBy(),
                        cause,
                        drain.operation.id(),
                        drain.position);
        drain.position += wanted.size();
        List<CompletableFuture<Answer>> answers = engine.submit(wanted, origin);
        wanted.forEach(wish -> drain.asked.add(wish.vm())); // not if that failed
        for (int i = 0; i < wanted.size(); i++) {
            VmId vm = wanted.get(i).vm();
            CompletableFuture<Answer> _ =
                    answers.get(i)
                            .whenComplete(
                                    (answer, _) -> context.post(() -> answered(drain, vm, answer)));
        }
    }

    private boolean isLater(Drain drain, VmId vm) {
        Long again = drain.later.get(vm);
        return again != null && context.clock().nanoTime() - again < 0;
    }

    private @Nullable UUID migrationOf(VmId vm) {
        for (VmTask task : context.registry().on(vm)) {
            if (task.operation().kind() == OperationKind.MIGRATE) {
                return task.operation().id();
            }
        }
        return null;
    }

    /** Whether a VM can migrate now; one that never will, or not for long, is noted. */
    private boolean mayMigrate(Drain drain, VmId vm) {
        VmView view = context.fleet().vm(vm);
        if (view == null) {
            return false;
        }
        VmStatus status = view.state().runtime().status();
        String refusal =
                context.registry().isBusyFor(vm, OperationKind.MIGRATE)
                        ? "another operation is under way with it"
                        : VmRules.refusal(
                                OperationKind.MIGRATE,
                                OperationParameters.Migrate.DEFAULT,
                                new VmFacts(
                                        vm,
                                        view.definition(),
                                        view.state().runtime(),
                                        view.state().placement(),
                                        VmCommands.NONE));
        if (refusal == null) {
            drain.stuck.remove(vm);
            drain.passing.remove(vm);
            return true;
        }
        long waited = context.clock().nanoTime() - drain.sinceNanos;
        boolean passes = mayPass(status);
        if (passes && waited < settings.drainPatience().toNanos()) {
            return false;
        }
        if (!startsElsewhere(drain, vm, status)) {
            drain.stuck.put(vm, "it is %s: %s".formatted(status.label(), refusal));
            if (passes) {
                drain.passing.add(vm);
            }
        }
        return false;
    }

    /**
     * Has the start of a VM that its host does not launch continue elsewhere, or end where it may
     * not, once; whether it may. A VM without an open start operation stays.
     */
    private boolean startsElsewhere(Drain drain, VmId vm, VmStatus status) {
        if (status != VmStatus.WAIT_FOR_LAUNCH || drain.restarted.contains(vm)) {
            return false;
        }
        for (VmTask task : context.registry().on(vm)) {
            if (task.operation().kind() != OperationKind.RUN) {
                continue;
            }
            // A migration on a host without an answer yet is examined again later.
            if (task.phase() == VmTask.Phase.AWAITING && drain.restarted.add(vm)) {
                context.fact(
                        task.operation().id(),
                        new VmFact.LeaveHost(
                                drain.host,
                                "it was not launched for %d s on a host that VMs are to leave"
                                        .formatted(settings.drainPatience().toSeconds())));
            }
            return true;
        }
        return false;
    }

    private static boolean mayPass(VmStatus status) {
        return switch (status) {
            case DOWN, SUSPENDED, IMAGE_ILLEGAL, IMAGE_LOCKED -> false;
            default -> true;
        };
    }

    private void answered(Drain drain, VmId vm, @Nullable Answer answer) {
        drain.asked.remove(vm);
        if (answer instanceof Answer.Accepted(Operation child)) {
            if (isCalledOff(drain)) {
                callOff(drain, child.id());
            } else if (context.registry().open(child.id()) != null) {
                drain.children.put(vm, child.id());
            } else {
                Operation ended = engine.operation(child.id());
                drain.stuck.put(vm, ended == null ? "its migration ended" : reason(ended));
            }
        } else if (answer instanceof Answer.Refused(Answer.Why why, String reason)) {
            if (why == Answer.Why.UNAVAILABLE || why == Answer.Why.TOO_MUCH) {
                // That passes, and says nothing about the VM.
                Duration pause = context.settings().longestRetry();
                drain.later.put(vm, context.clock().nanoTime() + pause.toNanos());
                drain.laterBecause = reason;
            } else {
                drain.stuck.put(vm, reason);
            }
        }
        changed = true;
    }

    /** Whether a drain has ended, and no other drain of its host continues its work. */
    private boolean isCalledOff(Drain drain) {
        return drains.values().stream().noneMatch(other -> other.host.equals(drain.host));
    }

    private String reasons(Drain drain) {
        String told =
                drain.stuck.entrySet().stream()
                        .limit(settings.mostReasons())
                        .map(entry ->
                                lifecycle.nameOf(entry.getKey()) + ": " + cut(entry.getValue()))
                        .collect(Collectors.joining("; "));
        int more = drain.stuck.size() - settings.mostReasons();
        return more > 0 ? "%s; and %d more".formatted(told, more) : told;
    }

    private static String cut(String reason) {
        return reason.length() <= LONGEST_REASON
                ? reason
                : reason.substring(0, LONGEST_REASON) + "…";
    }
}
