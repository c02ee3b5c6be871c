package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.host.FloodLimits;

class FloodSettingsTest {

    private static final String PREFIX = "stillwater.flood.";

    @Test
    void theDefaultsAreThoseOfMonitoring() {
        FloodSettings bound = Bound.bind(FloodSettings.class, Map.of());
        assertThat(
                        new FloodLimits(
                                bound.eventBurst(),
                                bound.eventsPerSecond(),
                                bound.auditBurst(),
                                bound.auditPerMinute(),
                                bound.intakeBurst(),
                                bound.intakePerMinute(),
                                bound.intakeMost()))
                .isEqualTo(FloodLimits.DEFAULT);
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                FloodSettings.class,
                                Map.of(
                                        PREFIX + "event-burst", "1",
                                        PREFIX + "events-per-second", "2",
                                        PREFIX + "audit-burst", "3",
                                        PREFIX + "audit-per-minute", "4",
                                        PREFIX + "intake-burst", "5",
                                        PREFIX + "intake-per-minute", "6",
                                        PREFIX + "intake-most", "7")))
                .isEqualTo(new FloodSettings(1, 2, 3, 4, 5, 6, 7));
    }

    @Test
    void wrongValuesAreRefused() {
        for (String name :
                new String[] {
                    "event-burst",
                    "events-per-second",
                    "audit-burst",
                    "audit-per-minute",
                    "intake-burst",
                    "intake-per-minute",
                    "intake-most"
                }) {
            assertThat(Bound.refusal(FloodSettings.class, PREFIX + name, "0"))
                    .contains("flood." + name + " must be 1 to 1000000, not 0");
        }
    }
}
