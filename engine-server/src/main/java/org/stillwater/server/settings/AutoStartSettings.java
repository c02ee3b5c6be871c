package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Automatic restarts of failed VMs.
 *
 * @param retry pause after a failed start
 * @param shortRetries retries in a row with the pause {@code retry}
 * @param longRetry pause before later retries, see {@code short-retries}
 * @param blocked longest time that less urgent VMs wait for more urgent ones
 * @param coldReboots most attempts to start a VM for a reboot from outside
 * @param atOnce VMs that are started in one pass
 */
@ConfigurationProperties("stillwater.commands.auto-start")
public record AutoStartSettings(
        @DefaultValue("30s") Duration retry,
        @DefaultValue("10") int shortRetries,
        @DefaultValue("30m") Duration longRetry,
        @DefaultValue("10m") Duration blocked,
        @DefaultValue("10") int coldReboots,
        @DefaultValue("1000") int atOnce) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration DAY = Duration.ofDays(1);

    public AutoStartSettings {
        Checks.duration("commands.auto-start.retry", retry, SHORTEST, DAY);
        Checks.number("commands.auto-start.short-retries", shortRetries, 0, 10_000);
        Checks.duration("commands.auto-start.long-retry", longRetry, SHORTEST, DAY);
        Checks.duration("commands.auto-start.blocked", blocked, Duration.ZERO, DAY);
        Checks.number("commands.auto-start.cold-reboots", coldReboots, 1, 10_000);
        Checks.number("commands.auto-start.at-once", atOnce, 1, 100_000);
    }
}
