package org.stillwater.monitoring.audit;

import java.time.Duration;

/**
 * Limits of the audit log.
 *
 * @param recent newest entries kept in memory
 * @param queue entries that may wait to become durable; beyond it the oldest are given up
 * @param batch entries written by one transaction at most
 * @param linger how long an entry waits for others to share its transaction
 * @param floodSubjects events about one VM and host that are watched for repeats at the same time
 * @param retention how long entries are kept
 * @param ahead for how long ahead room is made in the table
 */
public record AuditSettings(
        int recent,
        int queue,
        int batch,
        Duration linger,
        int floodSubjects,
        Duration retention,
        Duration ahead) {

    /**
     * 1 000 entries in memory, 100 000 waiting, 1 000 at once after 20 ms; 90 days, 4 weeks ahead.
     */
    public static final AuditSettings DEFAULT =
            new AuditSettings(
                    1_000,
                    100_000,
                    1_000,
                    Duration.ofMillis(20),
                    100_000,
                    Duration.ofDays(90),
                    Duration.ofDays(28));

    public AuditSettings {
        if (recent < 1 || queue < 1 || batch < 1 || floodSubjects < 1) {
            throw new IllegalArgumentException("every limit is at least 1");
        }
        if (linger.isNegative() || !retention.isPositive() || !ahead.isPositive()) {
            throw new IllegalArgumentException("times are not negative");
        }
    }
}
