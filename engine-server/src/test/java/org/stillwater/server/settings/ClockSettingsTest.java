package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClockSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(ClockSettings.class, Map.of())).isEqualTo(new ClockSettings(null));
    }

    @Test
    void everySettingIsRead() {
        assertThat(Bound.bind(ClockSettings.class, Map.of("stillwater.clock.offset-file", "/o")))
                .isEqualTo(new ClockSettings(Path.of("/o")));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(ClockSettings.class, "stillwater.clock.offset-file", "o"))
                .contains("clock.offset-file must be an absolute path, not o");
    }
}
