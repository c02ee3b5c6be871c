package org.stillwater.monitoring.history.durable;

import java.time.Duration;
import org.stillwater.core.store.HistoryStore.Retention;

/**
 * Limits of durable history.
 *
 * @param enabled whether history is recorded; earlier records stay readable either way
 * @param interval time between two samples; an hour is a multiple of it
 * @param retention how long it is kept
 * @param ahead for how long ahead room is made
 * @param backlog intervals that may wait to become durable; later ones are left out
 * @param hourBacklog closed hours that may wait to become durable; beyond it the oldest is given up
 *     and computed from its samples
 */
public record DurableHistorySettings(
        boolean enabled,
        Duration interval,
        Retention retention,
        Duration ahead,
        int backlog,
        int hourBacklog) {

    /** Shortest interval: an hour's samples fit the counts of the tables, a day's as well. */
    public static final Duration SHORTEST = Duration.ofSeconds(10);

    private static final Duration HOUR = Duration.ofHours(1);

    /**
     * Every minute, kept for 24 h, hours for 60 days, days for 5 years; room for 3 h; 10 intervals
     * and 3 hours may wait.
     */
    public static final DurableHistorySettings DEFAULT =
            new DurableHistorySettings(
                    true,
                    Duration.ofMinutes(1),
                    new Retention(
                            Duration.ofHours(24), Duration.ofDays(60), Duration.ofDays(1_826)),
                    Duration.ofHours(3),
                    10,
                    3);

    public DurableHistorySettings {
        if (!dividesAnHour(interval)) {
            throw new IllegalArgumentException(
                    "an hour is a multiple of the interval, which is 10 s to 1 h: " + interval);
        }
        if (backlog < 1 || hourBacklog < 1) {
            throw new IllegalArgumentException("every limit is at least 1");
        }
        if (ahead.compareTo(HOUR) < 0 || ahead.compareTo(Duration.ofDays(7)) > 0) {
            throw new IllegalArgumentException("room is made for 1 h to 7 days ahead");
        }
    }

    /** Whether samples at this interval fall at the same times of every hour. */
    public static boolean dividesAnHour(Duration interval) {
        return interval.compareTo(SHORTEST) >= 0
                && interval.compareTo(HOUR) <= 0
                && HOUR.toNanos() % interval.toNanos() == 0
                && interval.toNanosPart() == 0;
    }

    /** The same, recorded or not. */
    public DurableHistorySettings withEnabled(boolean recorded) {
        return new DurableHistorySettings(
                recorded, interval, retention, ahead, backlog, hourBacklog);
    }
}
