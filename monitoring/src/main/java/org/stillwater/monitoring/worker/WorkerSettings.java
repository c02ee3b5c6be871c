package org.stillwater.monitoring.worker;

import java.time.Duration;

/**
 * Settings of supervised threads.
 *
 * @param firstPause pause before a failed loop continues; doubles up to {@code longestPause}
 * @param longestPause see {@code firstPause}
 * @param failingLimit a loop or task that fails for longer, and more than once, sets health to DOWN
 * @param stuckLimit a loop that works for longer on one task sets health to DOWN
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
