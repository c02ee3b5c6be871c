package org.stillwater.monitoring.worker;

import java.time.Duration;

/**
 * How supervised threads are kept alive.
 *
 * @param firstPause before a loop goes on that failed; doubles up to {@code longestPause}
 * @param longestPause see {@code firstPause}
 * @param failingLimit a loop, or one piece of its work, that fails for longer makes health say no,
 *     if it failed more than once
 * @param stuckLimit a loop that works for longer on one piece makes health say no
 * @param quietPeriod a repeated failure is logged once in this time
 */
public record WorkerSettings(
        Duration firstPause,
        Duration longestPause,
        Duration failingLimit,
        Duration stuckLimit,
        Duration quietPeriod) {

    /** The documented defaults. */
    public static final WorkerSettings DEFAULT =
            new WorkerSettings(
                    Duration.ofMillis(100),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(10));

    public WorkerSettings {
        for (Duration time :
                new Duration[] {firstPause, longestPause, failingLimit, stuckLimit, quietPeriod}) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException("times of workers must be positive");
            }
        }
        if (firstPause.compareTo(longestPause) > 0) {
            throw new IllegalArgumentException("the first pause is not longer than the longest");
        }
    }
}
