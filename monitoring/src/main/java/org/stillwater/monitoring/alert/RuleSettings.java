package org.stillwater.monitoring.alert;

import java.time.Duration;
import org.stillwater.core.alert.AlertLimits;

/**
 * Limits of alert rules.
 *
 * @param interval time between two evaluations
 * @param mostRules rules
 * @param mostAlerts alerts in memory
 * @param retention how long alerts that ended are kept
 * @param limits of one rule
 */
public record RuleSettings(
        Duration interval, int mostRules, int mostAlerts, Duration retention, AlertLimits limits) {

    /** The documented defaults. */
    public static final RuleSettings DEFAULT =
            new RuleSettings(
                    Duration.ofSeconds(30), 100, 5_000, Duration.ofDays(90), AlertLimits.DEFAULT);

    public RuleSettings {
        if (interval.toMillis() < 1 || mostRules < 1 || mostAlerts < 1) {
            throw new IllegalArgumentException("limits of alert rules are positive");
        }
    }
}
