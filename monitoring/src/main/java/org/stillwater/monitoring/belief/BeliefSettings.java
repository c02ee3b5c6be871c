package org.stillwater.monitoring.belief;

import java.time.Duration;

/**
 * Settings for storing transitions.
 *
 * @param retention time for which they are kept; they are dropped a day at a time
 * @param queue transitions that may wait for the database; beyond it the oldest are dropped,
 *     counted and logged
 * @param batch most transitions of one transaction
 * @param linger time for which a transition waits for others
 */
public record BeliefSettings(Duration retention, int queue, int batch, Duration linger) {

    /** 30 days, 100 000 that may wait, 1 000 in a transaction, after 100 ms. */
    public static final BeliefSettings DEFAULT =
            new BeliefSettings(Duration.ofDays(30), 100_000, 1_000, Duration.ofMillis(100));

    public BeliefSettings {
        if (retention.compareTo(Duration.ofDays(1)) < 0) {
            throw new IllegalArgumentException("a day is kept at least");
        }
        if (queue < 1 || batch < 1 || linger.isNegative()) {
            throw new IllegalArgumentException("every limit is at least 1, linger not negative");
        }
    }
}
