package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ObservationSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(ObservationSettings.class, Map.of()))
                .isEqualTo(new ObservationSettings(1000, 5));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                ObservationSettings.class,
                                Map.of(
                                        "stillwater.observation.hosts-with-own-lag", "0",
                                        "stillwater.observation.names-in-health", "1")))
                .isEqualTo(new ObservationSettings(0, 1));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(
                        Bound.refusal(
                                ObservationSettings.class,
                                "stillwater.observation.hosts-with-own-lag",
                                "-1"))
                .contains("must be 0 to 10000, not -1");
        assertThat(
                        Bound.refusal(
                                ObservationSettings.class,
                                "stillwater.observation.names-in-health",
                                "0"))
                .contains("must be 1 to 100, not 0");
    }
}
