package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.NonOperationalReason;

/**
 * Why a host may not run VMs of its cluster.
 *
 * @param reason the reason
 * @param event event for the audit log
 * @param details values for the event's text, by name
 */
public record Unfitness(
        NonOperationalReason reason, AuditEvent event, Map<String, String> details) {

    public Unfitness {
        details = Map.copyOf(details);
    }
}
