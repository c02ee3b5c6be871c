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
                        new LoginSettings(10, Duration.ofMinutes(5), 50, 2, Duration.ofSeconds(5)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                LoginSettings.class,
                                Map.of(
                                        "stillwater.security.login.failures-per-user", "3",
                                        "stillwater.security.login.locked-for", "4s",
                                        "stillwater.security.login.failures-per-address", "5",
                                        "stillwater.security.login.at-once", "6",
                                        "stillwater.security.login.patience", "7s")))
                .isEqualTo(
                        new LoginSettings(3, Duration.ofSeconds(4), 5, 6, Duration.ofSeconds(7)));
    }

    @Test
    void whatIsOutOfReasonIsRefusedByName() {
        assertThat(refusal("failures-per-user", "0"))
                .contains("stillwater.security.login.failures-per-user must be 1 to 1000, not 0");
        assertThat(refusal("locked-for", "0s")).contains("must be 1s to 24h, not 0ms");
        assertThat(refusal("failures-per-address", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("at-once", "65")).contains("must be 1 to 64, not 65");
        assertThat(refusal("patience", "2m")).contains("must be 0ms to 1m, not 2m");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(LoginSettings.class, "stillwater.security.login." + name, value);
    }
}
