package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.worker.WorkerSettings;

class WorkersSettingsTest {

    @Test
    void defaults() {
        WorkerSettings usual = WorkerSettings.DEFAULT;
        assertThat(Bound.bind(WorkersSettings.class, Map.of()))
                .isEqualTo(
                        new WorkersSettings(
                                usual.firstPause(),
                                usual.longestPause(),
                                usual.failingLimit(),
                                usual.stuckLimit(),
                                usual.quietPeriod()));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                WorkersSettings.class,
                                Map.of(
                                        "stillwater.workers.first-pause", "1ms",
                                        "stillwater.workers.longest-pause", "2s",
                                        "stillwater.workers.failing-limit", "3s",
                                        "stillwater.workers.stuck-limit", "4s",
                                        "stillwater.workers.quiet-period", "5s")))
                .isEqualTo(
                        new WorkersSettings(
                                Duration.ofMillis(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(5)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("first-pause", "0s")).contains("workers.first-pause must be 1ms to 1m");
        assertThat(refusal("longest-pause", "1ms")).contains("must be 100ms to 1h, not 1ms");
        assertThat(refusal("failing-limit", "2h")).contains("must be 1ms to 1h, not 2h");
        assertThat(refusal("stuck-limit", "1ms")).contains("must be 1s to 1h, not 1ms");
        assertThat(refusal("quiet-period", "2d")).contains("must be 1ms to 24h");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(WorkersSettings.class, "stillwater.workers." + name, value);
    }
}
