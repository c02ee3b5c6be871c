package org.stillwater.command.host;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.host.FenceAttempt.Phase;
import org.stillwater.command.host.FenceDecision.Next;
import org.stillwater.command.host.FenceDecision.Way;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.KdumpDetection;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Ensures that silent hosts run no VM, so that their VMs can be started elsewhere (monitoring
 * specification §3.6).
 *
 * <p>A host that reports a kernel dump in the meantime is not fenced: it is marked as dumping and
 * keeps its power. After the dump its VMs are set down, because the kernel that ran them is gone.
 *
 * <p>A host that is to be fenced waits, without an operation, while its agent may still be
 * restarted and while the policy holds fencing back ({@link SilentHosts}). Then the operation takes
 * the work over. {@link FenceDecision} chooses each step, and this class carries it out: the host
 * is marked as rebooting, which only a host that is still silent in the same outage can be; its
 * power is switched off; its VMs are set down, each together with its pending work; and when all of
 * it is durable the power is switched on. A step that fails leaves the VMs unchanged.
 *
 * <p>A host that could not be switched off is tried again in the same outage, a few times and after
 * longer and longer pauses; the work stays with the operation that took it over. The number of
 * attempts is read from the operations when the engine starts. A dry run is not repeated.
 *
 * <p>After a restart of the engine an operation starts again, with every check: the host may have
 * come back, and switching off a host that is off does no harm. Used by the deciding thread only.
 *
 * <p>It is long because fencing is one state machine: each step from its plan to its end changes
 * the same record.
 */
final class Fencing {

    private static final Logger LOG = LoggerFactory.getLogger(Fencing.class);

    private final HostOperationLifecycle lifecycle;
    private final CommandEngine engine;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final PowerFence power;
    private final KernelDumps dumps;
    private final ThrottledLog warnings;
    private final SilentHosts silent;
    private final FencedVms vms;
    private final Map<UUID, FenceAttempt> attempts =
            Collections.synchronizedMap(new LinkedHashMap<>());
    private boolean planned;

    Fencing(
            HostOperationLifecycle lifecycle,
            HostOperationSettings settings,
            PowerFence power,
            KernelDumps dumps) {
        this.lifecycle = lifecycle;
        this.engine = lifecycle.engine();
        this.context = lifecycle.context();
        this.settings = settings;
        this.power = power;
        this.dumps = dumps;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), context.settings().quietPeriod(), "fencing");
        this.silent = new SilentHosts(lifecycle, settings, dumps, warnings, this::plan);
        this.vms = new FencedVms(engine, this::durable);
    }

    /** Monitoring found a host to be silent; its fencing was not forbidden then. */
    void opened(HostWork work) {
        silent.opened(work);
    }

    /** These were open when the engine stopped. */
    void recover(List<Operation> open) {
        for (Operation operation : open) {
            if (operation.kind() == OperationKind.FENCE) {
                attempts.put(operation.id(), new FenceAttempt(operation, null, true));
            }
        }
        silent.readFailures();
        plan();
    }

    /** The operation is durable, and has its work. */
    void begun(Operation operation, @Nullable HostWork work) {
        FenceAttempt attempt = new FenceAttempt(operation, work, false);
        attempts.put(operation.id(), attempt);
        lookAlone(attempt);
        plan();
    }

    /** Why it can no longer be taken back; null if it can be. Any thread. */
    @Nullable String refusesCancel(UUID id) {
        FenceAttempt attempt = attempts.get(id);
        return attempt == null || attempt.phase.isHarmless()
                ? null
                : "the host's power is being switched; this step cannot be cancelled";
    }

    /** Only an attempt that has not begun to switch can be cancelled. */
    void cancel(UUID id) {
        FenceAttempt attempt = attempts.get(id);
        if (attempt != null && attempt.phase.isHarmless()) {
            if (attempt.phase == Phase.DUMPING) {
                rebootFailed(attempt);
            }
            cancel(attempt, "was cancelled before its power was switched");
        }
    }

    // ---------------------------------------------------------------------------------- looking

    private void plan() {
        if (!planned && !(silent.isEmpty() && attempts.isEmpty())) {
            planned = true;
            context.after(
                    settings.look(),
                    () -> {
                        planned = false;
                        silent.look();
                        List.copyOf(attempts.values()).forEach(this::lookAlone);
                        plan();
                    });
        }
    }

    /** A failed check does not affect the other hosts; it is repeated with the next one. */
    private void lookAlone(FenceAttempt attempt) {
        String piece = "fencing of host " + attempt.host();
        boolean _ = context.isolated(piece, () -> look(attempt));
        if (!isOpen(attempt)) {
            context.forgetPiece(piece);
        }
    }

    private void look(FenceAttempt attempt) {
        switch (attempt.phase) {
            case CHECKING -> check(attempt);
            case DUMPING -> lookAtDump(attempt);
            case LEASES -> settle(attempt);
            case MARKING_DUMP, ENDING_DUMP, READING, MARKING, SWITCHING, SETTLING, RETURNING -> {}
        }
    }

    // ------------------------------------------------------------------------------- one attempt

    private void check(FenceAttempt attempt) {
        HostState host = lifecycle.host(attempt.host());
        FenceDecision.Seen seen =
                host == null
                        ? new FenceDecision.Seen(null, 0, false)
                        : new FenceDecision.Seen(
                                host.status(),
                                host.condition().episode(),
                                context.vmAccess().isSoftFenced(attempt.host()));
        switch (FenceDecision.next(attempt, seen)) {
            case Next.Gone _ -> fail(attempt, Code.GONE, "the host is not there any more");
            case Next.Stop(String why) -> cancel(attempt, why);
            case Next.SetDown _ -> {
                attempt.runs = vms.runsOn(attempt.host());
                doing(attempt, "sets its VMs down");
                settle(attempt);
            }
            case Next.Fence(boolean unlessHeld, boolean listens) -> {
                if (unlessHeld && silent.isHeld(attempt.host())) {
                    return; // checked again
                }
                if (listens) {
                    listen(attempt);
                } else {
                    read(attempt);
                }
            }
            case Next.Wait _ -> {}
        }
    }

    // ------------------------------------------------------------------------------ kernel dumps

    /** A host that is silent because it writes a kernel dump is left to it. */
    private void listen(FenceAttempt attempt) {
        switch (dumps.look(attempt)) {
            case NOT_DUMPING -> read(attempt);
            case WAIT -> {
                String step = "listens whether it writes a kernel dump";
                if (!attempt.operation().step().equals(step)) {
                    doing(attempt, step);
                }
            }
            case DUMPING, OVER -> {
                attempt.phase = Phase.MARKING_DUMP;
                attempt.runs = vms.runsOn(attempt.host());
                doing(attempt, "it writes a kernel dump; its power stays on meanwhile");
                order(
                        attempt,
                        new HostFact.Dump(attempt.episode()),
                        Phase.CHECKING,
                        () -> {
                            attempt.phase = Phase.DUMPING;
                            context.vmAccess()
                                    .audit(
                                            AuditEvent.KDUMP_FLOW_DETECTED_ON_VDS,
                                            null,
                                            attempt.host(),
                                            attempt.details(Map.of()));
                        });
            }
        }
    }

    /** Once it is over the host boots, and its VMs no longer run. */
    private void lookAtDump(FenceAttempt attempt) {
        if (dumps.look(attempt) != KdumpDetection.Verdict.OVER) {
            return;
        }
        attempt.phase = Phase.ENDING_DUMP;
        order(
                attempt,
                new HostFact.DumpOver(),
                Phase.DUMPING,
                () -> {
                    attempt.dumped = true;
                    context.vmAccess()
                            .audit(
                                    AuditEvent.KDUMP_FLOW_FINISHED_ON_VDS,
                                    null,
                                    attempt.host(),
                                    attempt.details(Map.of("reason", dumps.over(attempt.host()))));
                    doing(attempt, "has written its kernel dump; sets its VMs down");
                    settle(attempt);
                });
    }

    /**
     * Has the host's monitor take a fact.
     *
     * @param otherwise where the attempt continues if the monitor was replaced meanwhile
     */
    private void order(
            FenceAttempt attempt, HostFact.Order order, Phase otherwise, Runnable followed) {
        Phase phase = attempt.phase;
        CompletableFuture<OrderAnswer> asked =
                context.administration().order(attempt.host(), order);
        if (asked == null) {
            fail(attempt, Code.GONE, "the host is not there any more");
            return;
        }
        CompletableFuture<OrderAnswer> _ =
                asked.whenComplete((answer, failure) ->
                        context.post(() -> {
                            if (!isOpen(attempt) || attempt.phase != phase) {
                                return;
                            }
                            switch (answer) {
                                case null -> {
                                    warnings.about(
                                            "a host was not marked", String.valueOf(failure));
                                    attempt.phase = otherwise;
                                }
                                case OrderAnswer.Refused(HostStatus _, String why) ->
                                        cancel(attempt, "no power was switched: " + why);
                                case OrderAnswer.Followed _ -> followed.run();
                            }
                        }));
    }

    // ------------------------------------------------------------------------------ switching off

    private void read(FenceAttempt attempt) {
        attempt.phase = Phase.READING;
        context.storeExecutor()
                .submit(
                        () -> {
                            List<FenceAgent> agents =
                                    engine.definitions().store().fenceAgents(attempt.host());
                            context.post(() -> known(attempt, agents));
                        },
                        failure -> context.post(() -> unread(attempt, failure)));
    }

    private void unread(FenceAttempt attempt, Throwable failure) {
        warnings.about("agents were not read", failure.toString());
        if (failure instanceof StoreUnavailable) {
            attempt.phase = Phase.CHECKING; // checked again
        } else {
            fail(attempt, Code.INTERNAL, failure.toString());
        }
    }

    private void known(FenceAttempt attempt, List<FenceAgent> agents) {
        if (!isOpen(attempt) || attempt.phase != Phase.READING) {
            return;
        }
        switch (FenceDecision.way(
                attempt, agents, context.vmAccess().vmsOn(attempt.host()).size())) {
            case Way.None(String why) -> fail(attempt, Code.INVALID, why);
            case Way.DryRun(String result) -> {
                closed(attempt);
                lifecycle.succeed(attempt.operation(), result);
            }
            case Way.Switch(String by, HostFact.Order order) -> {
                if (attempt.isAutomatic() && silent.isHeld(attempt.host())) {
                    attempt.phase = Phase.CHECKING;
                    return;
                }
                attempt.phase = Phase.MARKING;
                attempt.runs = vms.runsOn(attempt.host());
                doing(attempt, "switches its power off by " + by);
                order(attempt, order, Phase.CHECKING, () -> switchOff(attempt));
            }
        }
    }

    private void switchOff(FenceAttempt attempt) {
        attempt.phase = Phase.SWITCHING;
        context.after(
                settings.fencingLimit(),
                () ->
                        switched(
                                attempt,
                                new PowerFence.Answer.Failed(
                                        "it took longer than %d s"
                                                .formatted(settings.fencingLimit().toSeconds()))));
        try {
            power.fence(
                    attempt.work(),
                    attempt.operation().id(),
                    answer -> context.post(() -> switched(attempt, answer)));
        } catch (RuntimeException e) {
            warnings.about("fencing failed", e.toString(), e);
            switched(attempt, new PowerFence.Answer.Failed(e.toString()));
        }
    }

    private void switched(FenceAttempt attempt, PowerFence.Answer answer) {
        if (!isOpen(attempt) || attempt.phase != Phase.SWITCHING) {
            return; // too late
        }
        switch (answer) {
            case PowerFence.Answer.Failed(String reason) -> {
                rebootFailed(attempt);
                context.vmAccess()
                        .audit(
                                AuditEvent.VDS_RECOVER_FAILED,
                                null,
                                attempt.host(),
                                attempt.details(Map.of("reason", reason)));
                fail(
                        attempt,
                        Code.HOST_LOST,
                        "its power is not confirmed as off, so its VMs are not started elsewhere: "
                                + reason);
                if (attempt.isAutomatic()) {
                    silent.failed(attempt.work());
                }
            }
            case PowerFence.Answer.Fenced _ -> {
                context.vmAccess()
                        .audit(
                                AuditEvent.VDS_RECOVER,
                                null,
                                attempt.host(),
                                attempt.details(Map.of("reason", attempt.work().why())));
                doing(attempt, "is off; sets its VMs down");
                settle(attempt);
            }
        }
    }

    // ------------------------------------------------------------------------------- its VMs

    private void settle(FenceAttempt attempt) {
        boolean first = attempt.phase != Phase.LEASES;
        if (first) {
            attempt.phase = Phase.SETTLING;
            context.vmAccess().nothingRuns(attempt.host());
        }
        boolean leases = vms.setDown(attempt);
        if (first && attempt.uncommitted.isEmpty()) {
            settled(attempt);
        } else if (!first && !leases && attempt.uncommitted.isEmpty()) {
            finish(attempt);
        }
    }

    /** One of its VMs is durably down. */
    private void durable(FenceAttempt attempt) {
        if (attempt.phase == Phase.SETTLING && attempt.uncommitted.isEmpty()) {
            settled(attempt);
        }
    }

    private void settled(FenceAttempt attempt) {
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
        context.after(
                settings.fencingLimit(),
                () -> returned(attempt, "no answer about its power within the time limit"));
        try {
            power.powerOn(attempt.host(), reason -> context.post(() -> returned(attempt, reason)));
        } catch (RuntimeException e) {
            warnings.about("a host was not switched on", e.toString(), e);
            returned(attempt, e.toString());
        }
    }

    private void returned(FenceAttempt attempt, @Nullable String reason) {
        if (!isOpen(attempt) || attempt.phase != Phase.RETURNING) {
            return;
        }
        if (reason != null) {
            LOG.warn("host={} was not switched on again: {}", attempt.host(), reason);
        }
        attempt.result =
                reason == null
                        ? "was switched off and on"
                        : "was switched off, but not on again: " + reason;
        attempt.phase = Phase.LEASES;
        settle(attempt);
    }

    private void finish(FenceAttempt attempt) {
        closed(attempt);
        lifecycle.succeed(
                attempt.operation(),
                "%s; VMs set down: %d".formatted(attempt.result, attempt.down));
    }

    // ---------------------------------------------------------------------------------- endings

    private boolean isOpen(FenceAttempt attempt) {
        return attempts.get(attempt.operation().id()) == attempt;
    }

    private void doing(FenceAttempt attempt, String step) {
        attempt.is(attempt.operation().doing(step, context.clock().now()));
        context.goesOn(attempt.operation());
    }

    private void closed(FenceAttempt attempt) {
        attempts.remove(attempt.operation().id());
        dumps.leave(attempt.host());
    }

    private void cancel(FenceAttempt attempt, String result) {
        closed(attempt);
        lifecycle.cancel(attempt.operation(), result);
    }

    private void fail(FenceAttempt attempt, Code code, String reason) {
        if (isOpen(attempt)) {
            closed(attempt);
            lifecycle.fail(attempt.operation(), code, reason);
        }
    }

    /** It is not rebooting after all: its monitor watches it again. */
    private void rebootFailed(FenceAttempt attempt) {
        CompletableFuture<OrderAnswer> _ =
                context.administration().order(attempt.host(), new HostFact.RebootFailed());
    }
}
