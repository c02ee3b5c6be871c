package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AlertRuleSettingsTest {

    @Test
    void everySettingIsRead() {
        assertThat(Bound.bind(AlertRuleSettings.class, Map.of()))
                .isEqualTo(
                        new AlertRuleSettings(
                                Duration.ofSeconds(30),
                                100,
                                5_000,
                                10_000,
                                Duration.ofDays(90),
                                Duration.ofMinutes(5)));
        assertThat(
                        Bound.bind(
                                AlertRuleSettings.class,
                                Map.of(
                                        "stillwater.alert-rules.interval", "2s",
                                        "stillwater.alert-rules.most-rules", "3",
                                        "stillwater.alert-rules.most-alerts", "4",
                                        "stillwater.alert-rules.most-objects", "5",
                                        "stillwater.alert-rules.retention", "6h",
                                        "stillwater.alert-rules.patience", "7s")))
                .isEqualTo(
                        new AlertRuleSettings(
                                Duration.ofSeconds(2),
                                3,
                                4,
                                5,
                                Duration.ofHours(6),
                                Duration.ofSeconds(7)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("interval", "1ms"))
                .contains("alert-rules.interval must be 1s to 1h, not 1ms");
        assertThat(refusal("most-rules", "0"))
                .contains("alert-rules.most-rules must be 1 to 10000, not 0");
        assertThat(refusal("most-alerts", "0"))
                .contains("alert-rules.most-alerts must be 1 to 1000000, not 0");
        assertThat(refusal("most-objects", "0"))
                .contains("alert-rules.most-objects must be 1 to 1000000, not 0");
        assertThat(refusal("retention", "1s")).contains("alert-rules.retention must be 1h to");
        assertThat(refusal("patience", "2d")).contains("alert-rules.patience must be 1ms to");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(AlertRuleSettings.class, "stillwater.alert-rules." + name, value);
    }
}
