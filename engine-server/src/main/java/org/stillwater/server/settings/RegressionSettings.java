package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The search for regressions: levels of latency, throughput or loss that moved and stay.
 *
 * @param enabled whether the engine searches; without it there are no findings
 * @param interval time between two points of a series
 * @param sample time between two samples of the fleet; at most {@code interval}
 * @param window points of a series that are compared
 * @param maxSeries series that are measured at most; each takes 4 bytes a point of {@code window}
 * @param leastChangePercent smallest change that is a finding, in percent of the old level
 * @param maxFindings findings in memory, and findings that last at a time
 * @param retention how long findings that ended are kept
 * @param maxChanges recorded changes that are kept for comparison with the begins of regressions
 * @param readBack how long points of series are kept in the database, and how far they are read
 *     back after a start; 0 for neither
 */
@ConfigurationProperties("stillwater.regressions")
public record RegressionSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("5m") Duration interval,
        @DefaultValue("30s") Duration sample,
        @DefaultValue("288") int window,
        @DefaultValue("30000") int maxSeries,
        @DefaultValue("10") int leastChangePercent,
        @DefaultValue("1000") int maxFindings,
        @DefaultValue("2160h") Duration retention,
        @DefaultValue("10000") int maxChanges,
        @DefaultValue("72h") Duration readBack) {

    public RegressionSettings {
        Checks.duration(
                "regressions.interval", interval, Duration.ofMillis(100), Duration.ofHours(1));
        Checks.duration("regressions.sample", sample, Duration.ofMillis(10), interval);
        Checks.number("regressions.window", window, 40, 10_000);
        Checks.number("regressions.max-series", maxSeries, 0, 10_000_000);
        Checks.number("regressions.least-change-percent", leastChangePercent, 1, 99);
        Checks.number("regressions.max-findings", maxFindings, 1, 100_000);
        Checks.duration(
                "regressions.retention", retention, Duration.ofHours(1), Duration.ofDays(3_650));
        Checks.number("regressions.max-changes", maxChanges, 1, 1_000_000);
        Checks.duration("regressions.read-back", readBack, Duration.ZERO, Duration.ofDays(30));
    }
}
