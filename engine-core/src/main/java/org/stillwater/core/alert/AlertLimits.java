package org.stillwater.core.alert;

import java.time.Duration;

/**
 * Limits of the evaluation of a rule.
 *
 * @param mostActive objects of one rule that meet its condition
 * @param patience how long a metric may lack a value before its alert ends
 */
public record AlertLimits(int mostActive, Duration patience) {

    /** The documented ones. */
    public static final AlertLimits DEFAULT = new AlertLimits(10_000, Duration.ofMinutes(5));

    public AlertLimits {
        if (mostActive < 1 || patience.isNegative()) {
            throw new IllegalArgumentException("limits are positive");
        }
    }
}
