package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of alert rules.
 *
 * @param interval time between two evaluations of the rules
 * @param mostRules rules; one more is refused
 * @param mostAlerts alerts in memory; beyond it new ones are left out and counted
 * @param mostObjects most objects of one rule with a true condition; further ones are left out and
 *     counted
 * @param retention time for which ended alerts are kept
 * @param patience longest time that a metric may lack a value before its alert ends
 */
@ConfigurationProperties("stillwater.alert-rules")
public record AlertRuleSettings(
        @DefaultValue("30s") Duration interval,
        @DefaultValue("100") int mostRules,
        @DefaultValue("5000") int mostAlerts,
        @DefaultValue("10000") int mostObjects,
        @DefaultValue("90d") Duration retention,
        @DefaultValue("5m") Duration patience) {

    private static final Duration HOUR = Duration.ofHours(1);

    public AlertRuleSettings {
        Checks.duration("alert-rules.interval", interval, Duration.ofSeconds(1), HOUR);
        Checks.number("alert-rules.most-rules", mostRules, 1, 10_000);
        Checks.number("alert-rules.most-alerts", mostAlerts, 1, 1_000_000);
        Checks.number("alert-rules.most-objects", mostObjects, 1, 1_000_000);
        Checks.duration("alert-rules.retention", retention, HOUR, Duration.ofDays(3_650));
        Checks.duration("alert-rules.patience", patience, Duration.ofMillis(1), Duration.ofDays(1));
    }
}
