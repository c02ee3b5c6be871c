package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProxyTicketSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(ProxyTicketSettings.class, Map.of()))
                .isEqualTo(new ProxyTicketSettings(Duration.ofMinutes(2), null, null));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                ProxyTicketSettings.class,
                                Map.of(
                                        "stillwater.ovirt.proxy-tickets.validity", "7s",
                                        "stillwater.ovirt.proxy-tickets.certificate", "/c.pem",
                                        "stillwater.ovirt.proxy-tickets.key", "/k.pem")))
                .isEqualTo(
                        new ProxyTicketSettings(
                                Duration.ofSeconds(7), Path.of("/c.pem"), Path.of("/k.pem")));
    }

    @Test
    void valuesOutOfBoundsAreRefused() {
        assertThat(refusal("validity", "0s")).contains("must be 1s to 1h, not 0ms");
        assertThat(refusal("validity", "2h")).contains("must be 1s to 1h, not 2h");
        assertThat(refusal("key", "/k.pem")).contains("certificate must be given together with");
        assertThat(refusal("certificate", "/c.pem")).contains("not alone");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(
                ProxyTicketSettings.class, "stillwater.ovirt.proxy-tickets." + name, value);
    }
}
