package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.VmReport;

@DisplayName("Delays of events")
class EventDelaysTest {

    private static final long BOOTED_NANOS = Duration.ofDays(3).toNanos();

    private final EventDelays delays = new EventDelays();

    /** A message that the host sends then, and that takes so long. */
    private void message(boolean isEvent, int boot, Duration at, long tookMillis) {
        delays.received(
                isEvent, boot, at.toMillis(), BOOTED_NANOS + at.plusMillis(tookMillis).toNanos());
    }

    @Test
    @DisplayName("an event is late by what its way took longer than that of the quickest message")
    void late() {
        assertThat(delays.delay()).isEqualTo(EventDelay.NONE);
        message(false, 1, Duration.ofSeconds(15), 9);
        message(false, 1, Duration.ofSeconds(30), 4);
        message(true, 1, Duration.ofSeconds(31), 4);
        message(true, 1, Duration.ofSeconds(32), 254);
        message(true, 1, Duration.ofSeconds(33), 2);
        message(true, 1, Duration.ofSeconds(34), 4);

        assertThat(delays.delay()).isEqualTo(new EventDelay(4, Duration.ofMillis(252)));
    }

    @Test
    @DisplayName("another boot, a clock that began anew and a report without a stamp count nothing")
    void clocks() {
        message(true, 1, Duration.ofDays(9), 3);
        message(true, 2, Duration.ofSeconds(40), 3);
        message(true, 2, Duration.ofSeconds(5), 3 + Duration.ofHours(1).toMillis());
        delays.received(true, 2, VmReport.NO_STAMP, BOOTED_NANOS);

        assertThat(delays.delay()).isEqualTo(new EventDelay(3, Duration.ZERO));
    }

    @Test
    @DisplayName("clocks that drift apart are no delay: the quickest message is forgotten")
    void drift() {
        for (int minute = 0; minute < 600; minute++) {
            message(false, 1, Duration.ofMinutes(minute), minute / 10);
        }
        message(true, 1, Duration.ofHours(10), 60);

        assertThat(delays.delay().total()).isLessThan(Duration.ofMillis(15));
    }
}
