package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(MetricsSettings.class, Map.of()))
                .isEqualTo(new MetricsSettings(false, List.of("state", "usage", "traffic")));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                MetricsSettings.class,
                                Map.of(
                                        "stillwater.metrics.exporter-names",
                                        "true",
                                        "stillwater.metrics.vm-families",
                                        "all,cpu")))
                .isEqualTo(new MetricsSettings(true, List.of("all", "cpu")));
    }

    @Test
    void otherTextsThanTrueAndFalseAreRefused() {
        assertThat(
                        Bound.refusal(
                                MetricsSettings.class,
                                "stillwater.metrics.exporter-names",
                                "perhaps"))
                .contains("perhaps");
    }
}
