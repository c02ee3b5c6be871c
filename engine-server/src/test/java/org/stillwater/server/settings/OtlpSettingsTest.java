package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OtlpSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(OtlpSettings.class, Map.of()))
                .isEqualTo(
                        new OtlpSettings(
                                false,
                                URI.create("http://localhost:4318/v1/metrics"),
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(10),
                                Map.of()));
    }

    @Test
    void everySettingIsRead() {
        OtlpSettings settings =
                Bound.bind(
                        OtlpSettings.class,
                        Map.of(
                                "stillwater.otlp.enabled", "true",
                                "stillwater.otlp.url", "https://collector.example/v1/metrics",
                                "stillwater.otlp.interval", "2s",
                                "stillwater.otlp.timeout", "3s",
                                "stillwater.otlp.headers.authorization", "Bearer not-for-logs"));
        assertThat(settings)
                .isEqualTo(
                        new OtlpSettings(
                                true,
                                URI.create("https://collector.example/v1/metrics"),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Map.of("authorization", "Bearer not-for-logs")));
        assertThat(settings.toString()).doesNotContain("not-for-logs");
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("url", "collector:4318"))
                .contains("stillwater.otlp.url must be an http or https address");
        assertThat(refusal("interval", "0s")).contains("must be 100ms to 1h, not 0ms");
        assertThat(refusal("timeout", "10m")).contains("must be 100ms to 5m, not 10m");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(OtlpSettings.class, "stillwater.otlp." + name, value);
    }
}
