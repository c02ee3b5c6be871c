package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdmissionSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(AdmissionSettings.class, Map.of()))
                .isEqualTo(
                        new AdmissionSettings(64, 10_000, Duration.ofSeconds(10), 8_192, 0, 200));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                AdmissionSettings.class,
                                Map.of(
                                        "stillwater.admission.at-once", "1",
                                        "stillwater.admission.waiting", "0",
                                        "stillwater.admission.patience", "3s",
                                        "stillwater.admission.max-query", "300",
                                        "stillwater.admission.per-second", "4",
                                        "stillwater.admission.burst", "5")))
                .isEqualTo(new AdmissionSettings(1, 0, Duration.ofSeconds(3), 300, 4, 5));
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("at-once", "0"))
                .contains("stillwater.admission.at-once must be 1 to 100000, not 0");
        assertThat(refusal("waiting", "-1")).contains("must be 0 to 100000, not -1");
        assertThat(refusal("patience", "2m")).contains("must be 0ms to 1m, not 2m");
        assertThat(refusal("max-query", "1")).contains("must be 256 to 65536, not 1");
        assertThat(refusal("per-second", "-1")).contains("must be 0 to 1000000, not -1");
        assertThat(refusal("burst", "0")).contains("must be 1 to 1000000, not 0");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(AdmissionSettings.class, "stillwater.admission." + name, value);
    }
}
