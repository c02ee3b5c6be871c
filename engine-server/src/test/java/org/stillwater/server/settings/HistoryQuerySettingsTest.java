package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.history.HistorySettings;

class HistoryQuerySettingsTest {

    @Test
    void defaults() {
        HistoryQuerySettings bound = Bound.bind(HistoryQuerySettings.class, Map.of());
        assertThat(bound).isEqualTo(new HistoryQuerySettings(500, 20_000));
        assertThat(bound.points()).isEqualTo(HistorySettings.DEFAULT.points());
        assertThat(bound.maxValues()).isEqualTo(HistorySettings.DEFAULT.mostValues());
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                HistoryQuerySettings.class,
                                Map.of(
                                        "stillwater.history.query.points",
                                        "60",
                                        "stillwater.history.query.max-values",
                                        "700")))
                .isEqualTo(new HistoryQuerySettings(60, 700));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(
                        Bound.refusal(
                                HistoryQuerySettings.class,
                                "stillwater.history.query.points",
                                "20001"))
                .contains("history.query.points must be 1 to 20000, not 20001");
        assertThat(
                        Bound.refusal(
                                HistoryQuerySettings.class,
                                "stillwater.history.query.max-values",
                                "99"))
                .contains("history.query.max-values must be 100 to 10000000, not 99");
    }
}
