package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import org.stillwater.server.settings.WireSettings.Replies;
import org.stillwater.server.settings.WireSettings.Tls;

class WireSettingsTest {

    private static final String PREFIX = "stillwater.wire.";

    @Test
    void defaults() {
        assertThat(Bound.bind(WireSettings.class, Map.of()))
                .isEqualTo(
                        new WireSettings(
                                new Tls(
                                        true,
                                        null,
                                        null,
                                        null,
                                        null,
                                        "",
                                        null,
                                        "",
                                        false,
                                        List.of("TLSv1.3", "TLSv1.2")),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(180),
                                Duration.ofSeconds(20),
                                Duration.ofMillis(500),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(10),
                                Replies.PRIVATE,
                                DataSize.ofMegabytes(64),
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(30),
                                32,
                                Duration.ofMillis(2),
                                256,
                                256,
                                3,
                                DataSize.ofMegabytes(32),
                                4_096,
                                DataSize.ofMegabytes(32)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                WireSettings.class,
                                Map.ofEntries(
                                        Map.entry(PREFIX + "tls.enabled", "false"),
                                        Map.entry(PREFIX + "tls.key-store", "/k.p12"),
                                        Map.entry(PREFIX + "tls.key-store-password", "ks"),
                                        Map.entry(PREFIX + "tls.trust-store", "/t.p12"),
                                        Map.entry(PREFIX + "tls.trust-store-password", "ts"),
                                        Map.entry(PREFIX + "tls.check-host-name", "true"),
                                        Map.entry(PREFIX + "tls.protocols", "TLSv1.2"),
                                        Map.entry(PREFIX + "connect-timeout", "1s"),
                                        Map.entry(PREFIX + "handshake-timeout", "2s"),
                                        Map.entry(PREFIX + "call-timeout", "3s"),
                                        Map.entry(PREFIX + "write-timeout", "4s"),
                                        Map.entry(PREFIX + "close-timeout", "5s"),
                                        Map.entry(PREFIX + "heart-beat-out", "6s"),
                                        Map.entry(PREFIX + "heart-beat-in", "7s"),
                                        Map.entry(PREFIX + "replies", "shared"),
                                        Map.entry(PREFIX + "frame-limit", "8MB"),
                                        Map.entry(PREFIX + "reconnect-at-least", "9s"),
                                        Map.entry(PREFIX + "reconnect-at-most", "10s"),
                                        Map.entry(PREFIX + "connect-concurrency", "11"),
                                        Map.entry(PREFIX + "connect-spacing", "12ms"),
                                        Map.entry(PREFIX + "pending-calls", "13"),
                                        Map.entry(PREFIX + "outbound-frames", "14"),
                                        Map.entry(PREFIX + "malformed-messages", "15"),
                                        Map.entry(PREFIX + "idle-buffers", "16MB"),
                                        Map.entry(PREFIX + "host-members", "17"),
                                        Map.entry(PREFIX + "receive-rate", "18MB"))))
                .isEqualTo(
                        new WireSettings(
                                new Tls(
                                        false,
                                        null,
                                        null,
                                        null,
                                        Path.of("/k.p12"),
                                        "ks",
                                        Path.of("/t.p12"),
                                        "ts",
                                        true,
                                        List.of("TLSv1.2")),
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(6),
                                Duration.ofSeconds(7),
                                Replies.SHARED,
                                DataSize.ofMegabytes(8),
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(10),
                                11,
                                Duration.ofMillis(12),
                                13,
                                14,
                                15,
                                DataSize.ofMegabytes(16),
                                17,
                                DataSize.ofMegabytes(18)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("tls.certificate", "/c.pem")).contains("all three of certificate, key");
        assertThat(refusal("tls.key-store", "/k.p12"))
                .contains("both of key-store and trust-store");
        assertThat(
                        Bound.refusal(
                                WireSettings.class,
                                Map.of(
                                        PREFIX + "tls.certificate", "/c.pem",
                                        PREFIX + "tls.key-store", "/k.p12")))
                .contains("either PEM files", "not both");
        assertThat(refusal("frame-limit", "1KB")).contains("64KB to 1024MB, not 1KB");
        assertThat(refusal("reconnect-at-most", "10ms")).contains("must be 1s to 1h, not 10ms");
        assertThat(refusal("connect-concurrency", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("tls.protocols", "SSLv3")).contains("TLSv1.3, TLSv1.2 or both");
        assertThat(refusal("call-timeout", "0s")).contains("must be 10ms to 1h");
    }

    @Test
    void passwordsAreNotInItsText() {
        WireSettings settings =
                Bound.bind(
                        WireSettings.class,
                        Map.of(
                                PREFIX + "tls.key-store", "/k.p12",
                                PREFIX + "tls.key-store-password", "hush",
                                PREFIX + "tls.trust-store", "/t.p12",
                                PREFIX + "tls.trust-store-password", "hush"));
        assertThat(settings.toString()).contains("/k.p12").doesNotContain("hush");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(WireSettings.class, PREFIX + name, value);
    }
}
