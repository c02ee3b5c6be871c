package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The audit log: audit events, in memory, on the event stream and in the table {@code audit_log}.
 *
 * @param recent newest entries kept in memory, which answer most queries
 * @param queue entries that may wait to become durable; beyond it the oldest are dropped
 * @param batch entries written by one transaction at most
 * @param linger longest wait of an entry for others to share its transaction
 * @param floodSubjects pairs of VM and host whose repeated events are suppressed at the same time
 * @param retention time for which entries are kept; the engine drops a week of them when all of it
 *     is older
 * @param ahead time ahead for which weekly partitions exist
 */
@ConfigurationProperties("stillwater.audit")
public record AuditSettings(
        @DefaultValue("1000") int recent,
        @DefaultValue("100000") int queue,
        @DefaultValue("1000") int batch,
        @DefaultValue("20ms") Duration linger,
        @DefaultValue("100000") int floodSubjects,
        @DefaultValue("2160h") Duration retention,
        @DefaultValue("672h") Duration ahead) {

    public AuditSettings {
        Checks.number("audit.recent", recent, 1, 100_000);
        Checks.number("audit.queue", queue, 1, 10_000_000);
        Checks.number("audit.batch", batch, 1, 100_000);
        Checks.duration("audit.linger", linger, Duration.ZERO, Duration.ofMinutes(1));
        Checks.number("audit.flood-subjects", floodSubjects, 1, 10_000_000);
        Checks.duration("audit.retention", retention, Duration.ofDays(2), Duration.ofDays(3_650));
        Checks.duration("audit.ahead", ahead, Duration.ofDays(7), Duration.ofDays(365));
    }
}
