package org.stillwater.monitoring.host;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Limits the unrequested messages of one host. Messages beyond the limit are left out; one poll
 * replaces all of them, so no lasting change is missed. A limited host is named once per episode,
 * which ends when its bucket is full again. Used by the host's thread; {@link #since} and {@link
 * #tookIn} by any.
 */
final class EventLimiter {

    /** For how long a host that sent more than is read stays named. */
    private static final long SLOWED_NANOS = Duration.ofSeconds(10).toNanos();

    private final HostId host;
    private final FloodLimits limits;
    private final AuditLog audit;
    private final ThrottledLog warnings;
    private final MonitoringMeters meters;
    private final EngineClock clock;
    private final TokenBucket events;
    private final TokenBucket intakes;
    private final AtomicInteger takenIn = new AtomicInteger();
    private volatile @Nullable Instant since;
    private boolean slowed;
    private long slowedNanos;

    EventLimiter(HostId host, HostServices services, ThrottledLog warnings) {
        this.host = host;
        this.limits = services.settings().flood();
        this.audit = services.audit();
        this.warnings = warnings;
        this.meters = services.meters();
        this.clock = services.clock();
        long now = clock.nanoTime();
        this.events =
                new TokenBucket(
                        limits.eventBurst(), limits.eventsPerSecond(), Duration.ofSeconds(1), now);
        this.intakes =
                new TokenBucket(
                        limits.intakeBurst(), limits.intakePerMinute(), Duration.ofMinutes(1), now);
    }

    /** Whether an event is handled; if not, a poll is to replace it. */
    boolean admitsEvent() {
        if (events.take(clock.nanoTime())) {
            return true;
        }
        meters.eventLimited();
        warnings.about(
                "too many events",
                "above " + limits.eventsPerSecond() + " a second polls of this host replace them");
        begin("events");
        return false;
    }

    /** Charges an event about several VMs. */
    void charge(int more) {
        if (more > 0) {
            events.charge(more);
        }
    }

    /** Whether one more unknown VM may be imported; if not, a later poll contains it again. */
    boolean admitsIntake() {
        boolean most = takenIn.get() >= limits.intakeMost();
        if (!most && intakes.take(clock.nanoTime())) {
            return true;
        }
        meters.intakeLimited();
        warnings.about(
                "too many unknown VMs",
                most
                        ? "its reports are accepted for at most " + limits.intakeMost()
                        : "above " + limits.intakePerMinute() + " a minute they wait");
        begin("unknown VMs");
        return false;
    }

    /** An unknown VM was imported. Any thread. */
    void tookIn() {
        takenIn.incrementAndGet();
    }

    /** The host sends more than its connection reads, and waits. */
    void slowed() {
        slowed = true;
        slowedNanos = clock.nanoTime();
        warnings.about("too much data", "reads from it are delayed");
        begin("data");
    }

    private void begin(String what) {
        if (since == null) {
            since = clock.now();
            audit.record(AuditEvent.HOST_FLOODS, null, host, Map.of("what", what));
        }
    }

    /** Checks whether an episode is over. */
    void timePassed() {
        if (since == null) {
            return;
        }
        long now = clock.nanoTime();
        slowed &= now - slowedNanos < SLOWED_NANOS;
        boolean most = takenIn.get() >= limits.intakeMost();
        if (!slowed && !most && events.isFull(now) && intakes.isFull(now)) {
            since = null;
            audit.record(AuditEvent.HOST_FLOOD_ENDED, null, host, Map.of());
        }
    }

    /** Since when the host is limited; null while it is not. Any thread. */
    @Nullable Instant since() {
        return since;
    }
}
