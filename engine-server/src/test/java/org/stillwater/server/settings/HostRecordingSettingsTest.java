package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class HostRecordingSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(HostRecordingSettings.class, Map.of()))
                .isEqualTo(
                        new HostRecordingSettings(
                                Duration.ofMinutes(10),
                                DataSize.ofMegabytes(64),
                                8,
                                500_000,
                                Duration.ofHours(1)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                HostRecordingSettings.class,
                                Map.of(
                                        "stillwater.host-recording.length", "2h",
                                        "stillwater.host-recording.size", "8MB",
                                        "stillwater.host-recording.hosts", "2",
                                        "stillwater.host-recording.texts", "3000",
                                        "stillwater.host-recording.age", "5m")))
                .isEqualTo(
                        new HostRecordingSettings(
                                Duration.ofHours(2),
                                DataSize.ofMegabytes(8),
                                2,
                                3_000,
                                Duration.ofMinutes(5)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("length", "1ms")).contains("must be 1s to 24h, not 1ms");
        assertThat(refusal("size", "1KB")).contains("must be 1MB to 1024MB, not 1KB");
        assertThat(refusal("hosts", "0")).contains("must be 1 to 100, not 0");
        assertThat(refusal("texts", "1")).contains("must be 1000 to 10000000, not 1");
        assertThat(refusal("age", "1s")).contains("must be 1m to 24h, not 1s");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(
                HostRecordingSettings.class, "stillwater.host-recording." + name, value);
    }
}
