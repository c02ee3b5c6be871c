package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Recordings of hosts' messages, on request.
 *
 * @param length longest recording
 * @param size largest recording; it ends there
 * @param hosts hosts of one recording, at most
 * @param texts different names, addresses and texts that one recording replaces, about 200 bytes of
 *     memory each; it ends there
 * @param age age at which the engine deletes a recording
 */
@ConfigurationProperties("stillwater.host-recording")
public record HostRecordingSettings(
        @DefaultValue("10m") Duration length,
        @DefaultValue("64MB") DataSize size,
        @DefaultValue("8") int hosts,
        @DefaultValue("500000") int texts,
        @DefaultValue("1h") Duration age) {

    public HostRecordingSettings {
        Checks.duration(
                "host-recording.length", length, Duration.ofSeconds(1), Duration.ofHours(24));
        Checks.size(
                "host-recording.size", size, DataSize.ofMegabytes(1), DataSize.ofMegabytes(1_024));
        Checks.number("host-recording.hosts", hosts, 1, 100);
        Checks.number("host-recording.texts", texts, 1_000, 10_000_000);
        Checks.duration("host-recording.age", age, Duration.ofMinutes(1), Duration.ofHours(24));
    }
}
