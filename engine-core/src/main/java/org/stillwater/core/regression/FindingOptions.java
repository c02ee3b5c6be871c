package org.stillwater.core.regression;

import java.time.Duration;

/**
 * Options for findings.
 *
 * @param interval time between two points
 * @param leastChange smallest relative change, such as 0.1
 * @param mostFindings most open findings; further ones are only counted
 */
public record FindingOptions(Duration interval, double leastChange, int mostFindings) {

    public FindingOptions {
        if (interval.toMillis() < 1) {
            throw new IllegalArgumentException("interval is less than a millisecond");
        }
        if (!(leastChange > 0 && leastChange < 1)) {
            throw new IllegalArgumentException("leastChange is not between 0 and 1");
        }
        if (mostFindings < 1) {
            throw new IllegalArgumentException("mostFindings is less than 1");
        }
    }
}
