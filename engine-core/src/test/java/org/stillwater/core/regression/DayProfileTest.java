package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What the same time of the days before lets expect")
class DayProfileTest {

    private static final int DAY = 288;

    private final DayProfile profile = new DayProfile(DAY);

    /** Adds a day; the logarithm of a value is the day plus the hour's part of it. */
    private void day(int number) {
        for (int i = 0; i < DAY; i++) {
            profile.add((long) number * DAY + i, Math.exp(number + (double) i / DAY));
        }
    }

    @Test
    @DisplayName("is the mean of two days, between the middles of half hours")
    void expected() {
        day(10);
        assertThat(profile.expected(10 * DAY + 100)).isNaN();
        assertThat(profile.expected(11 * DAY + 100)).isCloseTo(10 + 100.0 / DAY, within(0.003));
        day(11);
        assertThat(profile.expected(12 * DAY + 100)).isCloseTo(10.5 + 100.0 / DAY, within(0.003));
        day(12);
        day(13);
        assertThat(profile.expected(14 * DAY + 7)).isCloseTo(12.5 + 7.0 / DAY, within(0.02));
        assertThat(profile.expected(20 * DAY)).isNaN();
    }

    @Test
    @DisplayName("gaps are not expected, and a day that is left out is forgotten")
    void gaps() {
        day(10);
        for (int i = 0; i < DAY; i++) {
            profile.add(11 * DAY + i, i < 100 ? 0 : Double.NaN);
        }
        assertThat(profile.expected(12 * DAY + 100)).isCloseTo(10 + 100.0 / DAY, within(0.003));
        profile.add(14 * DAY, 1);
        assertThat(profile.expected(14 * DAY + 50)).isNaN();
        profile.add(30 * DAY, 1);
        assertThat(profile.expected(31 * DAY - 100)).isNaN();
    }

    @Test
    @DisplayName("a value allocates nothing")
    void noAllocation() {
        day(1);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().threadId();
        threads.getThreadAllocatedBytes(id);
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 2; i < 10; i++) {
            day(i);
        }
        assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(1_000);
    }

    @Test
    @DisplayName("days of any length that has equal parts are possible")
    void lengths() {
        for (long day : new long[] {2, 24, 48, 96, 288, 1440, 43_200, 86_400_000}) {
            assertThat(DayProfile.isPossible(day)).as("%d", day).isTrue();
        }
        for (long day : new long[] {0, 1, 97}) {
            assertThat(DayProfile.isPossible(day)).as("%d", day).isFalse();
        }
        assertThatThrownBy(() -> new DayProfile(97)).hasMessageContaining("97 intervals");
        new DayProfile(24).add(3, 1);
    }
}
