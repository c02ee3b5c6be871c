package org.stillwater.monitoring.host;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * The audit log for entries that the reports of one host cause, up to the limit of one host.
 * Further entries are counted by event and reported in one entry a minute. The known state of VMs
 * and hosts does not depend on it. Thread-safe.
 */
public final class HostAuditLog {

    private static final long SUMMARY_NANOS = Duration.ofMinutes(1).toNanos();

    private final HostId host;
    private final AuditLog log;
    private final ThrottledLog warnings;
    private final MonitoringMeters meters;
    private final EngineClock clock;
    private final int perMinute;

    // Guarded by this.
    private final TokenBucket entries;
    private final Map<AuditEvent, Integer> leftOut = new EnumMap<>(AuditEvent.class);
    private long countingSinceNanos;
    private @Nullable Instant since;

    HostAuditLog(HostId host, HostServices services, ThrottledLog warnings) {
        this.host = host;
        this.log = services.audit();
        this.warnings = warnings;
        this.meters = services.meters();
        this.clock = services.clock();
        FloodLimits limits = services.settings().flood();
        this.perMinute = limits.auditPerMinute();
        this.entries =
                new TokenBucket(
                        limits.auditBurst(), perMinute, Duration.ofMinutes(1), clock.nanoTime());
    }

    /** Records an event that this host's report caused, unless the host is over its limit. */
    public void record(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            Map<String, String> details) {
        boolean admitted;
        synchronized (this) {
            long now = clock.nanoTime();
            admitted = entries.take(now);
            if (!admitted) {
                if (leftOut.isEmpty()) {
                    countingSinceNanos = now;
                    since = since == null ? clock.now() : since;
                }
                leftOut.merge(event, 1, Integer::sum);
            }
        }
        if (admitted) {
            log.record(event, vmId, hostId, details);
        } else {
            meters.auditLimited();
            warnings.about(
                    "too many audit entries",
                    "above " + perMinute + " a minute they are only counted");
        }
    }

    /** Records the events left out, once a minute has passed. */
    void timePassed() {
        String told;
        int count;
        synchronized (this) {
            if (leftOut.isEmpty() && since != null && entries.isFull(clock.nanoTime())) {
                since = null;
            }
            if (leftOut.isEmpty() || clock.nanoTime() - countingSinceNanos < SUMMARY_NANOS) {
                return;
            }
            count = leftOut.values().stream().mapToInt(Integer::intValue).sum();
            told =
                    leftOut.entrySet().stream()
                            .map(entry -> entry.getKey() + " " + entry.getValue())
                            .collect(Collectors.joining(", "));
            leftOut.clear();
        }
        log.record(
                AuditEvent.HOST_ENTRIES_LEFT_OUT,
                null,
                host,
                Map.of("count", Integer.toString(count), "kinds", told));
    }

    /** Since when entries of this host are left out; null while none are. */
    synchronized @Nullable Instant since() {
        return since;
    }
}
