package org.stillwater.monitoring.write;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

/**
 * When a writer looks after its partitions: once each day of the wall clock, in UTC, whether it
 * writes or not, and again five minutes after a failure. One thread's own.
 */
public final class DailyMaintenance {

    private static final Duration INTERVAL = Duration.ofDays(1);
    private static final Duration RETRY = Duration.ofMinutes(5);

    /**
     * Longest time between two readings of the wall clock by an idle writer: that may be set, and
     * monotonic time may stand still while the machine sleeps.
     */
    private static final Duration LOOK = Duration.ofMinutes(1);

    private long attemptedDay = Long.MIN_VALUE;
    private long doneDay = Long.MIN_VALUE;
    private long dueNanos;

    /** Maintenance that was never done: it is due. */
    public DailyMaintenance() {}

    /** Whether it is to be tried now. */
    public boolean isDue(Instant now, long nowNanos) {
        return attemptedDay != day(now) || dueNanos - nowNanos <= 0;
    }

    /** Whether it succeeded on this day: there are partitions for it. */
    public boolean isDone(Instant now) {
        return doneDay == day(now);
    }

    /** It is tried now. Unless it succeeds, it is due again in five minutes. */
    public void attempt(Instant now, long nowNanos) {
        attemptedDay = day(now);
        dueNanos = nowNanos + RETRY.toNanos();
    }

    /** The attempt succeeded. */
    public void succeeded(long nowNanos) {
        doneDay = attemptedDay;
        dueNanos = nowNanos + INTERVAL.toNanos();
    }

    /** Nanoseconds until an idle writer asks again; 0 if it is due. */
    public long delayNanos(Instant now, long nowNanos) {
        return isDue(now, nowNanos) ? 0 : Math.min(dueNanos - nowNanos, LOOK.toNanos());
    }

    private static long day(Instant at) {
        return at.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay();
    }
}
