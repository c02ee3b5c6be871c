package org.stillwater.core.history;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** How finely durable history is kept. Times are in UTC. */
public enum HistoryTier {
    /** One sample a minute; a partition per hour. */
    MINUTE(1, Duration.ofMinutes(1), ChronoUnit.HOURS),
    /** Minimum, mean, maximum and count of an hour; a partition per month. */
    HOUR(2, Duration.ofHours(1), ChronoUnit.MONTHS),
    /** Minimum, mean, maximum and count of a day; a partition per year. */
    DAY(3, Duration.ofDays(1), ChronoUnit.YEARS);

    private final int code;
    private final Duration width;
    private final ChronoUnit partition;

    HistoryTier(int code, Duration width, ChronoUnit partition) {
        this.code = code;
        this.width = width;
        this.partition = partition;
    }

    /** The value of the database. */
    public int code() {
        return code;
    }

    /** The time that one point stands for; of {@link #MINUTE} the default, which is a setting. */
    public Duration width() {
        return width;
    }

    /** The time that one partition holds. */
    public ChronoUnit partition() {
        return partition;
    }
}
