package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Actions when the disk of the embedded database fills up.
 *
 * @param warnBelow free space below which the engine warns, in its log and its health
 * @param stopHistoryBelow free space below which history is not written, so that the rest serves
 *     state and operations; it is written again when a quarter more is free
 * @param interval interval of the check
 */
@ConfigurationProperties("stillwater.disk")
public record DiskSettings(
        @DefaultValue("2GB") DataSize warnBelow,
        @DefaultValue("512MB") DataSize stopHistoryBelow,
        @DefaultValue("30s") Duration interval) {

    public DiskSettings {
        Checks.size(
                "disk.stop-history-below",
                stopHistoryBelow,
                DataSize.ofMegabytes(1),
                DataSize.ofTerabytes(1));
        Checks.size("disk.warn-below", warnBelow, stopHistoryBelow, DataSize.ofTerabytes(1));
        Checks.duration("disk.interval", interval, Duration.ofSeconds(1), Duration.ofHours(1));
    }
}
