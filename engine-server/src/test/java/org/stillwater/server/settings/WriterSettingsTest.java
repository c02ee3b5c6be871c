package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriterSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(WriterSettings.class, Map.of()))
                .isEqualTo(
                        new WriterSettings(
                                Duration.ofMillis(10),
                                2000,
                                Duration.ofMillis(200),
                                Duration.ofSeconds(5)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                WriterSettings.class,
                                Map.of(
                                        "stillwater.writer.linger", "1ms",
                                        "stillwater.writer.batch", "2",
                                        "stillwater.writer.first-retry", "3s",
                                        "stillwater.writer.longest-retry", "4s")))
                .isEqualTo(
                        new WriterSettings(
                                Duration.ofMillis(1),
                                2,
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("linger", "2m")).contains("writer.linger must be 0ms to 1m, not 2m");
        assertThat(refusal("batch", "0")).contains("must be 1 to 100000, not 0");
        assertThat(refusal("first-retry", "0s")).contains("must be 1ms to 10m");
        assertThat(refusal("longest-retry", "1ms")).contains("must be 200ms to 1h, not 1ms");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(WriterSettings.class, "stillwater.writer." + name, value);
    }
}
