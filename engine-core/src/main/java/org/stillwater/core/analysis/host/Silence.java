package org.stillwater.core.analysis.host;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;

/**
 * Consequences of a failed contact (monitoring specification §3.4, §5.1): a host is forgiven for a
 * while, then given up. The possible activity of a host that is given up is left to fencing.
 */
final class Silence {

    private Silence() {}

    static void failed(HostDecisionBuilder builder, HostFailure failure) {
        if (!builder.status().isRefreshed()) {
            return; // in maintenance, being rebooted, down: no answer is expected
        }
        builder.watch = builder.watch.failed();
        if (builder.status() == HostStatus.NON_RESPONSIVE) {
            stillSilent(builder, failure);
        } else if (isForgiven(builder)) {
            lost(builder, failure);
        } else {
            giveUp(builder, failure);
        }
    }

    /** Both the failures and the time must be exceeded. */
    private static boolean isForgiven(HostDecisionBuilder builder) {
        return builder.watch.failures() <= builder.context.policy().failures()
                || builder.now() - builder.watch.lastContactNanos() <= grace(builder).toNanos();
    }

    private static Duration grace(HostDecisionBuilder builder) {
        return builder.context
                .policy()
                .grace(builder.context.vms(), builder.context.storagePoolManager());
    }

    private static void lost(HostDecisionBuilder builder, HostFailure failure) {
        if (builder.can(HostTransition.CONTACT_LOST)) {
            builder.take(HostTransition.CONTACT_LOST);
            builder.audit(
                    builder.context.powerManagement()
                            ? AuditEvent.VDS_HOST_NOT_RESPONDING_CONNECTING
                            : AuditEvent.VDS_HOST_NOT_RESPONDING,
                    Map.of(
                            "seconds",
                            Long.toString(grace(builder).toSeconds()),
                            "cause",
                            failure.describe()));
        }
    }

    private static void giveUp(HostDecisionBuilder builder, HostFailure failure) {
        builder.take(HostTransition.GIVEN_UP);
        builder.watch = builder.watch.withSilentFailures(1);
        builder.run(HostDecision.Step.LOSE_VMS);
        builder.audit(
                failure instanceof HostFailure.UnknownAddress
                        ? AuditEvent.VDS_UNKNOWN_HOST
                        : AuditEvent.VDS_FAILURE,
                Map.of("cause", failure.describe()));
        builder.tell(HostDecision.Signal.HOST_NOT_RESPONDING);
        considerFencing(builder, failure);
        considerLeases(builder);
    }

    private static void stillSilent(HostDecisionBuilder builder, HostFailure failure) {
        builder.watch = builder.watch.withSilentFailures(builder.watch.silentFailures() + 1);
        // VMs that commands started here since are no better known.
        builder.run(HostDecision.Step.LOSE_VMS);
        considerFencing(builder, failure);
        considerLeases(builder);
    }

    /**
     * Fencing is requested once per outage, as soon as no condition delays it; each new delaying
     * condition is reported once.
     */
    private static void considerFencing(HostDecisionBuilder builder, HostFailure failure) {
        if (builder.watch.fenced()) {
            return;
        }
        FencingHeld held = held(builder.context, failure);
        if (held == null) {
            builder.watch = builder.watch.withFencing(true, null);
            builder.queueOnce(HostWorkKind.FENCE, "it does not respond");
        } else if (held != builder.watch.fencingHeld()) {
            builder.watch = builder.watch.withFencing(false, held);
            builder.audit(held.event());
        }
    }

    private static @Nullable FencingHeld held(HostContext context, HostFailure failure) {
        return FencingHeld.of(
                context.policy(),
                context.fencing(),
                context.sinceEngineStartNanos(),
                context.silentPercent(),
                failure.isUntrusted());
    }

    /**
     * A storage lease names the host that may run a VM, so such VMs need not wait for fencing
     * (§5.1).
     */
    private static void considerLeases(HostDecisionBuilder builder) {
        if (!builder.context.leaseVms()) {
            return;
        }
        HostPolicy policy = builder.context.policy();
        int since = builder.watch.silentFailures() - policy.leaseFirst();
        if (since >= 0 && since % policy.leaseEvery() == 0) {
            builder.queueAgain(
                    HostWorkKind.RESTART_LEASE_VMS,
                    "its VMs may have lost their storage leases; contacts that failed: "
                            + builder.watch.silentFailures());
        }
    }
}
