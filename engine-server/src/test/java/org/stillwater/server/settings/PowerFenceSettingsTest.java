package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PowerFenceSettingsTest {

    private static final String PREFIX = "stillwater.fencing.power.";

    @Test
    void fencingIsADryRunByDefault() {
        assertThat(Bound.bind(PowerFenceSettings.class, Map.of()))
                .isEqualTo(
                        new PowerFenceSettings(
                                true,
                                null,
                                null,
                                Duration.ofSeconds(40),
                                Duration.ofSeconds(3),
                                5,
                                8));
    }

    @Test
    void everythingCanBeSet() {
        assertThat(
                        Bound.bind(
                                PowerFenceSettings.class,
                                Map.of(
                                        PREFIX + "dry-run", "false",
                                        PREFIX + "directory", "/opt/agents",
                                        PREFIX + "metadata", "/opt/metadata",
                                        PREFIX + "time-limit", "10s",
                                        PREFIX + "status-every", "1s",
                                        PREFIX + "status-attempts", "7",
                                        PREFIX + "at-once", "2")))
                .isEqualTo(
                        new PowerFenceSettings(
                                false,
                                Path.of("/opt/agents"),
                                Path.of("/opt/metadata"),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(1),
                                7,
                                2));
    }

    @Test
    void nonsenseIsRefused() {
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "directory", "agents"))
                .contains("an absolute path");
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "metadata", "metadata"))
                .contains("fencing.power.metadata", "an absolute path");
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "time-limit", "0s"))
                .contains("fencing.power.time-limit");
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "at-once", "0"))
                .contains("fencing.power.at-once");
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "status-attempts", "0"))
                .contains("fencing.power.status-attempts");
        assertThat(Bound.refusal(PowerFenceSettings.class, PREFIX + "status-every", "2h"))
                .contains("fencing.power.status-every");
    }
}
