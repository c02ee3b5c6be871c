package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoginSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(LoginSettings.class, Map.of()))
                .isEqualTo(
                        new LoginSettings(
                                5,
                                20,
                                50,
                                Duration.ofMillis(250),
                                Duration.ofSeconds(3),
                                Duration.ofMinutes(15),
                                Duration.ofDays(30),
                                2,
                                Duration.ofSeconds(5),
                                500));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                LoginSettings.class,
                                Map.of(
                                        "stillwater.security.login.failures-per-client", "1",
                                        "stillwater.security.login.failures-per-user", "2",
                                        "stillwater.security.login.failures-per-address", "3",
                                        "stillwater.security.login.first-pause", "4ms",
                                        "stillwater.security.login.longest-pause", "5ms",
                                        "stillwater.security.login.forgotten-after", "6s",
                                        "stillwater.security.login.known-for", "7m",
                                        "stillwater.security.login.at-once", "8",
                                        "stillwater.security.login.patience", "9ms",
                                        "stillwater.security.login.waiting", "10")))
                .isEqualTo(
                        new LoginSettings(
                                1,
                                2,
                                3,
                                Duration.ofMillis(4),
                                Duration.ofMillis(5),
                                Duration.ofSeconds(6),
                                Duration.ofMinutes(7),
                                8,
                                Duration.ofMillis(9),
                                10));
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("failures-per-client", "0"))
                .contains("stillwater.security.login.failures-per-client must be 1 to 1000, not 0");
        assertThat(refusal("failures-per-user", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("first-pause", "4s")).contains("must be 1ms to 3s, not 4s");
        assertThat(refusal("longest-pause", "2m")).contains("must be 1ms to 1m, not 2m");
        assertThat(refusal("forgotten-after", "0s")).contains("must be 1s to 24h, not 0ms");
        assertThat(refusal("known-for", "1s")).contains("must be 1m to 8784h, not 1s");
        assertThat(refusal("waiting", "0")).contains("must be 1 to 100000, not 0");
        assertThat(refusal("failures-per-address", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("at-once", "65")).contains("must be 1 to 64, not 65");
        assertThat(refusal("patience", "2m")).contains("must be 3s to 1m, not 2m");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(LoginSettings.class, "stillwater.security.login." + name, value);
    }
}
