package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import org.stillwater.monitoring.history.HistorySettings;

class HistoryMemorySettingsTest {

    @Test
    void defaults() {
        HistoryMemorySettings bound = Bound.bind(HistoryMemorySettings.class, Map.of());
        assertThat(bound)
                .isEqualTo(new HistoryMemorySettings(Duration.ofHours(1), DataSize.ofKilobytes(3)));
        assertThat(bound.span()).isEqualTo(HistorySettings.DEFAULT.span());
        assertThat(bound.size().toBytes()).isEqualTo(HistorySettings.DEFAULT.subjectBytes());
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                HistoryMemorySettings.class,
                                Map.of(
                                        "stillwater.history.memory.span",
                                        "0",
                                        "stillwater.history.memory.size",
                                        "512B")))
                .isEqualTo(new HistoryMemorySettings(Duration.ZERO, DataSize.ofBytes(512)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(
                        Bound.refusal(
                                HistoryMemorySettings.class,
                                "stillwater.history.memory.span",
                                "18h"))
                .contains("history.memory.span must be 0 (none), or 1m to 17h, not 18h");
        assertThat(
                        Bound.refusal(
                                HistoryMemorySettings.class,
                                "stillwater.history.memory.span",
                                "-1s"))
                .contains("history.memory.span must be 0 (none), or 1m to 17h, not -1s");
        assertThat(
                        Bound.refusal(
                                HistoryMemorySettings.class,
                                "stillwater.history.memory.size",
                                "33KB"))
                .contains("history.memory.size must be 256B to 32KB, not 33KB");
    }
}
