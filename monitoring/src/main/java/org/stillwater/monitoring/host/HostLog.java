package org.stillwater.monitoring.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Lines of the log that the reports of one host cause, up to its limit of entries of the audit log.
 * Further lines are counted and reported by the host's complaints, so that a host cannot fill the
 * disk. The known state of VMs and hosts does not depend on it. Thread-safe.
 */
final class HostLog {

    private final ThrottledLog warnings;
    private final EngineClock clock;
    private final int perMinute;
    private final TokenBucket lines;

    HostLog(FloodLimits limits, EngineClock clock, ThrottledLog warnings) {
        this.warnings = warnings;
        this.clock = clock;
        this.perMinute = limits.auditPerMinute();
        this.lines =
                new TokenBucket(
                        limits.auditBurst(), perMinute, Duration.ofMinutes(1), clock.nanoTime());
    }

    /** Logs a line, unless the host has led to too many. */
    void info(Logger log, String format, @Nullable Object... arguments) {
        if (!log.isInfoEnabled()) {
            return;
        }
        if (admits()) {
            log.info(format, arguments);
        } else {
            leftOut();
        }
    }

    /** Logs a warning, unless the host has led to too many lines. */
    void warn(Logger log, String format, @Nullable Object... arguments) {
        if (admits()) {
            log.warn(format, arguments);
        } else {
            leftOut();
        }
    }

    private void leftOut() {
        warnings.about(
                "too many lines of the log",
                "above " + perMinute + " a minute they are only counted");
    }

    private synchronized boolean admits() {
        return lines.take(clock.nanoTime());
    }
}
