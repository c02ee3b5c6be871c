package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.server.settings.MailSettings.Encryption;

class MailSettingsTest {

    private static final Map<String, String> LEAST =
            Map.of(
                    "stillwater.alerts.mail.host", "mail.example.com",
                    "stillwater.alerts.mail.from", "engine@example.com",
                    "stillwater.alerts.mail.to", "ops@example.com");

    @Test
    void defaults() {
        MailSettings settings = Bound.bind(MailSettings.class, Map.of());
        assertThat(settings)
                .isEqualTo(
                        new MailSettings(
                                "",
                                587,
                                Encryption.STARTTLS,
                                null,
                                "",
                                "",
                                "",
                                List.of(),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(5),
                                Duration.ofMinutes(1),
                                50));
        assertThat(settings.enabled()).isFalse();
        assertThat(Bound.bind(MailSettings.class, LEAST).enabled()).isTrue();
    }

    @Test
    void everySettingIsRead() {
        Map<String, String> all = new HashMap<>(LEAST);
        all.put("stillwater.alerts.mail.port", "465");
        all.put("stillwater.alerts.mail.tls", "implicit");
        all.put("stillwater.alerts.mail.trust", "/etc/mail/ca.pem");
        all.put("stillwater.alerts.mail.user", "engine");
        all.put("stillwater.alerts.mail.password", "mail-secret-1");
        all.put("stillwater.alerts.mail.to", "ops@example.com, night@example.com");
        all.put("stillwater.alerts.mail.timeout", "20s");
        all.put("stillwater.alerts.mail.gather", "2s");
        all.put("stillwater.alerts.mail.interval", "5m");
        all.put("stillwater.alerts.mail.listed", "10");
        MailSettings settings = Bound.bind(MailSettings.class, all);
        assertThat(settings)
                .isEqualTo(
                        new MailSettings(
                                "mail.example.com",
                                465,
                                Encryption.IMPLICIT,
                                Path.of("/etc/mail/ca.pem"),
                                "engine",
                                "mail-secret-1",
                                "engine@example.com",
                                List.of("ops@example.com", "night@example.com"),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(2),
                                Duration.ofMinutes(5),
                                10));
        assertThat(settings.toString()).doesNotContain("mail-secret-1");
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("port", "0")).contains("alerts.mail.port must be 1 to 65535, not 0");
        assertThat(refusal("timeout", "6m")).contains("must be 1ms to 5m, not 6m");
        assertThat(refusal("gather", "2h")).contains("alerts.mail.gather must be 0ms to 1h");
        assertThat(refusal("interval", "2d")).contains("alerts.mail.interval must be 0ms to 24h");
        assertThat(refusal("listed", "0")).contains("alerts.mail.listed must be 1 to 1000, not 0");
        assertThat(refusal("host", "mail example")).contains("alerts.mail.host must be a name");
        assertThat(refusal("from", "Engine <engine@example.com>"))
                .contains("alerts.mail.from must be an address");
        assertThat(refusal("from", "a@b.example\r\nBcc: eve@example.com"))
                .contains("alerts.mail.from must be an address");
        assertThat(refusal("to", "")).contains("alerts.mail.to must be 1 to 100 addresses");
        assertThat(refusal("to", "ops")).contains("alerts.mail.to must be addresses by commas");
        assertThat(refusal("user", "engine"))
                .contains("alerts.mail.password must be given with alerts.mail.user");
        Map<String, String> open = new HashMap<>(LEAST);
        open.put("stillwater.alerts.mail.user", "engine");
        open.put("stillwater.alerts.mail.password", "mail-secret-1");
        open.put("stillwater.alerts.mail.tls", "none");
        assertThat(Bound.refusal(MailSettings.class, open))
                .contains("alerts.mail.tls must be starttls or implicit with alerts.mail.user")
                .doesNotContain("mail-secret-1");
    }

    private static String refusal(String name, String value) {
        Map<String, String> all = new HashMap<>(LEAST);
        all.put("stillwater.alerts.mail." + name, value);
        return Bound.refusal(MailSettings.class, all);
    }
}
