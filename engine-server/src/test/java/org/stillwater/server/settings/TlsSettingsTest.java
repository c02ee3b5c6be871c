package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TlsSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(TlsSettings.class, Map.of()))
                .isEqualTo(
                        new TlsSettings(
                                true,
                                null,
                                null,
                                null,
                                null,
                                List.of(),
                                Duration.ofDays(398),
                                Duration.ofDays(30),
                                Duration.ofSeconds(10)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                TlsSettings.class,
                                Map.of(
                                        "stillwater.tls.enabled", "false",
                                        "stillwater.tls.certificate", "/c.pem",
                                        "stillwater.tls.key", "/k.pem",
                                        "stillwater.tls.authority", "/a.pem",
                                        "stillwater.tls.folder", "/pki",
                                        "stillwater.tls.names", "a.example,192.0.2.1",
                                        "stillwater.tls.validity", "10d",
                                        "stillwater.tls.renew-before", "1d",
                                        "stillwater.tls.check-interval", "1s")))
                .isEqualTo(
                        new TlsSettings(
                                false,
                                Path.of("/c.pem"),
                                Path.of("/k.pem"),
                                Path.of("/a.pem"),
                                Path.of("/pki"),
                                List.of("a.example", "192.0.2.1"),
                                Duration.ofDays(10),
                                Duration.ofDays(1),
                                Duration.ofSeconds(1)));
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("certificate", "/c.pem"))
                .contains("stillwater.tls.certificate", "together with stillwater.tls.key");
        assertThat(refusal("key", "/k.pem")).contains("together with stillwater.tls.key");
        assertThat(refusal("validity", "1h")).contains("stillwater.tls.validity must be 24h to");
        assertThat(refusal("renew-before", "1s")).contains("must be 1h to 8760h, not 1s");
        assertThat(
                        Bound.refusal(
                                TlsSettings.class,
                                Map.of(
                                        "stillwater.tls.validity", "2d",
                                        "stillwater.tls.renew-before", "2d")))
                .contains("stillwater.tls.renew-before must be less than");
        assertThat(refusal("check-interval", "0s")).contains("must be 100ms to 1h, not 0ms");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(TlsSettings.class, "stillwater.tls." + name, value);
    }
}
