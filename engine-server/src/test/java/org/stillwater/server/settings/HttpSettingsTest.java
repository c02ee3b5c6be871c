package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class HttpSettingsTest {

    @Test
    void theBufferIsLeftToTheSystemUnlessItIsSet() {
        assertThat(Bound.bind(HttpSettings.class, Map.of()).sendBuffer())
                .isEqualTo(DataSize.ofBytes(0));
        assertThat(
                        Bound.bind(
                                        HttpSettings.class,
                                        Map.of("stillwater.http.send-buffer", "64KB"))
                                .sendBuffer())
                .isEqualTo(DataSize.ofKilobytes(64));
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.send-buffer", "1GB"))
                .contains("stillwater.http.send-buffer must be");
        assertThat(refusal("connections-per-address", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("head-timeout", "1ms")).contains("must be 100ms to 10m, not 1ms");
        assertThat(refusal("body-timeout", "1h")).contains("must be 100ms to 10m, not 1h");
        assertThat(refusal("body-rate", "2MB")).contains("stillwater.http.body-rate must be");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(HttpSettings.class, "stillwater.http." + name, value);
    }

    @Test
    void everySettingOfConnectionsIsRead() {
        assertThat(
                        Bound.bind(
                                HttpSettings.class,
                                Map.of(
                                        "stillwater.http.connections-per-address", "2",
                                        "stillwater.http.head-timeout", "3s",
                                        "stillwater.http.body-timeout", "4s",
                                        "stillwater.http.body-rate", "5B")))
                .isEqualTo(
                        new HttpSettings(
                                DataSize.ofBytes(0),
                                2,
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                DataSize.ofBytes(5),
                                List.of(),
                                "x-forwarded",
                                List.of(),
                                List.of()));
    }

    @Test
    void noProxyIsTrustedUnlessItIsNamed() {
        HttpSettings usual = Bound.bind(HttpSettings.class, Map.of());
        assertThat(usual.proxies()).isEmpty();
        assertThat(usual.forwardedBy()).isEqualTo(HttpSettings.Forwarding.X_FORWARDED);
        assertThat(usual.allowedHosts()).isEmpty();
        assertThat(usual.allowedOrigins()).isEmpty();
    }

    @Test
    void everyOneIsSet() {
        HttpSettings all =
                Bound.bind(
                        HttpSettings.class,
                        Map.of(
                                "stillwater.http.trusted-proxies", "192.0.2.10,2001:db8::/64",
                                "stillwater.http.forwarding", "standard",
                                "stillwater.http.allowed-hosts", "Engine.example,[::1]",
                                "stillwater.http.allowed-origins", "https://Console.example:8443"));
        assertThat(all.proxies()).hasSize(2);
        assertThat(all.forwardedBy()).isEqualTo(HttpSettings.Forwarding.STANDARD);
        assertThat(all.allowedHosts()).containsExactly("engine.example", "[::1]");
        assertThat(all.allowedOrigins()).containsExactly("https://console.example:8443");
    }

    @Test
    void wrongProxiesHostsAndOriginsAreRefusedByName() {
        for (String wrong : List.of("10.0.0.1/8", "proxy.example", "10.0.0.0/40")) {
            assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.trusted-proxies", wrong))
                    .contains("stillwater.http.trusted-proxies must be")
                    .contains(wrong);
        }
        assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.forwarding", "both"))
                .contains("stillwater.http.forwarding must be");
        assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.allowed-hosts", "a:80"))
                .contains("stillwater.http.allowed-hosts must be");
        for (String wrong :
                List.of("*", "null", "https://a/", "a.example", "ftp://a", "https://")) {
            assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.allowed-origins", wrong))
                    .contains("stillwater.http.allowed-origins must be");
        }
    }
}
