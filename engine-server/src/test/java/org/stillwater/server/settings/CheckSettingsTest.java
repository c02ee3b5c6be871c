package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CheckSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(CheckSettings.class, Map.of())).isEqualTo(new CheckSettings(true, 3));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                CheckSettings.class,
                                Map.of(
                                        "stillwater.checks.ballooning", "false",
                                        "stillwater.checks.balloon-iterations", "7")))
                .isEqualTo(new CheckSettings(false, 7));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(
                        Bound.refusal(
                                CheckSettings.class, "stillwater.checks.balloon-iterations", "128"))
                .contains("must be 0 to 127, not 128");
        assertThat(Bound.refusal(CheckSettings.class, "stillwater.checks.balloon-iterations", "-1"))
                .contains("must be 0 to 127, not -1");
    }
}
