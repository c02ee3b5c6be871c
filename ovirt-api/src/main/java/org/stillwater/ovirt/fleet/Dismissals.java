package org.stillwater.ovirt.fleet;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;

/**
 * Events that a user no longer wants to see: the log itself names that user, so this is known again
 * after a restart, and nothing is ever taken out of the log. Stateless.
 */
public final class Dismissals {

    /** Name of the detail that is the identity of the event that was dismissed. */
    public static final String EVENT = "event";

    private Dismissals() {}

    /**
     * Those that were not dismissed since all were restored last.
     *
     * @param newestFirst all known entries; the dismissal of an event is newer than the event
     */
    public static List<AuditEntry> shown(List<AuditEntry> newestFirst) {
        Set<String> dismissed = new HashSet<>();
        List<AuditEntry> shown = new ArrayList<>(newestFirst.size());
        boolean restored = false;
        for (AuditEntry entry : newestFirst) {
            restored |= entry.event() == AuditEvent.EVENTS_RESTORED;
            if (entry.event() == AuditEvent.EVENT_DISMISSED && !restored) {
                dismissed.add(entry.details().getOrDefault(EVENT, ""));
            }
            if (dismissed.isEmpty() || !dismissed.contains(Long.toString(entry.id()))) {
                shown.add(entry);
            }
        }
        return shown;
    }
}
