package org.stillwater.monitoring.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Daily maintenance")
class DailyMaintenanceTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final long START = Long.MAX_VALUE - 5; // overflows soon

    private final DailyMaintenance maintenance = new DailyMaintenance();

    private static long after(Duration time) {
        return START + time.toNanos();
    }

    private void succeed() {
        maintenance.attempt(NOON, START);
        maintenance.succeeded(START);
    }

    @Test
    @DisplayName("is due at the start")
    void first() {
        assertThat(maintenance.isDue(NOON, START)).isTrue();
        assertThat(maintenance.isDone(NOON)).isFalse();
        assertThat(maintenance.delayNanos(NOON, START)).isZero();
    }

    @Test
    @DisplayName("is done until the next day of the wall clock, in UTC")
    void nextDay() {
        succeed();
        Instant evening = Instant.parse("2026-03-01T23:59:59Z");
        assertThat(maintenance.isDone(evening)).isTrue();
        assertThat(maintenance.isDue(evening, after(Duration.ofHours(11)))).isFalse();
        Instant midnight = evening.plusSeconds(1);
        assertThat(maintenance.isDone(midnight)).isFalse();
        assertThat(maintenance.isDue(midnight, after(Duration.ofHours(12)))).isTrue();
    }

    @Test
    @DisplayName("is due after a day even if the wall clock stands still")
    void standingClock() {
        succeed();
        assertThat(maintenance.isDue(NOON, after(Duration.ofHours(24)))).isTrue();
    }

    @Test
    @DisplayName("that failed is due after five minutes")
    void failed() {
        maintenance.attempt(NOON, START);
        assertThat(maintenance.isDone(NOON)).isFalse();
        assertThat(maintenance.isDue(NOON, after(Duration.ofMinutes(4)))).isFalse();
        assertThat(maintenance.isDue(NOON, after(Duration.ofMinutes(5)))).isTrue();
    }

    @Test
    @DisplayName("lets an idle writer look at the wall clock every minute")
    void idle() {
        succeed();
        assertThat(maintenance.delayNanos(NOON, START)).isEqualTo(Duration.ofMinutes(1).toNanos());
        assertThat(maintenance.delayNanos(NOON, after(Duration.ofHours(24).minusSeconds(7))))
                .isEqualTo(Duration.ofSeconds(7).toNanos());
    }
}
