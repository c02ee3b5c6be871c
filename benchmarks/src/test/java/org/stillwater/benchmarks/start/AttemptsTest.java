package org.stillwater.benchmarks.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptsTest {

    @Test
    void theBusiestTimeIsFoundWhereverItBegins() {
        Attempts attempts = new Attempts(millis(0, 500, 900, 1_100, 1_400, 3_000), 2);
        assertThat(attempts.count()).isEqualTo(6);
        assertThat(attempts.mostWithin(Duration.ofSeconds(1))).isEqualTo(4);
        assertThat(attempts.mostWithin(Duration.ofMillis(100))).isEqualTo(1);
        assertThat(attempts.mostWithin(Duration.ofSeconds(10))).isEqualTo(6);
        assertThat(attempts.spread()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void noVisitorIsNoFailure() {
        Attempts none = new Attempts(new long[0], 0);
        assertThat(none.mostWithin(Duration.ofSeconds(1))).isZero();
        assertThat(none.spread()).isZero();
    }

    @Test
    void theTableHasMedianAndRange() {
        String table =
                StartFigures.table(
                        List.of(
                                new StartFigures(9.0, 6.5, 12, new Attempts(millis(0, 1), 1)),
                                new StartFigures(7.5, 6.1, 12, new Attempts(millis(0, 1, 2), 2)),
                                new StartFigures(8.0, 6.3, 12, new Attempts(millis(0, 1), 3))));
        assertThat(table)
                .contains("8.0 (7.5–9.0)")
                .containsPattern("statements to load +12 ")
                .containsPattern("attempts to connect +2 \\(2–3\\)");
    }

    private static long[] millis(long... values) {
        long[] nanos = new long[values.length];
        for (int i = 0; i < values.length; i++) {
            nanos[i] = values[i] * 1_000_000;
        }
        return nanos;
    }
}
