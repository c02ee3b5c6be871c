package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DwhSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(DwhSettings.class, Map.of()))
                .isEqualTo(new DwhSettings(Duration.ofSeconds(60)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(Bound.bind(DwhSettings.class, Map.of("stillwater.dwh.interval", "5m")))
                .isEqualTo(new DwhSettings(Duration.ofMinutes(5)));
        assertThat(Bound.bind(DwhSettings.class, Map.of("stillwater.dwh.interval", "0")))
                .isEqualTo(new DwhSettings(Duration.ZERO));
    }

    @Test
    void whatCannotWorkIsRefused() {
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "10ms"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not 10ms");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "-1s"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not -1s");
        assertThat(Bound.refusal(DwhSettings.class, "stillwater.dwh.interval", "25h"))
                .contains("dwh.interval must be 0 (never), or 1s to 24h, not 25h");
    }
}
