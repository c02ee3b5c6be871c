package org.stillwater.core.analysis.host;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWorkKind;
import org.stillwater.core.port.HostFailure;

/**
 * What follows from a contact that failed (monitoring specification §3.4, §5.1): a host is forgiven
 * for a while, then given up; what a host that is given up may still be doing is not decided here
 * but left to fencing.
 */
final class Silence {

    private Silence() {}

    static void failed(HostVerdict verdict, HostFailure failure) {
        if (!verdict.status().isRefreshed()) {
            return; // in maintenance, being rebooted, down: nobody expects an answer
        }
        verdict.watch = verdict.watch.failed();
        if (verdict.status() == HostStatus.NON_RESPONSIVE) {
            stillSilent(verdict, failure);
        } else if (isForgiven(verdict)) {
            lost(verdict, failure);
        } else {
            giveUp(verdict, failure);
        }
    }

    /** Both the failures and the time must be exceeded. */
    private static boolean isForgiven(HostVerdict verdict) {
        return verdict.watch.failures() <= verdict.context.policy().failures()
                || verdict.now() - verdict.watch.lastContactNanos() <= grace(verdict).toNanos();
    }

    private static Duration grace(HostVerdict verdict) {
        return verdict.context
                .policy()
                .grace(verdict.context.vms(), verdict.context.storagePoolManager());
    }

    private static void lost(HostVerdict verdict, HostFailure failure) {
        if (verdict.can(HostTransition.CONTACT_LOST)) {
            verdict.take(HostTransition.CONTACT_LOST);
            verdict.audit(
                    verdict.context.powerManagement()
                            ? AuditEvent.VDS_HOST_NOT_RESPONDING_CONNECTING
                            : AuditEvent.VDS_HOST_NOT_RESPONDING,
                    Map.of(
                            "seconds",
                            Long.toString(grace(verdict).toSeconds()),
                            "cause",
                            failure.describe()));
        }
    }

    private static void giveUp(HostVerdict verdict, HostFailure failure) {
        verdict.take(HostTransition.GIVEN_UP);
        verdict.watch = verdict.watch.withSilentFailures(1);
        verdict.run(HostDecision.Step.LOSE_VMS);
        verdict.audit(
                failure instanceof HostFailure.UnknownAddress
                        ? AuditEvent.VDS_UNKNOWN_HOST
                        : AuditEvent.VDS_FAILURE,
                Map.of("cause", failure.describe()));
        verdict.tell(HostDecision.Signal.HOST_NOT_RESPONDING);
        considerFencing(verdict, failure);
        considerLeases(verdict);
    }

    private static void stillSilent(HostVerdict verdict, HostFailure failure) {
        verdict.watch = verdict.watch.withSilentFailures(verdict.watch.silentFailures() + 1);
        // VMs that began to run here since, by what commands did, are no better known.
        verdict.run(HostDecision.Step.LOSE_VMS);
        considerFencing(verdict, failure);
        considerLeases(verdict);
    }

    /**
     * Fencing is asked for once per outage, as soon as nothing holds it back any more; each new
     * reason to hold it back is told once.
     */
    private static void considerFencing(HostVerdict verdict, HostFailure failure) {
        if (verdict.watch.fenced()) {
            return;
        }
        FencingHeld held = held(verdict.context, failure);
        if (held == null) {
            verdict.watch = verdict.watch.withFencing(true, null);
            verdict.queueOnce(HostWorkKind.FENCE, "it does not respond");
        } else if (held != verdict.watch.fencingHeld()) {
            verdict.watch = verdict.watch.withFencing(false, held);
            verdict.audit(held.event());
        }
    }

    private static @Nullable FencingHeld held(HostContext context, HostFailure failure) {
        return FencingHeld.of(
                context.policy(),
                context.fencing(),
                context.sinceEngineStartNanos(),
                context.silentPercent(),
                failure instanceof HostFailure.WrongCertificate);
    }

    /** A storage lease tells who may run a VM, so such VMs need not wait for fencing (§5.1). */
    private static void considerLeases(HostVerdict verdict) {
        if (!verdict.context.leaseVms()) {
            return;
        }
        HostPolicy policy = verdict.context.policy();
        int since = verdict.watch.silentFailures() - policy.leaseFirst();
        if (since >= 0 && since % policy.leaseEvery() == 0) {
            verdict.queueAgain(
                    HostWorkKind.RESTART_LEASE_VMS,
                    "its VMs may have lost their storage leases; contacts that failed: "
                            + verdict.watch.silentFailures());
        }
    }
}
