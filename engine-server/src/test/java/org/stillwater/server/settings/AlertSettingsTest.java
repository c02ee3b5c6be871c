package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AlertSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(AlertSettings.class, Map.of()))
                .isEqualTo(
                        new AlertSettings(
                                "",
                                "",
                                1_000,
                                100,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(1),
                                Duration.ofMinutes(1)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                AlertSettings.class,
                                Map.of(
                                        "stillwater.alerts.webhook", "https://alerts.example/hook",
                                        "stillwater.alerts.external-url", "https://engine.example",
                                        "stillwater.alerts.queue", "20",
                                        "stillwater.alerts.batch", "5",
                                        "stillwater.alerts.timeout", "2s",
                                        "stillwater.alerts.first-retry", "3s",
                                        "stillwater.alerts.longest-retry", "4s")))
                .isEqualTo(
                        new AlertSettings(
                                "https://alerts.example/hook",
                                "https://engine.example",
                                20,
                                5,
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.webhook", "ftp://x/y"))
                .contains("alerts.webhook must be an http or https URL");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.external-url", "engine"))
                .contains("alerts.external-url must be an http or https URL");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.queue", "0"))
                .contains("alerts.queue must be 1 to 1000000, not 0");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.batch", "0"))
                .contains("alerts.batch must be 1 to 10000, not 0");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.timeout", "6m"))
                .contains("alerts.timeout must be 1ms to 5m, not 6m");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.first-retry", "2h"))
                .contains("alerts.first-retry must be 1ms to 1h, not 2h");
        assertThat(Bound.refusal(AlertSettings.class, "stillwater.alerts.longest-retry", "1ms"))
                .contains("alerts.longest-retry must be 1s to 1h, not 1ms");
    }
}
