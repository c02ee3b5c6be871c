package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Benchmark runs of disks that agents in VMs and on hosts post.
 *
 * @param retention time for which runs are kept
 * @param maxRuns runs in memory; each takes about 2 KB, and older ones are in no answer
 * @param maxRunsPerObject runs in memory of one VM or host: the series that dips are searched in
 * @param maxRunsPerDay runs that one VM or host may post in 24 hours, at most max-runs-per-object
 * @param leastChangePercent smallest loss of speed that is a dip, in percent of the old level
 * @param budget time that the runs of one VM or host may take in 24 hours; permits keep to it
 * @param guardLatency latency of a storage domain above which no run is permitted on it
 * @param guardPercent latency of a storage domain above which no run is permitted on it, in percent
 *     of its usual one
 */
@ConfigurationProperties("stillwater.benchmarks")
public record BenchmarkSettings(
        @DefaultValue("4320h") Duration retention,
        @DefaultValue("5000") int maxRuns,
        @DefaultValue("200") int maxRunsPerObject,
        @DefaultValue("48") int maxRunsPerDay,
        @DefaultValue("10") int leastChangePercent,
        @DefaultValue("30m") Duration budget,
        @DefaultValue("50ms") Duration guardLatency,
        @DefaultValue("200") int guardPercent) {

    public BenchmarkSettings {
        Checks.duration(
                "benchmarks.retention", retention, Duration.ofHours(1), Duration.ofDays(3_650));
        Checks.number("benchmarks.max-runs", maxRuns, 1, 1_000_000);
        Checks.number("benchmarks.max-runs-per-object", maxRunsPerObject, 20, 10_000);
        Checks.number("benchmarks.max-runs-per-day", maxRunsPerDay, 1, 10_000);
        Checks.require( // runs that are not in memory do not count
                maxRunsPerDay <= maxRunsPerObject,
                "benchmarks.max-runs-per-day",
                "at most stillwater.benchmarks.max-runs-per-object (%d)"
                        .formatted(maxRunsPerObject),
                Integer.toString(maxRunsPerDay));
        Checks.number("benchmarks.least-change-percent", leastChangePercent, 1, 99);
        Checks.duration("benchmarks.budget", budget, Duration.ZERO, Duration.ofHours(24));
        Checks.duration(
                "benchmarks.guard-latency",
                guardLatency,
                Duration.ofMillis(1),
                Duration.ofSeconds(60));
        Checks.number("benchmarks.guard-percent", guardPercent, 101, 10_000);
    }
}
