package org.stillwater.monitoring.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryPoint;

class StepsTest {

    private static final Instant START = Instant.parse("2026-11-22T10:00:00Z");

    private final Steps steps = new Steps(START, Duration.ofMinutes(1), 3);

    @Test
    void samplesOfAStepAddUp() {
        steps.add(START.getEpochSecond(), 4);
        steps.add(START.getEpochSecond() + 59, 1);
        steps.add(START.getEpochSecond() + 30, 7);

        assertThat(steps.points()).containsExactly(new HistoryPoint(START, 1, 4, 7, 3), null, null);
    }

    @Test
    void aPointCountsAsTheSamplesThatItIsMadeOf() {
        steps.add(new HistoryPoint(START.plusSeconds(60), 2, 3, 9, 3));
        steps.add(START.plusSeconds(119).getEpochSecond(), 11);

        assertThat(steps.points())
                .containsExactly(null, new HistoryPoint(START.plusSeconds(60), 2, 5, 11, 4), null);
    }

    @Test
    void unknownAndOutsidePointsDoNotCount() {
        steps.add(START.getEpochSecond(), Double.NaN);
        steps.add(START.getEpochSecond() - 1, 5);
        steps.add(START.getEpochSecond() + 180, 5);

        assertThat(steps.points()).containsExactly(null, null, null);
    }

    @Test
    void stepsBeginAtMultiplesOfTheirLength() {
        Duration five = Duration.ofMinutes(5);
        assertThat(Steps.floor(START.plusSeconds(299), five)).isEqualTo(START);
        assertThat(Steps.ceiling(START.plusSeconds(1), five)).isEqualTo(START.plus(five));
        assertThat(Steps.ceiling(START, five)).isEqualTo(START);
        assertThat(Steps.floor(Instant.ofEpochSecond(-1), five))
                .isEqualTo(Instant.ofEpochSecond(-300));
        assertThat(Steps.floor(START.plusMillis(1), Duration.ofSeconds(1))).isEqualTo(START);
    }

    @Test
    void peopleLikeRoundSteps() {
        assertThat(Steps.round(Duration.ofMillis(1))).isEqualTo(Duration.ofSeconds(1));
        assertThat(Steps.round(Duration.ofMillis(7_200))).isEqualTo(Duration.ofSeconds(10));
        assertThat(Steps.round(Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        assertThat(Steps.round(Duration.ofHours(13))).isEqualTo(Duration.ofDays(1));
        assertThat(Steps.round(Duration.ofHours(49))).isEqualTo(Duration.ofDays(3));
        assertThat(Steps.round(Duration.ofDays(2))).isEqualTo(Duration.ofDays(2));
    }
}
