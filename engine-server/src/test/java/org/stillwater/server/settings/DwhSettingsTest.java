package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DwhSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(DwhSettings.class, Map.of()))
                .isEqualTo(new DwhSettings(Duration.ofSeconds(60), Duration.ofSeconds(15)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                DwhSettings.class,
                                Map.of(
                                        "stillwater.dwh.interval",
                                        "5m",
                                        "stillwater.dwh.heartbeat-interval",
                                        "30s")))
                .isEqualTo(new DwhSettings(Duration.ofMinutes(5), Duration.ofSeconds(30)));
        assertThat(
                        Bound.bind(
                                DwhSettings.class,
                                Map.of(
                                        "stillwater.dwh.interval",
                                        "0",
                                        "stillwater.dwh.heartbeat-interval",
                                        "0")))
                .isEqualTo(new DwhSettings(Duration.ZERO, Duration.ZERO));
    }

    @Test
    void whatCannotWorkIsRefused() {
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
