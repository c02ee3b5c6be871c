package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchmarkSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(BenchmarkSettings.class, Map.of()))
                .isEqualTo(
                        new BenchmarkSettings(
                                Duration.ofDays(180),
                                5_000,
                                200,
                                48,
                                10,
                                Duration.ofMinutes(30),
                                Duration.ofMillis(50),
                                200));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                BenchmarkSettings.class,
                                Map.of(
                                        "stillwater.benchmarks.retention", "30d",
                                        "stillwater.benchmarks.max-runs", "100",
                                        "stillwater.benchmarks.max-runs-per-object", "50",
                                        "stillwater.benchmarks.max-runs-per-day", "9",
                                        "stillwater.benchmarks.least-change-percent", "20",
                                        "stillwater.benchmarks.budget", "1h",
                                        "stillwater.benchmarks.guard-latency", "20ms",
                                        "stillwater.benchmarks.guard-percent", "150")))
                .isEqualTo(
                        new BenchmarkSettings(
                                Duration.ofDays(30),
                                100,
                                50,
                                9,
                                20,
                                Duration.ofHours(1),
                                Duration.ofMillis(20),
                                150));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    retention            | 30m | must be 1h to 87600h, not 30m
                    max-runs             | 0   | must be 1 to 1000000, not 0
                    max-runs-per-object  | 19  | must be 20 to 10000, not 19
                    max-runs-per-day     | 0   | must be 1 to 10000, not 0
                    least-change-percent | 0   | must be 1 to 99, not 0
                    budget               | 25h | must be 0ms to 24h, not 25h
                    guard-latency        | 0ms | must be 1ms to 1m, not 0ms
                    guard-percent        | 100 | must be 101 to 10000, not 100
                    """)
    void wrongValuesAreRefused(String name, String value, String message) {
        assertThat(Bound.refusal(BenchmarkSettings.class, "stillwater.benchmarks." + name, value))
                .contains("benchmarks." + name + " " + message);
    }

    @Test
    void aDayHasNoMoreRunsThanMemoryKeeps() {
        assertThat(refusalOfDay("200")).startsWith("accepted");
        assertThat(refusalOfDay("201"))
                .contains(
                        "stillwater.benchmarks.max-runs-per-day must be at most"
                                + " stillwater.benchmarks.max-runs-per-object (200), not 201");
    }

    private static String refusalOfDay(String runs) {
        return Bound.refusal(
                BenchmarkSettings.class, "stillwater.benchmarks.max-runs-per-day", runs);
    }
}
