package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Durable transitions of VMs and hosts: the engine's beliefs with their times and reasons. The last
 * 64 of each are in memory either way.
 *
 * @param enabled whether they are recorded in the database
 * @param retention time for which transitions are kept; the engine drops a day of them when all of
 *     it is older
 * @param queue transitions that may wait while the database is unavailable; beyond it the oldest
 *     are dropped
 * @param batch transitions written by one transaction at most
 * @param linger longest wait of a transition for others to share its transaction
 */
@ConfigurationProperties("stillwater.beliefs")
public record BeliefSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("720h") Duration retention,
        @DefaultValue("100000") int queue,
        @DefaultValue("1000") int batch,
        @DefaultValue("100ms") Duration linger) {

    public BeliefSettings {
        Checks.duration("beliefs.retention", retention, Duration.ofDays(1), Duration.ofDays(3_650));
        Checks.number("beliefs.queue", queue, 1, 10_000_000);
        Checks.number("beliefs.batch", batch, 1, 100_000);
        Checks.duration("beliefs.linger", linger, Duration.ZERO, Duration.ofMinutes(1));
    }
}
