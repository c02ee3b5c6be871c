package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(StreamSettings.class, Map.of()))
                .isEqualTo(
                        new StreamSettings(
                                1000,
                                100,
                                200,
                                Duration.ofSeconds(10),
                                Duration.ofMillis(20),
                                500,
                                4,
                                Duration.ofSeconds(2),
                                Duration.ofMillis(500),
                                Duration.ofSeconds(20),
                                List.of(),
                                Duration.ofSeconds(1)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                StreamSettings.class,
                                Map.ofEntries(
                                        Map.entry("stillwater.stream.max-subscribers", "3"),
                                        Map.entry("stillwater.stream.max-per-user", "1"),
                                        Map.entry("stillwater.stream.max-per-address", "2"),
                                        Map.entry("stillwater.stream.heart-beat", "1s"),
                                        Map.entry("stillwater.stream.spacing", "5ms"),
                                        Map.entry("stillwater.stream.snapshot-chunk", "7"),
                                        Map.entry("stillwater.stream.snapshot-turns", "6"),
                                        Map.entry("stillwater.stream.retry", "500ms"),
                                        Map.entry("stillwater.stream.first-message", "2s"),
                                        Map.entry("stillwater.stream.send-timeout", "3s"),
                                        Map.entry(
                                                "stillwater.stream.allowed-origins",
                                                "https://a.example,https://b.example"),
                                        Map.entry("stillwater.stream.access-check", "4s"))))
                .isEqualTo(
                        new StreamSettings(
                                3,
                                1,
                                2,
                                Duration.ofSeconds(1),
                                Duration.ofMillis(5),
                                7,
                                6,
                                Duration.ofMillis(500),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                List.of("https://a.example", "https://b.example"),
                                Duration.ofSeconds(4)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("max-subscribers", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("max-per-user", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("max-per-address", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("heart-beat", "0s")).contains("must be 100ms to 20s, not 0ms");
        assertThat(refusal("heart-beat", "30s")).contains("must be 100ms to 20s, not 30s");
        assertThat(refusal("spacing", "6s")).contains("must be 0ms to 5s, not 6s");
        assertThat(refusal("snapshot-chunk", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("snapshot-turns", "0")).contains("must be 1 to 1000, not 0");
        assertThat(refusal("first-message", "0s")).contains("must be 10ms to 1m, not 0ms");
        assertThat(refusal("send-timeout", "0s")).contains("must be 10ms to 5m, not 0ms");
        assertThat(refusal("access-check", "1m")).contains("must be 10ms to 30s, not 1m");
        assertThat(refusal("retry", "10m")).contains("must be 100ms to 5m, not 10m");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(StreamSettings.class, "stillwater.stream." + name, value);
    }
}
