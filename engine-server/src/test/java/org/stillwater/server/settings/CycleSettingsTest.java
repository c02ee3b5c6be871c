package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class CycleSettingsTest {

    private static final String PREFIX = "stillwater.cycle.";

    @Test
    void defaults() {
        assertThat(Bound.bind(CycleSettings.class, Map.of()))
                .isEqualTo(
                        new CycleSettings(
                                Duration.ofSeconds(15),
                                Duration.ofMinutes(4),
                                Duration.ofSeconds(10),
                                Duration.ofMillis(10),
                                4096,
                                DataSize.ofMegabytes(16),
                                Duration.ofSeconds(1),
                                50,
                                20_000,
                                1_000,
                                DataSize.ofMegabytes(4),
                                4,
                                Duration.ofMinutes(5),
                                "HostedEngine",
                                Duration.ofSeconds(20),
                                40,
                                Duration.ofMinutes(10),
                                false,
                                Duration.ofSeconds(5),
                                Duration.ofMinutes(2),
                                0.5));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                CycleSettings.class,
                                Map.ofEntries(
                                        Map.entry(PREFIX + "interval", "1s"),
                                        Map.entry(PREFIX + "poll-deadline", "2s"),
                                        Map.entry(PREFIX + "connect-spread", "3s"),
                                        Map.entry(PREFIX + "connect-spacing", "4ms"),
                                        Map.entry(PREFIX + "mailbox-events", "5"),
                                        Map.entry(PREFIX + "mailbox-size", "1MB"),
                                        Map.entry(PREFIX + "repoll-pause", "2s"),
                                        Map.entry(PREFIX + "domain-chunk", "6"),
                                        Map.entry(PREFIX + "unknown-limit", "7"),
                                        Map.entry(PREFIX + "claim-limit", "6"),
                                        Map.entry(PREFIX + "domain-xml-limit", "1MB"),
                                        Map.entry(PREFIX + "external-data-calls", "15"),
                                        Map.entry(PREFIX + "hand-over-patience", "13m"),
                                        Map.entry(PREFIX + "hosted-engine-name", "Engine"),
                                        Map.entry(PREFIX + "power-off-window", "15s"),
                                        Map.entry(PREFIX + "usage-history", "11"),
                                        Map.entry(PREFIX + "quiet-period", "12m"),
                                        Map.entry(PREFIX + "adaptive", "true"),
                                        Map.entry(PREFIX + "shortest", "500ms"),
                                        Map.entry(PREFIX + "longest", "40s"),
                                        Map.entry(PREFIX + "cpu-budget", "0.25"))))
                .isEqualTo(
                        new CycleSettings(
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofMillis(4),
                                5,
                                DataSize.ofMegabytes(1),
                                Duration.ofSeconds(2),
                                6,
                                7,
                                6,
                                DataSize.ofMegabytes(1),
                                15,
                                Duration.ofMinutes(13),
                                "Engine",
                                Duration.ofSeconds(15),
                                11,
                                Duration.ofMinutes(12),
                                true,
                                Duration.ofMillis(500),
                                Duration.ofSeconds(40),
                                0.25));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("interval", "0s")).contains("cycle.interval must be 10ms to 1h, not 0");
        assertThat(refusal("poll-deadline", "0s")).contains("must be 10ms to 24h");
        assertThat(refusal("connect-spread", "-1s")).contains("must be 0ms to 1h");
        assertThat(refusal("connect-spacing", "2m")).contains("must be 0ms to 1m, not 2m");
        assertThat(refusal("mailbox-events", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("mailbox-size", "1B")).contains("must be 64KB to 1024MB, not 1B");
        assertThat(refusal("repoll-pause", "2h")).contains("must be 0ms to 1h, not 2h");
        assertThat(refusal("domain-chunk", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("unknown-limit", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("claim-limit", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("domain-xml-limit", "1KB")).contains("must be 16KB to 256MB, not 1KB");
        assertThat(refusal("external-data-calls", "0")).contains("must be 1 to 100, not 0");
        assertThat(refusal("power-off-window", "2h")).contains("must be 0ms to 1h, not 2h");
        assertThat(refusal("usage-history", "128")).contains("must be 0 to 127, not 128");
        assertThat(refusal("quiet-period", "0s")).contains("must be 10ms to 24h");
        assertThat(refusal("shortest", "0s")).contains("cycle.shortest must be 10ms to 1h, not 0");
        assertThat(refusal("longest", "2h")).contains("cycle.longest must be 10ms to 1h, not 2h");
        assertThat(refusal("cpu-budget", "-1")).contains("cycle.cpu-budget must be 0 to 64");
    }

    @Test
    void anAdaptiveIntervalIsBetweenItsLimits() {
        assertThat(
                        Bound.refusal(
                                CycleSettings.class,
                                Map.of(PREFIX + "adaptive", "true", PREFIX + "shortest", "20s")))
                .contains("cycle.interval must be cycle.shortest to cycle.longest");
        assertThat(Bound.bind(CycleSettings.class, Map.of(PREFIX + "shortest", "20s")).shortest())
                .isEqualTo(Duration.ofSeconds(20));
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(CycleSettings.class, PREFIX + name, value);
    }
}
