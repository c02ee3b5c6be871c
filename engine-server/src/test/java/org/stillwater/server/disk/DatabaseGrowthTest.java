package org.stillwater.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSizes.Sizes;
import org.stillwater.testkit.VirtualClock;

class DatabaseGrowthTest {

    private static final long MIB = 1024 * 1024;

    private final VirtualClock clock = new VirtualClock();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private long all = 100 * MIB;
    private boolean away;
    private int asked;
    private final DatabaseGrowth growth =
            new DatabaseGrowth(
                    () -> {
                        asked++;
                        if (away) {
                            throw new StoreUnavailable("away", null);
                        }
                        return new Sizes(all, all / 2);
                    },
                    clock,
                    meters);

    private void hours(int count, long grown) {
        for (int i = 0; i < count * 60; i++) {
            clock.advance(Duration.ofMinutes(1));
            all += grown / 60;
            growth.look();
        }
    }

    private double gauge(String name, String... tags) {
        return meters.get(name).tags(tags).gauge().value();
    }

    @Test
    void theSizeIsReadOnceAnHour() {
        assertThat(growth.sizes()).isNull();
        assertThat(gauge("stillwater.database.size", "part", "all")).isNaN();
        growth.look();
        hours(3, 60);
        assertThat(asked).isEqualTo(4);
        assertThat(gauge("stillwater.database.size", "part", "all")).isEqualTo(100.0 * MIB + 180);
        assertThat(gauge("stillwater.database.size", "part", "history")).isEqualTo(50.0 * MIB + 90);
    }

    @Test
    void growthIsThatOfTheLastDay() {
        growth.look();
        assertThat(growth.growthBytesPerDay()).isNull();
        assertThat(growth.daysFor(MIB)).isNull();
        hours(30, 60 * MIB);
        assertThat(growth.growthBytesPerDay()).isEqualTo(24 * 60 * MIB);
        assertThat(gauge("stillwater.database.growth")).isEqualTo(24.0 * 60 * MIB);
        assertThat(growth.daysFor(24 * 60 * MIB * 7)).isEqualTo(7);
        hours(30, 0);
        assertThat(growth.growthBytesPerDay()).isZero();
        assertThat(growth.daysFor(MIB)).isNull();
        hours(10, -60 * 1024);
        assertThat(growth.growthBytesPerDay()).isNegative();
    }

    @Test
    void anAbsentDatabaseKeepsTheLastSizeAndIsReadAnHourLater() {
        growth.look();
        away = true;
        hours(5, 60);
        assertThat(asked).isEqualTo(6);
        assertThat(growth.sizes()).isEqualTo(new Sizes(100 * MIB, 50 * MIB));
    }

    @Test
    void aStepOfTheWallClockIsNoGrowth() {
        growth.look();
        hours(2, 60);
        clock.jump(Duration.ofDays(-3));
        hours(2, 60);
        assertThat(growth.growthBytesPerDay()).isEqualTo(24 * 60);
    }
}
