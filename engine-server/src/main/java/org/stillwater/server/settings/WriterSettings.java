package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Writing of changes to the database.
 *
 * @param linger longest wait of a change for others to share its batch
 * @param batch VMs written by one statement at most
 * @param firstRetry pause after the database was first found unavailable; doubles from there
 * @param longestRetry longest such pause
 */
@ConfigurationProperties("stillwater.writer")
public record WriterSettings(
        @DefaultValue("10ms") Duration linger,
        @DefaultValue("2000") int batch,
        @DefaultValue("200ms") Duration firstRetry,
        @DefaultValue("5s") Duration longestRetry) {

    public WriterSettings {
        Checks.duration("writer.linger", linger, Duration.ZERO, Duration.ofMinutes(1));
        Checks.number("writer.batch", batch, 1, 100_000);
        Checks.duration(
                "writer.first-retry", firstRetry, Duration.ofMillis(1), Duration.ofMinutes(10));
        Checks.duration("writer.longest-retry", longestRetry, firstRetry, Duration.ofHours(1));
    }
}
