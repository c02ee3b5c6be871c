package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RegressionSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(RegressionSettings.class, Map.of()))
                .isEqualTo(
                        new RegressionSettings(
                                true,
                                Duration.ofMinutes(5),
                                Duration.ofSeconds(30),
                                288,
                                30_000,
                                10,
                                1_000,
                                Duration.ofDays(90),
                                10_000,
                                Duration.ofDays(3)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                RegressionSettings.class,
                                Map.of(
                                        "stillwater.regressions.enabled", "false",
                                        "stillwater.regressions.interval", "1m",
                                        "stillwater.regressions.sample", "15s",
                                        "stillwater.regressions.window", "100",
                                        "stillwater.regressions.max-series", "20",
                                        "stillwater.regressions.least-change-percent", "20",
                                        "stillwater.regressions.max-findings", "7",
                                        "stillwater.regressions.retention", "1d",
                                        "stillwater.regressions.max-changes", "9",
                                        "stillwater.regressions.read-back", "0s")))
                .isEqualTo(
                        new RegressionSettings(
                                false,
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(15),
                                100,
                                20,
                                20,
                                7,
                                Duration.ofDays(1),
                                9,
                                Duration.ZERO));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(RegressionSettings.class, "stillwater.regressions.interval", "2h"))
                .contains("regressions.interval must be 100ms to 1h, not 2h");
        assertThat(Bound.refusal(RegressionSettings.class, "stillwater.regressions.sample", "6m"))
                .contains("regressions.sample must be 10ms to 5m, not 6m");
        assertThat(Bound.refusal(RegressionSettings.class, "stillwater.regressions.window", "39"))
                .contains("regressions.window must be 40 to 10000, not 39");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.least-change-percent",
                                "0"))
                .contains("regressions.least-change-percent must be 1 to 99, not 0");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.max-series",
                                "-1"))
                .contains("regressions.max-series must be 0 to 10000000, not -1");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.max-findings",
                                "0"))
                .contains("regressions.max-findings must be 1 to 100000, not 0");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.retention",
                                "30m"))
                .contains("regressions.retention must be 1h to 87600h, not 30m");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.max-changes",
                                "0"))
                .contains("regressions.max-changes must be 1 to 1000000, not 0");
        assertThat(
                        Bound.refusal(
                                RegressionSettings.class,
                                "stillwater.regressions.read-back",
                                "721h"))
                .contains("regressions.read-back must be 0ms to 720h, not 721h");
    }
}
