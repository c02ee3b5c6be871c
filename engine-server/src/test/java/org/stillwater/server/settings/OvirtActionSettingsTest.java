package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OvirtActionSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(OvirtActionSettings.class, Map.of()))
                .isEqualTo(
                        new OvirtActionSettings(
                                Duration.ofSeconds(20), Duration.ofSeconds(60), 10_000));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                OvirtActionSettings.class,
                                Map.of(
                                        "stillwater.ovirt.actions.ordered", "3s",
                                        "stillwater.ovirt.actions.ended", "4s",
                                        "stillwater.ovirt.actions.most-tags", "5")))
                .isEqualTo(
                        new OvirtActionSettings(Duration.ofSeconds(3), Duration.ofSeconds(4), 5));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("ordered", "0s")).contains("must be 10ms to 10m, not 0ms");
        assertThat(refusal("ended", "1s")).contains("must be 20s to 1h, not 1s");
        assertThat(refusal("most-tags", "0")).contains("must be 1 to 1000000, not 0");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(OvirtActionSettings.class, "stillwater.ovirt.actions." + name, value);
    }
}
