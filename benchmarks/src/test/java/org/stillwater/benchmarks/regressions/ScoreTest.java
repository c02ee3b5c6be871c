package org.stillwater.benchmarks.regressions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.regressions.Cell.Generator;
import org.stillwater.benchmarks.regressions.LabelledSeries.Kind;
import org.stillwater.benchmarks.regressions.Score.Found;

class ScoreTest {

    private static final Cell CELL = new Cell(Generator.STILLWATER, 20, 5, 0);

    private static LabelledSeries with(int... begins) {
        double[] changes = new double[begins.length];
        java.util.Arrays.fill(changes, 0.2);
        return new LabelledSeries(CELL, Kind.STEP, new double[0], begins, changes);
    }

    private static Found[] found(int... indices) {
        return java.util.Arrays.stream(indices).mapToObj(Found::at).toArray(Found[]::new);
    }

    @Test
    void aChangeIsRightWithinFivePointsAndOnlyOnce() {
        Score score = new Score();
        score.add(with(100), found(95, 104, 200), 10);
        score.add(with(100), found(106), 30);
        score.add(with(), found(50), 20);
        score.add(with(), found(), 20);

        assertThat(score.precision()).isCloseTo(1 / 5.0, within(1e-9));
        assertThat(score.recall()).isCloseTo(1 / 2.0, within(1e-9));
        assertThat(score.falseAlarms()).isCloseTo(1 / 2.0, within(1e-9));
        assertThat(score.microsPerSeries()).isCloseTo(20, within(1e-9));
        assertThat(score.beginError(0.5)).isEqualTo(4);
        assertThat(score.changeCoverage()).isNaN();
    }

    @Test
    void intervalsCountWhereTheyContainTheTruth() {
        Score score = new Score();
        score.add(with(100), new Found[] {new Found(101, 99, 102, 0.15, 0.25)}, 1);
        score.add(with(100), new Found[] {new Found(101, 101, 102, 0.21, 0.25)}, 1);
        Score total = new Score();
        total.add(score);

        assertThat(total.changeCoverage()).isCloseTo(0.5, within(1e-9));
        assertThat(total.beginCoverage()).isCloseTo(0.5, within(1e-9));
        assertThat(total.series()).isEqualTo(2);
    }
}
