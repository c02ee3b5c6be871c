package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class DiskSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(DiskSettings.class, Map.of()))
                .isEqualTo(
                        new DiskSettings(
                                DataSize.ofGigabytes(2),
                                DataSize.ofMegabytes(512),
                                Duration.ofSeconds(30)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                DiskSettings.class,
                                Map.of(
                                        "stillwater.disk.warn-below", "3GB",
                                        "stillwater.disk.stop-history-below", "1GB",
                                        "stillwater.disk.interval", "5s")))
                .isEqualTo(
                        new DiskSettings(
                                DataSize.ofGigabytes(3),
                                DataSize.ofGigabytes(1),
                                Duration.ofSeconds(5)));
    }

    @Test
    void valuesOutOfBoundsAreRefused() {
        assertThat(Bound.refusal(DiskSettings.class, "stillwater.disk.warn-below", "256MB"))
                .contains("stillwater.disk.warn-below must be 512MB to");
        assertThat(Bound.refusal(DiskSettings.class, "stillwater.disk.stop-history-below", "1KB"))
                .contains("stillwater.disk.stop-history-below must be 1MB to");
        assertThat(Bound.refusal(DiskSettings.class, "stillwater.disk.interval", "0s"))
                .contains("stillwater.disk.interval must be 1s to 1h");
    }
}
