package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OtlpTraceSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(OtlpTraceSettings.class, Map.of()))
                .isEqualTo(
                        new OtlpTraceSettings(
                                false,
                                URI.create("http://localhost:4318/v1/traces"),
                                100,
                                10_000,
                                Duration.ofSeconds(5),
                                2_000,
                                Duration.ofSeconds(10),
                                Map.of()));
    }

    @Test
    void everySettingIsRead() {
        OtlpTraceSettings settings =
                Bound.bind(
                        OtlpTraceSettings.class,
                        Map.of(
                                "stillwater.otlp-traces.enabled", "true",
                                "stillwater.otlp-traces.url", "https://collector.example/v1/traces",
                                "stillwater.otlp-traces.cycles-in-ten-thousand", "7",
                                "stillwater.otlp-traces.operations-in-ten-thousand", "8",
                                "stillwater.otlp-traces.interval", "2s",
                                "stillwater.otlp-traces.queue", "30",
                                "stillwater.otlp-traces.timeout", "3s",
                                "stillwater.otlp-traces.headers.authorization",
                                        "Bearer not-for-logs"));
        assertThat(settings)
                .isEqualTo(
                        new OtlpTraceSettings(
                                true,
                                URI.create("https://collector.example/v1/traces"),
                                7,
                                8,
                                Duration.ofSeconds(2),
                                30,
                                Duration.ofSeconds(3),
                                Map.of("authorization", "Bearer not-for-logs")));
        assertThat(settings.toString()).doesNotContain("not-for-logs");
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("url", "collector:4318"))
                .contains("stillwater.otlp-traces.url must be an http or https address");
        assertThat(refusal("cycles-in-ten-thousand", "10001")).contains("must be 0 to 10000");
        assertThat(refusal("operations-in-ten-thousand", "-1")).contains("must be 0 to 10000");
        assertThat(refusal("interval", "0s")).contains("must be 100ms to 10m, not 0ms");
        assertThat(refusal("queue", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("timeout", "10m")).contains("must be 100ms to 5m, not 10m");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(OtlpTraceSettings.class, "stillwater.otlp-traces." + name, value);
    }
}
