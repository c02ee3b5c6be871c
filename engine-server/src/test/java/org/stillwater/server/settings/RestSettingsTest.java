package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class RestSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(RestSettings.class, Map.of()))
                .isEqualTo(
                        new RestSettings(
                                100,
                                1000,
                                10_000,
                                4,
                                DataSize.ofMegabytes(1),
                                Duration.ofSeconds(10)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                RestSettings.class,
                                Map.of(
                                        "stillwater.rest.default-page-size", "5",
                                        "stillwater.rest.max-page-size", "50",
                                        "stillwater.rest.max-list-size", "60",
                                        "stillwater.rest.kept-orders", "7",
                                        "stillwater.rest.max-body", "2KB",
                                        "stillwater.rest.order-patience", "3s")))
                .isEqualTo(
                        new RestSettings(
                                5, 50, 60, 7, DataSize.ofKilobytes(2), Duration.ofSeconds(3)));
    }

    @Test
    void limitsOutOfReasonAreRefused() {
        assertThat(refusal("default-page-size", "0")).contains("must be 1 to 1000, not 0");
        assertThat(refusal("default-page-size", "1001")).contains("must be 1 to 1000, not 1001");
        assertThat(refusal("max-page-size", "0")).contains("must be 1 to 100000, not 0");
        assertThat(refusal("max-list-size", "99")).contains("must be 100 to 100000, not 99");
        assertThat(refusal("kept-orders", "-1")).contains("must be 0 to 100, not -1");
        assertThat(refusal("max-body", "1B")).contains("must be 1KB to 16MB, not 1B");
        assertThat(refusal("order-patience", "0s")).contains("must be 10ms to 5m, not 0ms");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(RestSettings.class, "stillwater.rest." + name, value);
    }
}
