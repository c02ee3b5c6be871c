package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StallSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(StallSettings.class, Map.of()))
                .isEqualTo(
                        new StallSettings(
                                true,
                                Duration.ofMillis(100),
                                Duration.ofMillis(20),
                                Duration.ofSeconds(1)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                StallSettings.class,
                                Map.of(
                                        "stillwater.stalls.enabled", "false",
                                        "stillwater.stalls.interval", "50ms",
                                        "stillwater.stalls.shortest", "5ms",
                                        "stillwater.stalls.logged", "2s")))
                .isEqualTo(
                        new StallSettings(
                                false,
                                Duration.ofMillis(50),
                                Duration.ofMillis(5),
                                Duration.ofSeconds(2)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("interval", "1ms")).contains("must be 10ms to 10s, not 1ms");
        assertThat(refusal("shortest", "0ms")).contains("must be 1ms to 10s, not 0ms");
        assertThat(refusal("logged", "1h")).contains("must be 10ms to 10m, not 1h");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(StallSettings.class, "stillwater.stalls." + name, value);
    }
}
