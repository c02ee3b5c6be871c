package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class OvirtSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(OvirtSettings.class, Map.of()))
                .isEqualTo(
                        new OvirtSettings(
                                1_000_000,
                                4,
                                24,
                                16_384,
                                8_192,
                                256,
                                3,
                                DataSize.ofKilobytes(1),
                                DataSize.ofMegabytes(1),
                                200_000,
                                64,
                                Duration.ofSeconds(30)));
        assertThat(Bound.bind(OvirtReferenceSettings.class, Map.of()))
                .isEqualTo(
                        new OvirtReferenceSettings(
                                "5711a7e2-0000-4000-8000-000000000001",
                                "Stillwater",
                                "stillwater",
                                4,
                                5,
                                5,
                                "4.5.5-1",
                                "data",
                                "nfs",
                                "storage",
                                "/data",
                                null,
                                "ovirtmgmt",
                                "Off"));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                OvirtSettings.class,
                                Map.ofEntries(
                                        Map.entry("stillwater.ovirt.most-entities", "5000"),
                                        Map.entry("stillwater.ovirt.deepest-follow", "2"),
                                        Map.entry("stillwater.ovirt.most-followed", "3"),
                                        Map.entry("stillwater.ovirt.longest-query", "1000"),
                                        Map.entry("stillwater.ovirt.longest-search", "500"),
                                        Map.entry("stillwater.ovirt.most-search-terms", "9"),
                                        Map.entry("stillwater.ovirt.gzip-level", "6"),
                                        Map.entry("stillwater.ovirt.gzip-at-least", "2KB"),
                                        Map.entry("stillwater.ovirt.tag-buffer", "3MB"),
                                        Map.entry("stillwater.ovirt.most-specifications", "7"),
                                        Map.entry("stillwater.ovirt.concurrent-per-client", "8"),
                                        Map.entry("stillwater.ovirt.client-patience", "4s"))))
                .isEqualTo(
                        new OvirtSettings(
                                5_000,
                                2,
                                3,
                                1_000,
                                500,
                                9,
                                6,
                                DataSize.ofKilobytes(2),
                                DataSize.ofMegabytes(3),
                                7,
                                8,
                                Duration.ofSeconds(4)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("most-entities", "1")).contains("must be 100 to 100000000, not 1");
        assertThat(refusal("gzip-level", "0")).contains("must be 1 to 9, not 0");
        assertThat(refusal("concurrent-per-client", "0")).contains("must be 1 to 10000, not 0");
        assertThat(
                        Bound.refusal(
                                OvirtReferenceSettings.class,
                                "stillwater.ovirt.reference.major",
                                "3"))
                .contains("must be 4 to 4, not 3");
        String proxy = "stillwater.ovirt.reference.web-socket-proxy";
        assertThat(Bound.refusal(OvirtReferenceSettings.class, proxy, "proxy.example"))
                .contains("must be Off or host:port, not proxy.example");
        assertThat(Bound.refusal(OvirtReferenceSettings.class, proxy, "proxy.example:65536"))
                .contains("must be Off or host:port");
        for (String fine : List.of("Off", "proxy.example:6100", "[2001:db8::7]:6100")) {
            assertThat(
                            Bound.bind(OvirtReferenceSettings.class, Map.of(proxy, fine))
                                    .webSocketProxy())
                    .isEqualTo(fine);
        }
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(OvirtSettings.class, "stillwater.ovirt." + name, value);
    }
}
