package org.stillwater.core.analysis.host;

import org.stillwater.core.model.AuditEvent;

/** Why a host that does not respond is not fenced now (monitoring specification §3.6). */
public enum FencingHeld {
    /** The engine has just started and may not have heard of anybody yet. */
    ENGINE_JUST_STARTED(AuditEvent.FENCE_DISABLED_AT_STARTUP),
    /** The cluster's policy forbids fencing. */
    FORBIDDEN_BY_CLUSTER(AuditEvent.FENCE_DISABLED_BY_CLUSTER),
    /** So many hosts of the cluster are silent that the engine may be the one that is cut off. */
    TOO_MANY_SILENT(AuditEvent.FENCE_SKIPPED_BROKEN_CONNECTIVITY);

    private final AuditEvent event;

    FencingHeld(AuditEvent event) {
        this.event = event;
    }

    /** What people are told. */
    AuditEvent event() {
        return event;
    }
}
