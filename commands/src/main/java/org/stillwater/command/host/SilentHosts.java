package org.stillwater.command.host;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.core.analysis.host.FencingHeld;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Hosts that are to be fenced and have no operation yet: they wait here while their agent may still
 * be restarted, while the policy holds fencing back, and between two attempts in one outage. Used
 * by the deciding thread only.
 */
final class SilentHosts {

    private static final Logger LOG = LoggerFactory.getLogger(SilentHosts.class);

    /** Failed attempts that are read when the engine starts. */
    private static final int MOST_FAILURES_READ = 1_000;

    private final HostOperationLifecycle lifecycle;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final KernelDumps dumps;
    private final ThrottledLog warnings;
    private final Runnable opened;
    private final FenceRetries retries;

    /** Hosts that are due for fencing once no condition delays it. */
    private final Map<HostId, HostWork> waiting = new LinkedHashMap<>();

    private final Map<HostId, FencingHeld> told = new HashMap<>();

    /**
     * No host waits yet.
     *
     * @param opened called when one does
     */
    SilentHosts(
            HostOperationLifecycle lifecycle,
            HostOperationSettings settings,
            KernelDumps dumps,
            ThrottledLog warnings,
            Runnable opened) {
        this.lifecycle = lifecycle;
        this.context = lifecycle.context();
        this.settings = settings;
        this.dumps = dumps;
        this.warnings = warnings;
        this.opened = opened;
        this.retries = new FenceRetries(settings.fencingAttempts(), settings.fencingRetry());
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Monitoring found a host to be silent; its fencing was not forbidden then. */
    void opened(HostWork work) {
        waiting.put(work.host(), work);
        if (!settings.fencingDryRun()) {
            dumps.attend(work.host());
        }
        look();
        opened.run();
    }

    /** Begins fencing without a delaying condition, and drops the hosts that are back. */
    void look() {
        for (HostWork work : List.copyOf(waiting.values())) {
            String piece = "fencing of silent host " + work.host();
            boolean _ = context.isolated(piece, () -> look(work));
            if (!waiting.containsKey(work.host())) {
                context.forgetPiece(piece);
            }
        }
    }

    private void look(HostWork work) {
        HostState host = lifecycle.host(work.host());
        if (host == null || !lifecycle.isPresent(work)) {
            waiting.remove(work.host());
            told.remove(work.host());
            retries.forget(work.host());
            dumps.leave(work.host());
        } else if (host.status() == HostStatus.NON_RESPONSIVE
                && !context.vmAccess().isSoftFenced(work.host())
                && !isHeld(work.host())) {
            OperationParameters how = new OperationParameters.Fence(settings.fencingDryRun());
            if (retries.hasFailed(work)) {
                lifecycle.beginAgain(work, OperationKind.FENCE, how);
            } else {
                lifecycle.begin(work, OperationKind.FENCE, how);
            }
            waiting.remove(work.host(), work);
        }
    }

    /** Whether the policy holds fencing back now; each reason is reported once. */
    boolean isHeld(HostId host) {
        if (mayHoldLeases(host)) {
            return true;
        }
        FencingHeld held = context.vmAccess().fencingHeld(host);
        FencingHeld before = held == null ? told.remove(host) : told.put(host, held);
        if (held != null && held != before) {
            context.vmAccess().audit(held.event(), null, host, Map.of());
        }
        return held != null;
    }

    /** Whether it must be silent for longer, so that it can have lost its storage leases. */
    private boolean mayHoldLeases(HostId id) {
        HostState host = lifecycle.host(id);
        Cluster cluster =
                host == null ? null : context.fleet().cluster(host.definition().cluster());
        return host != null
                && cluster != null
                && cluster.fencing().leaseRespected()
                && context.vmAccess().inStatusFor(id).compareTo(settings.leaseWait()) < 0;
    }

    // ----------------------------------------------------------------------------------- retries

    /** It could not be switched off: it is tried again, unless that was done often enough. */
    void failed(HostWork work) {
        FenceRetries.Retry retry = retries.failed(work);
        if (retry.after() == null) {
            LOG.warn(
                    "host={} could not be switched off {} times; switch it off by hand, and confirm"
                            + " that it was rebooted",
                    work.host(),
                    retry.count());
            return;
        }
        context.after(
                retry.after(),
                () -> {
                    if (retries.isDue(work, retry.count())) {
                        opened(work);
                    }
                });
    }

    /** How often hosts were not switched off before the engine was restarted. */
    void readFailures() {
        context.storeExecutor()
                .submit(
                        () -> {
                            List<Operation> failed =
                                    context.store()
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
                            context.post(() -> failed.reversed().forEach(this::failedBefore));
                        },
                        failure ->
                                warnings.about(
                                        "failed fencing was not read",
                                        String.valueOf(failure.getMessage())));
    }

    private void failedBefore(Operation operation) {
        HostState host = lifecycle.host(Objects.requireNonNull(operation.host()));
        OperationFailure failure = operation.failure();
        if (host != null
                && host.condition().episode() == operation.generation()
                && failure != null
                && failure.code() == Code.HOST_LOST
                && operation.origin().requestedBy().equals(HostOperationLifecycle.ENGINE)) {
            failed(FenceAttempt.workOf(operation));
        }
    }
}
