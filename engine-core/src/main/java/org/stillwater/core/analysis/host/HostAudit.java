package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.model.AuditEvent;

/**
 * Something about a host that people are to be told.
 *
 * @param event what it is
 * @param details values of the event's text, by name
 */
public record HostAudit(AuditEvent event, Map<String, String> details) {

    public HostAudit {
        details = Map.copyOf(details);
    }
}
