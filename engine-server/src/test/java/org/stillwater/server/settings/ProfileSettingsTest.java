package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class ProfileSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(ProfileSettings.class, Map.of()))
                .isEqualTo(
                        new ProfileSettings(
                                true,
                                Duration.ofMillis(50),
                                Duration.ofMillis(200),
                                20,
                                Duration.ofMillis(20),
                                Duration.ofSeconds(10),
                                Duration.ofHours(1),
                                20_000,
                                200,
                                Duration.ofMinutes(10),
                                DataSize.ofMegabytes(64),
                                Duration.ofHours(1)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                ProfileSettings.class,
                                Map.ofEntries(
                                        Map.entry("stillwater.profile.enabled", "false"),
                                        Map.entry("stillwater.profile.sample-period", "20ms"),
                                        Map.entry("stillwater.profile.native-sample-period", "1s"),
                                        Map.entry("stillwater.profile.allocation-samples", "7"),
                                        Map.entry("stillwater.profile.wait-threshold", "5ms"),
                                        Map.entry("stillwater.profile.interval", "2s"),
                                        Map.entry("stillwater.profile.span", "2m"),
                                        Map.entry("stillwater.profile.most-calls", "5000"),
                                        Map.entry("stillwater.profile.most-names", "30"),
                                        Map.entry("stillwater.profile.recording-length", "1m"),
                                        Map.entry("stillwater.profile.recording-size", "8MB"),
                                        Map.entry("stillwater.profile.recording-age", "5m"))))
                .isEqualTo(
                        new ProfileSettings(
                                false,
                                Duration.ofMillis(20),
                                Duration.ofSeconds(1),
                                7,
                                Duration.ofMillis(5),
                                Duration.ofSeconds(2),
                                Duration.ofMinutes(2),
                                5_000,
                                30,
                                Duration.ofMinutes(1),
                                DataSize.ofMegabytes(8),
                                Duration.ofMinutes(5)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("sample-period", "1ms")).contains("must be 10ms to 1s, not 1ms");
        assertThat(refusal("native-sample-period", "1m")).contains("must be 10ms to 10s, not 1m");
        assertThat(refusal("allocation-samples", "0")).contains("must be 1 to 1000, not 0");
        assertThat(refusal("wait-threshold", "0ms")).contains("must be 1ms to 10s, not 0ms");
        assertThat(refusal("interval", "2m")).contains("must be 1s to 1m, not 2m");
        assertThat(refusal("interval", "1500ms")).contains("whole seconds");
        assertThat(refusal("span", "2d")).contains("must be 1m to 24h, not 48h");
        assertThat(refusal("most-calls", "1")).contains("must be 1000 to 1000000, not 1");
        assertThat(refusal("most-names", "1")).contains("must be 10 to 10000, not 1");
        assertThat(refusal("recording-length", "2h")).contains("must be 1s to 1h, not 2h");
        assertThat(refusal("recording-size", "1KB")).contains("must be 1MB to 1024MB, not 1KB");
        assertThat(refusal("recording-age", "1s")).contains("must be 1m to 24h, not 1s");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(ProfileSettings.class, "stillwater.profile." + name, value);
    }
}
