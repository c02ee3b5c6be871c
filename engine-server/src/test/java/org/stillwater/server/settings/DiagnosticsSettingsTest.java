package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DiagnosticsSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(DiagnosticsSettings.class, Map.of()))
                .isEqualTo(new DiagnosticsSettings(1000, 4000));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                DiagnosticsSettings.class,
                                Map.of(
                                        "stillwater.diagnostics.log-lines", "50",
                                        "stillwater.diagnostics.longest-line", "200")))
                .isEqualTo(new DiagnosticsSettings(50, 200));
    }

    @Test
    void valuesOutOfBoundsAreRefused() {
        assertThat(
                        Bound.refusal(
                                DiagnosticsSettings.class, "stillwater.diagnostics.log-lines", "9"))
                .contains("stillwater.diagnostics.log-lines must be 10 to 100000, not 9");
        assertThat(
                        Bound.refusal(
                                DiagnosticsSettings.class,
                                "stillwater.diagnostics.longest-line",
                                "99"))
                .contains("stillwater.diagnostics.longest-line must be 100 to 100000, not 99");
    }
}
