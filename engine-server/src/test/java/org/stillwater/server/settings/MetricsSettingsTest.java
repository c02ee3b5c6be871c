package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(MetricsSettings.class, Map.of()))
                .isEqualTo(new MetricsSettings(false));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                MetricsSettings.class,
                                Map.of("stillwater.metrics.exporter-names", "true")))
                .isEqualTo(new MetricsSettings(true));
    }

    @Test
    void whatIsNeitherTrueNorFalseIsRefused() {
        assertThat(
                        Bound.refusal(
                                MetricsSettings.class,
                                "stillwater.metrics.exporter-names",
                                "perhaps"))
                .contains("perhaps");
    }
}
