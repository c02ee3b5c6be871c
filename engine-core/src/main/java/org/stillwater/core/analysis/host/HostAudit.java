package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;

/**
 * Audit event about a host.
 *
 * @param event the event
 * @param details values of the event's text, by name
 */
public record HostAudit(AuditEvent event, Map<String, String> details) {

    public HostAudit {
        details = Map.copyOf(details);
    }
}
