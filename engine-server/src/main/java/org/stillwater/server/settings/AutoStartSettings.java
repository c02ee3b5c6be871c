package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How VMs that failed are started again.
 *
 * @param retry after a failed start, so long until the next
 * @param shortRetries so many retries in a row come soon
 * @param longRetry later ones come after so long
 * @param blocked so long the less urgent wait for the more urgent at the most
 * @param coldReboots so often a VM that was to be rebooted from outside is started at the most
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
