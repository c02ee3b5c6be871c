package org.stillwater.core.analysis.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.FencingPolicy;

/** Why a host that does not respond is not fenced now (monitoring specification §3.6). */
public enum FencingHeld {
    /** A machine answers at its address, and a certificate is refused: the host may be well. */
    WRONG_CERTIFICATE(AuditEvent.HOST_CERTIFICATE_HOLDS_FENCING),
    /** The engine has just started and may not have a report of any host yet. */
    ENGINE_JUST_STARTED(AuditEvent.VDS_ALERT_FENCE_OPERATION_SKIPPED),
    /** The cluster's policy forbids fencing. */
    FORBIDDEN_BY_CLUSTER(AuditEvent.VDS_ALERT_FENCE_DISABLED_BY_CLUSTER_POLICY),
    /** So many hosts of the cluster are silent that the engine may be the one that is cut off. */
    TOO_MANY_SILENT(AuditEvent.VDS_ALERT_FENCE_OPERATION_SKIPPED_BROKEN_CONNECTIVITY);

    private final AuditEvent event;

    FencingHeld(AuditEvent event) {
        this.event = event;
    }

    /** The event for the audit log. */
    public AuditEvent event() {
        return event;
    }

    /**
     * Why a host that does not respond is not fenced now; null if it may be.
     *
     * @param policy how patient the engine is
     * @param fencing when hosts of its cluster may be fenced
     * @param sinceEngineStartNanos how long the engine has been watching
     * @param silentPercent share of its cluster's watched hosts that are silent, 0–100
     * @param wrongCertificate whether its last contact failed by a refused certificate
     */
    public static @Nullable FencingHeld of(
            HostPolicy policy,
            FencingPolicy fencing,
            long sinceEngineStartNanos,
            int silentPercent,
            boolean wrongCertificate) {
        Integer most = fencing.mostSilentPercent();
        if (sinceEngineStartNanos < policy.fencingDelay().toNanos()) {
            return ENGINE_JUST_STARTED;
        }
        if (!fencing.enabled()) {
            return FORBIDDEN_BY_CLUSTER;
        }
        if (wrongCertificate) {
            return WRONG_CERTIFICATE;
        }
        if (most != null && silentPercent >= most) {
            return TOO_MANY_SILENT;
        }
        return null;
    }
}
