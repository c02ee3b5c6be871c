package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DatabaseSettingsTest {

    private static final String PREFIX = "stillwater.database.";

    @Test
    void defaults() {
        assertThat(Bound.bind(DatabaseSettings.class, Map.of()))
                .isEqualTo(
                        new DatabaseSettings(
                                4,
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(40),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(10),
                                3));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                DatabaseSettings.class,
                                Map.of(
                                        PREFIX + "max-connections", "2",
                                        PREFIX + "connect-timeout", "3s",
                                        PREFIX + "statement-timeout", "4s",
                                        PREFIX + "network-timeout", "6s",
                                        PREFIX + "probe-interval", "1s",
                                        PREFIX + "lock-patience", "7s",
                                        PREFIX + "keep-alive-idle", "8s",
                                        PREFIX + "keep-alive-interval", "9s",
                                        PREFIX + "keep-alive-probes", "10")))
                .isEqualTo(
                        new DatabaseSettings(
                                2,
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(6),
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(7),
                                Duration.ofSeconds(8),
                                Duration.ofSeconds(9),
                                10));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("max-connections", "0")).contains("must be 1 to 100, not 0");
        assertThat(refusal("connect-timeout", "1ms")).contains("must be 1s to 1h, not 1ms");
        assertThat(refusal("statement-timeout", "0s")).contains("must be 1s to 1h, not 0ms");
        assertThat(refusal("network-timeout", "30s")).contains("must be 31s to 2h, not 30s");
        assertThat(refusal("probe-interval", "0s")).contains("must be 10ms to 1h, not 0ms");
        assertThat(refusal("lock-patience", "2h")).contains("must be 0ms to 1h, not 2h");
        assertThat(refusal("keep-alive-idle", "1ms")).contains("must be 1s to 1h, not 1ms");
        assertThat(refusal("keep-alive-interval", "2h")).contains("must be 1s to 1h, not 2h");
        assertThat(refusal("keep-alive-probes", "0")).contains("must be 1 to 100, not 0");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(DatabaseSettings.class, PREFIX + name, value);
    }
}
