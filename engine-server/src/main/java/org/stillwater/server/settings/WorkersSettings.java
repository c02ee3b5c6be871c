package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Supervision of the engine's threads: a thread continues after a failure of its work and a pause.
 *
 * @param firstPause pause of a thread after a failure; doubles up to {@code longest-pause}
 * @param longestPause see {@code first-pause}
 * @param failingLimit a thread that fails for longer makes its part of health DOWN; those of
 *     history and of the audit log are only named
 * @param stuckLimit a thread that works for longer on one piece makes its part of health DOWN;
 *     those of history and of the audit log are only named
 * @param quietPeriod a repeated failure is logged once in this time
 */
@ConfigurationProperties("stillwater.workers")
public record WorkersSettings(
        @DefaultValue("100ms") Duration firstPause,
        @DefaultValue("10s") Duration longestPause,
        @DefaultValue("30s") Duration failingLimit,
        @DefaultValue("1m") Duration stuckLimit,
        @DefaultValue("10m") Duration quietPeriod) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);

    public WorkersSettings {
        Checks.duration("workers.first-pause", firstPause, SHORTEST, Duration.ofMinutes(1));
        Checks.duration("workers.longest-pause", longestPause, firstPause, HOUR);
        Checks.duration("workers.failing-limit", failingLimit, SHORTEST, HOUR);
        Checks.duration("workers.stuck-limit", stuckLimit, Duration.ofSeconds(1), HOUR);
        Checks.duration("workers.quiet-period", quietPeriod, SHORTEST, Duration.ofDays(1));
    }
}
