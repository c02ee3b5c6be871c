package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostLimitSettingsTest {

    private static final String PREFIX = "stillwater.host-limits.";

    @Test
    void defaults() {
        assertThat(Bound.bind(HostLimitSettings.class, Map.of()))
                .isEqualTo(
                        new HostLimitSettings(95, 95, 95, 1024, 100, 100, Duration.ofMinutes(5)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                HostLimitSettings.class,
                                Map.of(
                                        PREFIX + "cpu-percent", "1",
                                        PREFIX + "network-percent", "2",
                                        PREFIX + "swap-used-percent", "3",
                                        PREFIX + "swap-free-mebibytes", "4",
                                        PREFIX + "disk-warning-mebibytes", "-1",
                                        PREFIX + "disk-error-mebibytes", "6",
                                        PREFIX + "clock-drift", "0s")))
                .isEqualTo(new HostLimitSettings(1, 2, 3, 4, -1, 6, Duration.ZERO));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("cpu-percent", "101")).contains("must be 0 to 100, not 101");
        assertThat(refusal("network-percent", "-1")).contains("must be 0 to 100, not -1");
        assertThat(refusal("swap-used-percent", "101")).contains("must be 0 to 100, not 101");
        assertThat(refusal("swap-free-mebibytes", "-1")).contains("not -1");
        assertThat(refusal("disk-warning-mebibytes", "-2")).contains("not -2");
        assertThat(refusal("disk-error-mebibytes", "-2")).contains("not -2");
        assertThat(refusal("clock-drift", "-1s")).contains("host-limits.clock-drift");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(HostLimitSettings.class, PREFIX + name, value);
    }
}
