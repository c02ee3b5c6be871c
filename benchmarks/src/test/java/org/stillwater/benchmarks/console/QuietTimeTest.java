package org.stillwater.benchmarks.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class QuietTimeTest {

    private static final long SECOND = 1_000_000_000L;

    private final QuietTime quiet = new QuietTime(Duration.ofSeconds(2));

    @Test
    void aProgramThatRestsForTheWholeTimeIsQuiet() {
        assertThat(quiet.add(0, 7 * SECOND)).isFalse(); // work before the first reading is past
        assertThat(quiet.add(SECOND, 7 * SECOND + SECOND / 50)).isFalse();
        assertThat(quiet.add(2 * SECOND, 7 * SECOND + SECOND / 25)).isTrue();
    }

    @Test
    void workBeginsTheTimeAnew() {
        assertThat(quiet.add(0, 0)).isFalse();
        assertThat(quiet.add(SECOND, 0)).isFalse();
        assertThat(quiet.add(2 * SECOND, SECOND / 10)).isFalse();
        assertThat(quiet.add(3 * SECOND, SECOND / 10)).isFalse();
        assertThat(quiet.add(4 * SECOND, SECOND / 10)).isTrue();
    }

    @Test
    void oneReadingProvesNothing() {
        assertThat(new QuietTime(Duration.ZERO).add(5 * SECOND, 0)).isTrue();
        assertThat(quiet.add(5 * SECOND, 0)).isFalse();
        assertThat(quiet.add(5 * SECOND, 0)).isFalse();
    }
}
