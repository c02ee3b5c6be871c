package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DwhSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(DwhSettings.class, Map.of()))
                .isEqualTo(
                        new DwhSettings(
                                DwhSettings.Dump.AUTO,
                                Duration.ofMinutes(15),
                                Duration.ofSeconds(60),
                                Duration.ofSeconds(15)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                DwhSettings.class,
                                Map.of(
                                        "stillwater.dwh.dump",
                                        "always",
                                        "stillwater.dwh.idle-after",
                                        "1h",
                                        "stillwater.dwh.interval",
                                        "5m",
                                        "stillwater.dwh.heartbeat-interval",
                                        "30s")))
                .isEqualTo(
                        new DwhSettings(
                                DwhSettings.Dump.ALWAYS,
                                Duration.ofHours(1),
                                Duration.ofMinutes(5),
                                Duration.ofSeconds(30)));
        assertThat(
                        Bound.bind(
                                DwhSettings.class,
                                Map.of(
                                        "stillwater.dwh.dump",
                                        "never",
                                        "stillwater.dwh.interval",
                                        "0",
                                        "stillwater.dwh.heartbeat-interval",
                                        "0")))
                .isEqualTo(
                        new DwhSettings(
                                DwhSettings.Dump.NEVER,
                                Duration.ofMinutes(15),
                                Duration.ZERO,
                                Duration.ZERO));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.idle-after", "0s"))
                .contains("dwh.idle-after must be 1s to 24h, not 0ms");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.dump", "sometimes"))
                .contains("sometimes");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "10ms"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not 10ms");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "-1s"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not -1s");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "25h"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not 25h");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.heartbeat-interval", "10ms"))
                .contains("dwh.heartbeat-interval must be 0 (never), or 1s to 24h, not 10ms");
    }
}
