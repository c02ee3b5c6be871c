package org.stillwater.core.model;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** How finely durable history is kept. Times are in UTC. */
public enum HistoryTier {
    /** One sample a minute; a partition per hour. */
    MINUTE(Duration.ofMinutes(1), ChronoUnit.HOURS),
    /** Minimum, mean, maximum and count of an hour; a partition per month. */
    HOUR(Duration.ofHours(1), ChronoUnit.MONTHS),
    /** Minimum, mean, maximum and count of a day; a partition per year. */
    DAY(Duration.ofDays(1), ChronoUnit.YEARS);

    private final Duration width;
    private final ChronoUnit partition;

    HistoryTier(Duration width, ChronoUnit partition) {
        this.width = width;
        this.partition = partition;
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
