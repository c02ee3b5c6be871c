package org.stillwater.monitoring.audit;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Suppresses repeats of an event about the same VM, host and component within the event's flood
 * interval, counted from the recorded one (monitoring specification §3.9). Keeps a bounded number
 * of subjects; beyond it the oldest may repeat early. Not thread-safe.
 */
final class FloodControl {

    private record Subject(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            @Nullable String part) {}

    private final int most;

    /** When each subject may have its next event, in the order of their last ones. */
    private final Map<Subject, Long> quietUntil = new LinkedHashMap<>();

    FloodControl(int most) {
        this.most = most;
    }

    /** Whether the event must be recorded; if so, its interval begins now. */
    boolean admits(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            @Nullable String part,
            long nowNanos) {
        if (event.flood().isZero()) {
            return true;
        }
        Subject subject = new Subject(event, vmId, hostId, part);
        Long until = quietUntil.get(subject);
        if (until != null && until - nowNanos > 0) {
            return false;
        }
        told(subject, nowNanos);
        return true;
    }

    /** Its event has this time, perhaps from a former life of the engine. */
    void told(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            @Nullable String part,
            long atNanos) {
        if (!event.flood().isZero()) {
            told(new Subject(event, vmId, hostId, part), atNanos);
        }
    }

    private void told(Subject subject, long atNanos) {
        quietUntil.remove(subject);
        Iterator<Long> oldest = quietUntil.values().iterator();
        while (oldest.hasNext() && (oldest.next() - atNanos <= 0 || quietUntil.size() >= most)) {
            oldest.remove();
        }
        quietUntil.put(subject, atNanos + subject.event().flood().toNanos());
    }

    int size() {
        return quietUntil.size();
    }
}
