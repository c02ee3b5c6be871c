package org.stillwater.monitoring.benchmark;

import java.time.Duration;

/**
 * Limits of benchmark runs.
 *
 * @param mostRuns runs in memory
 * @param mostRunsOfObject runs in memory of one VM or host
 * @param mostRunsOfDay runs that one VM or host may post in 24 hours
 * @param retention time for which runs are kept
 * @param leastChange smallest relative change that is a dip, such as 0.1
 * @param budget time that runs of one VM or host may take in 24 hours, for permits
 * @param guardLatency latency of a storage domain above which no run is permitted
 * @param guardRatio the same relative to its usual latency, such as 2
 */
public record BenchmarkSettings(
        int mostRuns,
        int mostRunsOfObject,
        int mostRunsOfDay,
        Duration retention,
        double leastChange,
        Duration budget,
        Duration guardLatency,
        double guardRatio) {

    /** The documented defaults. */
    public static final BenchmarkSettings DEFAULT =
            new BenchmarkSettings(
                    5_000,
                    200,
                    48,
                    Duration.ofDays(180),
                    0.1,
                    Duration.ofMinutes(30),
                    Duration.ofMillis(50),
                    2);
}
