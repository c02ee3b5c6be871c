package org.stillwater.monitoring.host;

import java.time.Duration;

/**
 * Limits for stuck monitoring of a host (monitoring specification §3.9).
 *
 * @param interval time between two checks of every host; zero for never
 * @param task longest processing time of one message or timer of a host
 * @param silence longest time without an answer or failure of a host in contact ({@code
 *     HostMonitoringWatchdogInactivityThresholdInSeconds})
 */
public record WatchdogSettings(Duration interval, Duration task, Duration silence) {

    /** A look a minute; five minutes for a task, 20 min (1 200 s) without an answer. */
    public static final WatchdogSettings DEFAULT =
            new WatchdogSettings(
                    Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(20));

    public WatchdogSettings {
        if (interval.isNegative() || !task.isPositive() || !silence.isPositive()) {
            throw new IllegalArgumentException(
                    "the watchdog's interval is not negative, its limits are positive");
        }
    }
}
