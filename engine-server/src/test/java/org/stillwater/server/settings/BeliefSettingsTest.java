package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BeliefSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(BeliefSettings.class, Map.of()))
                .isEqualTo(
                        new BeliefSettings(
                                true, Duration.ofDays(30), 100_000, 1_000, Duration.ofMillis(100)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                BeliefSettings.class,
                                Map.of(
                                        "stillwater.beliefs.enabled", "false",
                                        "stillwater.beliefs.retention", "7d",
                                        "stillwater.beliefs.queue", "20",
                                        "stillwater.beliefs.batch", "5",
                                        "stillwater.beliefs.linger", "2s")))
                .isEqualTo(
                        new BeliefSettings(
                                false, Duration.ofDays(7), 20, 5, Duration.ofSeconds(2)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(BeliefSettings.class, "stillwater.beliefs.retention", "1h"))
                .contains("beliefs.retention must be 24h to 87600h, not 1h");
        assertThat(Bound.refusal(BeliefSettings.class, "stillwater.beliefs.queue", "0"))
                .contains("beliefs.queue must be 1 to 10000000, not 0");
        assertThat(Bound.refusal(BeliefSettings.class, "stillwater.beliefs.batch", "0"))
                .contains("beliefs.batch must be 1 to 100000, not 0");
        assertThat(Bound.refusal(BeliefSettings.class, "stillwater.beliefs.linger", "61s"))
                .contains("beliefs.linger must be 0ms to 1m, not 61s");
    }
}
