package org.stillwater.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.Answer.Why;
import org.stillwater.core.analysis.host.FencingHeld;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.KdumpDetection;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.HostWorkKind;
import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.port.FenceAgent;
import org.stillwater.core.port.OperationStore;
import org.stillwater.core.port.OperationStore.Begun;
import org.stillwater.core.port.PowerFence;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.write.BatchWriter.CommitAction;

/**
 * Makes sure that silent hosts run nothing, so that their VMs can be started elsewhere (monitoring
 * specification §3.6).
 *
 * <p>A host that says meanwhile that it writes a kernel dump is left to it: it is marked as
 * dumping, its power is not switched, and when the dump is over its VMs are set down, because the
 * kernel that ran them is gone.
 *
 * <p>A host that is to be fenced waits here, without an operation, while its agent may still be
 * restarted and while the policy holds fencing back. Then the operation takes the work over; the
 * host is marked as rebooting, which only a host that is still silent in the same outage can be;
 * its power is switched off; its VMs are set down, each together with what follows from that; and
 * when all of it is durable the power is switched on. A step that fails leaves the VMs as they are.
 *
 * <p>A host that could not be switched off is tried again in the same outage, a few times and after
 * longer and longer pauses; the work stays with the operation that took it over. How often is read
 * from the operations when the engine starts. A dry run is not repeated.
 *
 * <p>After a restart of the engine an operation begins anew, with every check: the host may have
 * come back, and to switch off what is off does no harm. Used by the deciding thread only, but for
 * the orders of people.
 */
final class Fencing {

    private static final Logger LOG = LoggerFactory.getLogger(Fencing.class);

    /** Failed attempts that are read when the engine starts. */
    private static final int MOST_FAILURES_READ = 1_000;

    private final HostDesk desk;
    private final CommandEngine engine;
    private final HostOperationSettings settings;
    private final PowerFence power;
    private final KernelDumps dumps;
    private final Complaints complaints;

    /** Hosts that are to be fenced once nothing holds that back. */
    private final Map<HostId, HostWork> waiting = new LinkedHashMap<>();

    private final Map<HostId, FencingHeld> told = new HashMap<>();
    private final Map<UUID, Attempt> attempts = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Hosts that could not be switched off in their present outage. */
    private final Map<HostId, Failures> failures = new HashMap<>();

    private boolean planned;

    /** How often in which outage. */
    private record Failures(long episode, int count) {}

    private enum Phase {
        /** Every check must be passed first. */
        CHECKING,
        /** The host's monitor, for the status while it writes a kernel dump. */
        MARKING_DUMP,
        /** Its dump, to be over. */
        DUMPING,
        /** The host's monitor, for the status after that. */
        ENDING_DUMP,
        /** The database, for agents. */
        READING,
        /** The host's monitor, for the status. */
        MARKING,
        /** Its power, to be off. */
        SWITCHING,
        /** The database, for the VMs that are down. */
        SETTLING,
        /** Its power, to be on. */
        RETURNING,
        /** VMs that are being started by their lease, which are set down if that fails. */
        LEASES
    }

    private static final class Attempt {
        Operation operation;
        final HostId host;
        final boolean resumed;
        volatile Phase phase = Phase.CHECKING;
        HostWork work;

        /** Which run of each VM the host had. */
        Map<VmId, Long> runs = Map.of();

        final Set<VmId> uncommitted = new HashSet<>();
        int down;
        boolean dumped;
        String result = "";

        Attempt(Operation operation, HostWork work, boolean resumed) {
            this.operation = operation;
            this.host = work.host();
            this.work = work;
            this.resumed = resumed;
        }

        boolean isConfirmed() {
            return !(operation.parameters() instanceof OperationParameters.Fence);
        }

        boolean isDryRun() {
            return operation.parameters() instanceof OperationParameters.Fence fence
                    && fence.dryRun();
        }

        boolean isAutomatic() {
            return operation.origin().requestedBy().equals(HostDesk.ENGINE);
        }
    }

    Fencing(HostDesk desk, HostOperationSettings settings, PowerFence power, KernelDumps dumps) {
        this.desk = desk;
        this.engine = desk.engine();
        this.settings = settings;
        this.power = power;
        this.dumps = dumps;
        this.complaints =
                new Complaints(LOG, engine.clock(), engine.settings().quietPeriod(), "fencing");
    }

    // ---------------------------------------------------------------------------- what is asked

    /** A host is to be switched off and on because somebody wants it. Any thread. */
    CompletableFuture<Answer> order(HostId host, Operation.Origin origin) {
        return ask(host, new OperationParameters.Fence(settings.fencingDryRun()), origin);
    }

    /** Somebody says that a host was off. Any thread. */
    CompletableFuture<Answer> confirm(HostId host, Operation.Origin origin) {
        HostState state = desk.host(host);
        if (state != null && state.status().isInContact()) {
            return refused(
                    Why.CONFLICT,
                    "the host is %s, so the engine sees itself what runs there"
                            .formatted(label(state.status())));
        }
        return ask(host, OperationParameters.NONE, origin);
    }

    private CompletableFuture<Answer> ask(
            HostId host, OperationParameters parameters, Operation.Origin origin) {
        HostState state = desk.host(host);
        if (state == null) {
            return refused(Why.UNKNOWN, "there is no host " + host);
        }
        Operation operation =
                Operation.on(
                        host,
                        engine.ids().get(),
                        OperationKind.FENCE,
                        parameters,
                        origin,
                        state.condition().episode(),
                        engine.clock().now());
        Operation other = engine.reserve(operation);
        if (other != null) {
            return refused(
                    Why.CONFLICT,
                    "the host is being fenced already (%s): %s"
                            .formatted(other.id(), other.step()));
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        engine.begin(Begun.of(operation), answer);
        return answer;
    }

    private static CompletableFuture<Answer> refused(Why why, String reason) {
        return CompletableFuture.completedFuture(new Answer.Refused(why, reason));
    }

    /** Monitoring found a host to be silent; its fencing was not forbidden then. */
    void opened(HostWork work) {
        waiting.put(work.host(), work);
        if (!settings.fencingDryRun()) {
            dumps.attend(work.host());
        }
        lookAtWaiting();
        plan();
    }

    /** These were open when the engine stopped. */
    void recover(List<Operation> open) {
        for (Operation operation : open) {
            if (operation.kind() == OperationKind.FENCE) {
                attempts.put(operation.id(), new Attempt(operation, workOf(operation, null), true));
            }
        }
        engine.storeLane().submit(this::readFailures);
        plan();
    }

    /** How often hosts were not switched off before the engine was restarted. */
    private void readFailures() {
        try {
            List<Operation> failed =
                    engine.operations()
                            .list(
                                    new OperationStore.Filter(
                                            null,
                                            null,
                                            OperationKind.FENCE,
                                            OperationState.FAILED,
                                            null,
                                            null,
                                            null,
                                            MOST_FAILURES_READ));
            engine.post(() -> failed.reversed().forEach(this::failedBefore));
        } catch (StoreUnavailable | RuntimeException e) {
            complaints.about("failed fencing was not read", String.valueOf(e.getMessage()));
        }
    }

    private void failedBefore(Operation operation) {
        HostState host = desk.host(Objects.requireNonNull(operation.host()));
        OperationFailure failure = operation.failure();
        if (host != null
                && host.condition().episode() == operation.generation()
                && failure != null
                && failure.code() == Code.HOST_LOST
                && operation.origin().requestedBy().equals(HostDesk.ENGINE)) {
            retryLater(workOf(operation, null));
        }
    }

    /** It could not be switched off: it is tried again, unless that was done often enough. */
    private void retryLater(HostWork work) {
        Failures before = failures.get(work.host());
        int count = before == null || before.episode() != work.episode() ? 1 : before.count() + 1;
        failures.put(work.host(), new Failures(work.episode(), count));
        if (count >= settings.fencingAttempts()) {
            LOG.warn(
                    "host={} could not be switched off {} times; switch it off by hand, and confirm"
                            + " that it was rebooted",
                    work.host(),
                    count);
            return;
        }
        engine.after(
                settings.fencingRetry().multipliedBy(1L << Math.min(count - 1, 20)),
                () -> {
                    Failures now = failures.get(work.host());
                    if (now != null && now.episode() == work.episode() && now.count() == count) {
                        opened(work);
                    }
                });
    }

    private boolean hasFailed(HostWork work) {
        Failures known = failures.get(work.host());
        return known != null && known.episode() == work.episode();
    }

    private static HostWork workOf(Operation operation, @Nullable HostWork work) {
        return work != null
                ? work
                : new HostWork(
                        Objects.requireNonNull(operation.host()),
                        HostWorkKind.FENCE,
                        operation.generation(),
                        0,
                        operation.origin().correlation());
    }

    /** The operation is durable, and has its work. */
    void begun(Operation operation, @Nullable HostWork work) {
        Attempt attempt = new Attempt(operation, workOf(operation, work), false);
        attempts.put(operation.id(), attempt);
        check(attempt);
        plan();
    }

    /** Why it cannot be taken back any more; null if it can be. Any thread. */
    @Nullable String refusesCancel(UUID id) {
        Attempt attempt = attempts.get(id);
        return attempt == null || isHarmless(attempt.phase)
                ? null
                : "the host's power is being switched, and is not left half way";
    }

    private static boolean isHarmless(Phase phase) {
        return phase == Phase.CHECKING || phase == Phase.READING || phase == Phase.DUMPING;
    }

    /** Only what has not begun to switch can be cancelled. */
    void cancel(UUID id) {
        Attempt attempt = attempts.get(id);
        if (attempt != null && isHarmless(attempt.phase)) {
            if (attempt.phase == Phase.DUMPING) {
                CompletableFuture<OrderAnswer> _ =
                        engine.engine().order(attempt.host, new HostFact.RebootFailed());
            }
            cancel(attempt, "was cancelled before anything was switched");
        }
    }

    // ---------------------------------------------------------------------------------- looking

    private void plan() {
        if (!planned && !(waiting.isEmpty() && attempts.isEmpty())) {
            planned = true;
            engine.after(
                    settings.look(),
                    () -> {
                        planned = false;
                        lookAtWaiting();
                        List.copyOf(attempts.values()).forEach(this::look);
                        plan();
                    });
        }
    }

    private void lookAtWaiting() {
        for (HostWork work : List.copyOf(waiting.values())) {
            HostState host = desk.host(work.host());
            if (host == null || !desk.isPresent(work)) {
                waiting.remove(work.host());
                told.remove(work.host());
                failures.remove(work.host());
                dumps.leave(work.host());
            } else if (host.status() == HostStatus.NON_RESPONSIVE
                    && !engine.desk().isSoftFenced(work.host())
                    && !isHeld(work.host())) {
                waiting.remove(work.host());
                OperationParameters how = new OperationParameters.Fence(settings.fencingDryRun());
                if (hasFailed(work)) {
                    desk.beginAgain(work, OperationKind.FENCE, how);
                } else {
                    desk.begin(work, OperationKind.FENCE, how);
                }
            }
        }
    }

    /** Whether the policy holds fencing back now; each reason is told once. */
    private boolean isHeld(HostId host) {
        if (mayHoldLeases(host)) {
            return true;
        }
        FencingHeld held = engine.desk().fencingHeld(host);
        FencingHeld before = held == null ? told.remove(host) : told.put(host, held);
        if (held != null && held != before) {
            engine.desk().audit(held.event(), null, host, Map.of());
        }
        return held != null;
    }

    /** Whether it must be silent for longer, so that it can have lost its storage leases. */
    private boolean mayHoldLeases(HostId id) {
        HostState host = desk.host(id);
        Cluster cluster =
                host == null ? null : engine.engine().cluster(host.definition().cluster());
        return host != null
                && cluster != null
                && cluster.fencing().leaseRespected()
                && engine.clock().now().isBefore(host.since().plus(settings.leaseWait()));
    }

    private void look(Attempt attempt) {
        switch (attempt.phase) {
            case CHECKING -> check(attempt);
            case DUMPING -> lookAtDump(attempt);
            case LEASES -> settle(attempt);
            case MARKING_DUMP, ENDING_DUMP, READING, MARKING, SWITCHING, SETTLING, RETURNING -> {}
        }
    }

    // ------------------------------------------------------------------------------- one attempt

    /** Whether it is still to be done, by what is known now. */
    private void check(Attempt attempt) {
        HostState host = desk.host(attempt.host);
        if (host == null) {
            fail(attempt, Code.GONE, "the host is not there any more");
        } else if (attempt.isConfirmed()) {
            if (host.status().isInContact()) {
                cancel(attempt, "the host is in contact again");
            } else {
                attempt.runs = runsOn(attempt.host);
                doing(attempt, "sets its VMs down");
                settle(attempt);
            }
        } else if (attempt.isAutomatic()
                && host.condition().episode() != attempt.operation.generation()) {
            cancel(attempt, "the host has come back, or was taken out of service");
        } else if (attempt.resumed && host.status().isInContact()) {
            cancel(attempt, "the host has come back while the engine did not run");
        } else if (!attempt.isAutomatic() && !attempt.resumed) {
            read(attempt);
        } else if (host.status() == HostStatus.NON_RESPONSIVE
                && !engine.desk().isSoftFenced(attempt.host)
                && !(attempt.isAutomatic() && isHeld(attempt.host))) {
            if (attempt.isAutomatic() && !attempt.isDryRun()) {
                listen(attempt);
            } else {
                read(attempt);
            }
        }
        // Otherwise it waits: until the host answers, or is found silent and may be fenced.
    }

    // ------------------------------------------------------------------------------ kernel dumps

    /** Whoever is silent because it writes a kernel dump is left to it. */
    private void listen(Attempt attempt) {
        switch (dumps.look(attempt.host)) {
            case NOT_DUMPING -> read(attempt);
            case WAIT -> {
                String step = "listens whether it writes a kernel dump";
                if (!attempt.operation.step().equals(step)) {
                    doing(attempt, step);
                }
            }
            case DUMPING, OVER -> {
                attempt.phase = Phase.MARKING_DUMP;
                attempt.runs = runsOn(attempt.host);
                doing(attempt, "it writes a kernel dump, and is not switched off meanwhile");
                order(
                        attempt,
                        new HostFact.Dump(attempt.operation.generation()),
                        Phase.CHECKING,
                        () -> {
                            attempt.phase = Phase.DUMPING;
                            engine.desk()
                                    .audit(
                                            AuditEvent.KDUMP_FLOW_DETECTED_ON_VDS,
                                            null,
                                            attempt.host,
                                            Map.of());
                        });
            }
        }
    }

    /** Once it is over the host boots, and what it ran does not run any more. */
    private void lookAtDump(Attempt attempt) {
        if (dumps.look(attempt.host) != KdumpDetection.Verdict.OVER) {
            return;
        }
        attempt.phase = Phase.ENDING_DUMP;
        order(
                attempt,
                new HostFact.DumpOver(),
                Phase.DUMPING,
                () -> {
                    attempt.dumped = true;
                    engine.desk()
                            .audit(
                                    AuditEvent.KDUMP_FLOW_FINISHED_ON_VDS,
                                    null,
                                    attempt.host,
                                    Map.of("reason", dumps.over(attempt.host)));
                    doing(attempt, "has written its kernel dump; sets its VMs down");
                    settle(attempt);
                });
    }

    /**
     * Has the host's monitor take a fact.
     *
     * @param otherwise where the attempt goes on if the monitor was replaced meanwhile
     */
    private void order(Attempt attempt, HostFact.Order order, Phase otherwise, Runnable followed) {
        Phase phase = attempt.phase;
        CompletableFuture<OrderAnswer> asked = engine.engine().order(attempt.host, order);
        if (asked == null) {
            fail(attempt, Code.GONE, "the host is not there any more");
            return;
        }
        CompletableFuture<OrderAnswer> _ =
                asked.whenComplete((answer, failure) ->
                        engine.post(() -> {
                            if (!isOpen(attempt) || attempt.phase != phase) {
                                return;
                            }
                            switch (answer) {
                                case null -> {
                                    complaints.about(
                                            "a host was not marked", String.valueOf(failure));
                                    attempt.phase = otherwise;
                                }
                                case OrderAnswer.Refused(HostStatus _, String why) ->
                                        cancel(attempt, "nothing was switched: " + why);
                                case OrderAnswer.Followed _ -> followed.run();
                            }
                        }));
    }

    // ------------------------------------------------------------------------------ switching off

    private void read(Attempt attempt) {
        attempt.phase = Phase.READING;
        engine.storeLane()
                .submit(() -> {
                    try {
                        List<FenceAgent> agents =
                                engine.definitions().store().fenceAgents(attempt.host);
                        engine.post(() -> known(attempt, agents));
                    } catch (StoreUnavailable e) {
                        engine.post(() -> {
                            complaints.about(
                                    "agents were not read", String.valueOf(e.getMessage()));
                            attempt.phase = Phase.CHECKING; // looked at again
                        });
                    } catch (RuntimeException e) {
                        complaints.about("agents were not read", e.toString(), e);
                        engine.post(() -> fail(attempt, Code.INTERNAL, e.toString()));
                    }
                });
    }

    private void known(Attempt attempt, List<FenceAgent> agents) {
        if (!isOpen(attempt) || attempt.phase != Phase.READING) {
            return;
        }
        String ways =
                agents.stream().map(FenceAgent::toString).collect(Collectors.joining(", then "));
        if (agents.isEmpty()) {
            fail(
                    attempt,
                    Code.INVALID,
                    "it has no fence agent; define one, or switch it off by hand and confirm that"
                            + " it was rebooted");
            return;
        }
        if (attempt.isDryRun()) {
            closed(attempt);
            desk.succeed(
                    attempt.operation,
                    "dry run: it would be switched off by %s, and %d VMs would be set down; nothing"
                                    .formatted(ways, engine.desk().vmsOn(attempt.host).size())
                            + " was switched");
            return;
        }
        if (attempt.isAutomatic() && isHeld(attempt.host)) {
            attempt.phase = Phase.CHECKING;
            return;
        }
        attempt.phase = Phase.MARKING;
        attempt.runs = runsOn(attempt.host);
        doing(attempt, "switches its power off by " + ways);
        HostFact.Order order =
                attempt.isAutomatic()
                        ? new HostFact.Fence(attempt.operation.generation())
                        : new HostFact.Reboot();
        order(attempt, order, Phase.CHECKING, () -> switchOff(attempt));
    }

    private void switchOff(Attempt attempt) {
        attempt.phase = Phase.SWITCHING;
        engine.after(
                settings.fencingLimit(),
                () ->
                        switched(
                                attempt,
                                new PowerFence.Answer.Failed(
                                        "it took longer than %d s"
                                                .formatted(settings.fencingLimit().toSeconds()))));
        try {
            power.fence(
                    attempt.work,
                    attempt.operation.id(),
                    answer -> engine.post(() -> switched(attempt, answer)));
        } catch (RuntimeException e) {
            complaints.about("fencing failed", e.toString(), e);
            switched(attempt, new PowerFence.Answer.Failed(e.toString()));
        }
    }

    private void switched(Attempt attempt, PowerFence.Answer answer) {
        if (!isOpen(attempt) || attempt.phase != Phase.SWITCHING) {
            return; // too late
        }
        switch (answer) {
            case PowerFence.Answer.Failed(String reason) -> {
                CompletableFuture<OrderAnswer> _ =
                        engine.engine().order(attempt.host, new HostFact.RebootFailed());
                engine.desk()
                        .audit(
                                AuditEvent.VDS_RECOVER_FAILED,
                                null,
                                attempt.host,
                                Map.of("reason", reason));
                fail(
                        attempt,
                        Code.HOST_LOST,
                        "nobody can say that it is off, so its VMs are not started elsewhere: "
                                + reason);
                if (attempt.isAutomatic()) {
                    retryLater(attempt.work);
                }
            }
            case PowerFence.Answer.Fenced _ -> {
                engine.desk()
                        .audit(
                                AuditEvent.VDS_RECOVER,
                                null,
                                attempt.host,
                                Map.of("reason", attempt.work.why()));
                doing(attempt, "is off; sets its VMs down");
                settle(attempt);
            }
        }
    }

    // ------------------------------------------------------------------------------- what it ran

    private Map<VmId, Long> runsOn(HostId host) {
        Map<VmId, Long> runs = new HashMap<>();
        for (VmId vm : engine.desk().vmsOn(host)) {
            VmView view = engine.engine().vm(vm);
            if (view != null) {
                runs.put(vm, view.state().placement().run().generation());
            }
        }
        return runs;
    }

    /**
     * What ran on the host does not run any more, the most urgent first. A VM that is being started
     * by its lease is left alone until that has ended.
     */
    private void settle(Attempt attempt) {
        boolean first = attempt.phase != Phase.LEASES;
        if (first) {
            attempt.phase = Phase.SETTLING;
        }
        List<VmId> vms = new ArrayList<>(attempt.runs.keySet());
        vms.sort(
                Comparator.comparingInt((VmId vm) -> engine.definitions().priority(vm))
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()));
        boolean leases = false;
        List<VmId> down = new ArrayList<>();
        for (VmId vm : vms) {
            if (LeaseRestarts.isStarting(engine.book(), vm)) {
                leases = true;
            } else if (engine.desk()
                    .setDown(attempt.host, vm, manager -> isAnotherRun(attempt, vm, manager))) {
                down.add(vm);
            }
        }
        attempt.down += down.size();
        attempt.uncommitted.addAll(down);
        down.forEach(vm -> engine.desk().afterCommit(vm, new Committed(attempt, vm)));
        if (first && attempt.uncommitted.isEmpty()) {
            settled(attempt);
        } else if (!first && !leases && attempt.uncommitted.isEmpty()) {
            finish(attempt);
        }
    }

    private static boolean isAnotherRun(Attempt attempt, VmId vm, VmManager manager) {
        Long run = attempt.runs.get(vm);
        return run == null || run != manager.state().placement().run().generation();
    }

    /** A VM that is down is durable, or its row is refused, which health names. */
    private final class Committed implements CommitAction {
        private final Attempt attempt;
        private final VmId vm;

        Committed(Attempt attempt, VmId vm) {
            this.attempt = attempt;
            this.vm = vm;
        }

        @Override
        public void run() {
            engine.post(() -> {
                attempt.uncommitted.remove(vm);
                if (attempt.phase == Phase.SETTLING && attempt.uncommitted.isEmpty()) {
                    settled(attempt);
                }
            });
        }

        @Override
        public void refused() {
            run();
        }
    }

    private void settled(Attempt attempt) {
        if (!isOpen(attempt)) {
            return;
        }
        if (attempt.isConfirmed() || attempt.dumped) {
            attempt.result =
                    attempt.dumped ? "wrote a kernel dump and boots" : "was rebooted by hand";
            attempt.phase = Phase.LEASES;
            settle(attempt);
            return;
        }
        attempt.phase = Phase.RETURNING;
        engine.after(
                settings.fencingLimit(),
                () -> returned(attempt, "nothing was heard of its power for too long"));
        try {
            power.powerOn(attempt.host, reason -> engine.post(() -> returned(attempt, reason)));
        } catch (RuntimeException e) {
            complaints.about("a host was not switched on", e.toString(), e);
            returned(attempt, e.toString());
        }
    }

    private void returned(Attempt attempt, @Nullable String reason) {
        if (!isOpen(attempt) || attempt.phase != Phase.RETURNING) {
            return;
        }
        if (reason != null) {
            LOG.warn("host={} was not switched on again: {}", attempt.host, reason);
        }
        attempt.result =
                reason == null
                        ? "was switched off and on"
                        : "was switched off, but not on again: " + reason;
        attempt.phase = Phase.LEASES;
        settle(attempt);
    }

    private void finish(Attempt attempt) {
        closed(attempt);
        desk.succeed(
                attempt.operation, "%s; VMs set down: %d".formatted(attempt.result, attempt.down));
    }

    // ---------------------------------------------------------------------------------- endings

    private boolean isOpen(Attempt attempt) {
        return attempts.get(attempt.operation.id()) == attempt;
    }

    private void doing(Attempt attempt, String step) {
        attempt.operation = attempt.operation.doing(step, engine.clock().now());
        engine.goesOn(attempt.operation);
    }

    private void closed(Attempt attempt) {
        attempts.remove(attempt.operation.id());
        dumps.leave(attempt.host);
    }

    private void cancel(Attempt attempt, String result) {
        closed(attempt);
        desk.cancel(attempt.operation, result);
    }

    private void fail(Attempt attempt, Code code, String reason) {
        if (isOpen(attempt)) {
            closed(attempt);
            desk.fail(attempt.operation, code, reason);
        }
    }

    private static String label(HostStatus status) {
        return status.name().toLowerCase(java.util.Locale.ROOT);
    }
}
