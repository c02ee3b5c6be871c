package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryStoreSettingsTest {

    private static final String PREFIX = "stillwater.history.store.";

    @Test
    void defaults() {
        assertThat(Bound.bind(HistoryStoreSettings.class, Map.of()))
                .isEqualTo(
                        new HistoryStoreSettings(
                                true,
                                Duration.ofMinutes(1),
                                Duration.ofHours(24),
                                Duration.ofDays(60),
                                Duration.ofDays(1_826),
                                Duration.ofHours(3),
                                10,
                                3,
                                2,
                                Duration.ofSeconds(5),
                                Duration.ofMinutes(2),
                                Duration.ofSeconds(130)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                HistoryStoreSettings.class,
                                Map.ofEntries(
                                        Map.entry(PREFIX + "enabled", "false"),
                                        Map.entry(PREFIX + "interval", "30s"),
                                        Map.entry(PREFIX + "minutes", "2d"),
                                        Map.entry(PREFIX + "hours", "90d"),
                                        Map.entry(PREFIX + "days", "400d"),
                                        Map.entry(PREFIX + "ahead", "6h"),
                                        Map.entry(PREFIX + "backlog", "4"),
                                        Map.entry(PREFIX + "hour-backlog", "5"),
                                        Map.entry(PREFIX + "readers", "6"),
                                        Map.entry(PREFIX + "connect-timeout", "7s"),
                                        Map.entry(PREFIX + "statement-timeout", "8s"),
                                        Map.entry(PREFIX + "network-timeout", "9s"))))
                .isEqualTo(
                        new HistoryStoreSettings(
                                false,
                                Duration.ofSeconds(30),
                                Duration.ofDays(2),
                                Duration.ofDays(90),
                                Duration.ofDays(400),
                                Duration.ofHours(6),
                                4,
                                5,
                                6,
                                Duration.ofSeconds(7),
                                Duration.ofSeconds(8),
                                Duration.ofSeconds(9)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    interval          | 5s    | 10s to 1h, and an hour a multiple of it, not 5s
                    interval          | 7m    | 10s to 1h, and an hour a multiple of it, not 7m
                    interval          | 2h    | 10s to 1h, and an hour a multiple of it, not 2h
                    interval          | 0     | 10s to 1h, and an hour a multiple of it, not 0ms
                    minutes           | 1h    | 2h to 8784h, not 1h
                    hours             | 1d    | 48h to 87840h, not 24h
                    days              | 1d    | 48h to 878400h, not 24h
                    ahead             | 30m   | 1h to 168h, not 30m
                    backlog           | 0     | 1 to 1000, not 0
                    hour-backlog      | 0     | 1 to 100, not 0
                    readers           | 0     | 1 to 100, not 0
                    connect-timeout   | 10ms  | 1s to 1h, not 10ms
                    statement-timeout | 2h    | 1s to 1h, not 2h
                    network-timeout   | 2m    | 121s to 2h, not 2m
                    """)
    void wrongValuesAreRefused(String name, String value, String says) {
        assertThat(Bound.refusal(HistoryStoreSettings.class, PREFIX + name, value))
                .contains("history.store." + name + " must be " + says);
    }
}
