package org.stillwater.monitoring.write;

import java.time.Duration;

/**
 * How changes reach the database.
 *
 * @param linger how long a change waits for others to share its batch
 * @param batch VMs written by one call at most
 * @param firstRetry pause after the database was first found unavailable; doubles from there
 * @param longestRetry longest such pause
 * @param quietPeriod a repeated problem is logged once in this time
 */
public record WriterSettings(
        Duration linger,
        int batch,
        Duration firstRetry,
        Duration longestRetry,
        Duration quietPeriod) {

    /** 10 ms, 2 000 VMs, retries from 200 ms to 5 s. */
    public static final WriterSettings DEFAULT =
            new WriterSettings(
                    Duration.ofMillis(10),
                    2_000,
                    Duration.ofMillis(200),
                    Duration.ofSeconds(5),
                    Duration.ofMinutes(10));

    public WriterSettings {
        if (linger.isNegative() || batch < 1) {
            throw new IllegalArgumentException("linger is not negative, a batch has a row");
        }
        if (!firstRetry.isPositive() || longestRetry.compareTo(firstRetry) < 0) {
            throw new IllegalArgumentException("retries pause for a positive, growing time");
        }
    }
}
