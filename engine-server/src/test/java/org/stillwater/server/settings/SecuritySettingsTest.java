package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Role;

class SecuritySettingsTest {

    @Test
    void defaults() {
        SecuritySettings settings = Bound.bind(SecuritySettings.class, Map.of());
        assertThat(settings)
                .isEqualTo(
                        new SecuritySettings(
                                "none",
                                false,
                                Duration.ofMinutes(30),
                                10_000,
                                200,
                                5,
                                2_000,
                                Duration.ofMinutes(5),
                                false,
                                null,
                                null,
                                false));
        assertThat(settings.anonymous()).isNull();
    }

    @Test
    void everySettingIsRead() {
        SecuritySettings settings =
                Bound.bind(
                        SecuritySettings.class,
                        Map.ofEntries(
                                Map.entry("stillwater.security.anonymous-role", "reader"),
                                Map.entry("stillwater.security.anonymous-on-any-address", "true"),
                                Map.entry("stillwater.security.session-idle", "2m"),
                                Map.entry("stillwater.security.max-sessions", "3"),
                                Map.entry("stillwater.security.sessions-per-user", "4"),
                                Map.entry("stillwater.security.sessions-without-grant", "5"),
                                Map.entry("stillwater.security.sessions-per-address", "6"),
                                Map.entry("stillwater.security.credentials-kept", "0s"),
                                Map.entry("stillwater.security.csrf-protection", "true"),
                                Map.entry("stillwater.security.initial-password", "12345678"),
                                Map.entry("stillwater.security.initial-password-file", "a/b"),
                                Map.entry("stillwater.security.sso-password-in-query", "true")));
        assertThat(settings)
                .isEqualTo(
                        new SecuritySettings(
                                "reader",
                                true,
                                Duration.ofMinutes(2),
                                3,
                                4,
                                5,
                                6,
                                Duration.ZERO,
                                true,
                                "12345678",
                                Path.of("a/b"),
                                true));
        assertThat(settings.anonymous()).isEqualTo(Role.READER);
        assertThat(settings.toString()).doesNotContain("12345678");
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("anonymous-role", "guest"))
                .contains(
                        "stillwater.security.anonymous-role",
                        "none, administrator, operator, reader, scraper",
                        "not guest");
        assertThat(refusal("session-idle", "1s"))
                .contains("stillwater.security.session-idle must be 1m to 168h, not 1s");
        assertThat(refusal("max-sessions", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("sessions-per-user", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("sessions-without-grant", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("sessions-per-address", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("credentials-kept", "2h")).contains("must be 0ms to 1h, not 2h");
        assertThat(refusal("initial-password", "secret7"))
                .contains("stillwater.security.initial-password", "8 to 256 characters")
                .doesNotContain("secret7");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(SecuritySettings.class, "stillwater.security." + name, value);
    }
}
