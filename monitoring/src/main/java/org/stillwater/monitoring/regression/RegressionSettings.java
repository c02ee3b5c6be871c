package org.stillwater.monitoring.regression;

import java.time.Duration;

/**
 * How regressions are found.
 *
 * @param interval time between two points
 * @param sample time between two samples of the fleet, at most the interval
 * @param window points of a series that are compared
 * @param mostSeries series that are measured; each takes 4 bytes a point
 * @param leastChange smallest relative change that is a finding, such as 0.1
 * @param mostFindings findings in memory, and findings that are open at a time
 * @param retention how long findings that ended are kept
 * @param mostChanges recorded changes that are kept for comparison
 */
public record RegressionSettings(
        Duration interval,
        Duration sample,
        int window,
        int mostSeries,
        double leastChange,
        int mostFindings,
        Duration retention,
        int mostChanges) {

    /** The documented defaults. */
    public static final RegressionSettings DEFAULT =
            new RegressionSettings(
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(30),
                    288,
                    100_000,
                    0.1,
                    1_000,
                    Duration.ofDays(90),
                    10_000);

    /** Part of an interval's samples that must have a value. */
    private static final double LEAST_SAMPLES = 0.3;

    /**
     * Samples that a point is made of at least.
     *
     * @param cycle time between two reports of a host
     */
    int leastSamples(Duration cycle) {
        long apart = Math.max(sample.toMillis(), cycle.toMillis());
        return Math.max(1, (int) (LEAST_SAMPLES * interval.toMillis() / apart));
    }

    /** Points of a day; 0 if a day is no whole number of them. */
    int day() {
        long day = Duration.ofDays(1).toMillis();
        return day % interval.toMillis() == 0 ? (int) (day / interval.toMillis()) : 0;
    }

    public RegressionSettings {
        if (sample.compareTo(interval) > 0 || sample.toMillis() < 1) {
            throw new IllegalArgumentException("a sample is taken once per interval at least");
        }
        if (window < 40) {
            throw new IllegalArgumentException("a window has 40 points at least");
        }
    }
}
