package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Whether a step is more than what a series does anyway")
class StepCheckTest {

    private static final int DAY = 288;
    private static final SeriesOwner OWNER =
            new SeriesOwner("vm/vda", List.of(new SeriesOwner.Shared(SeriesOwner.DISK, "vm/vda")));

    private final StepCheck check = new StepCheck();

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 10);
    }

    private static MeasuredSeries series(long first, double[] values) {
        FleetSeries fleet = new FleetSeries(DAY, 1, first, 1, DAY);
        MeasuredSeries one = fleet.get(RegressionMetric.DISK_READ_LATENCY, OWNER);
        assertThat(one).isNotNull();
        for (double value : values) {
            one.sample(value);
            fleet.close(fleet.interval() + 1);
        }
        return one;
    }

    private static double curve(int i) {
        return 1 - 0.3 * Math.cos(2 * Math.PI * i / DAY);
    }

    private static double[] made(int length, long seed, IntToDoubleFunction shape) {
        return Made.series(length, 0.05, 0, seed, shape);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("the rise of a morning is none when the day before had it, a step upon it is one")
    void curveOfADay(long seed) {
        int morning = 2 * DAY + 60;
        double[] usual = made(morning + 24, seed, StepCheckTest::curve);
        double[] slower = made(morning + 24, seed, i -> curve(i) * (i < morning ? 1 : 1.4));

        assertThat(Math.abs(check.errors(series(0, usual), morning, 0.3))).isLessThan(4);
        assertThat(check.errors(series(0, slower), morning, 0.7)).isGreaterThan(5);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("the rise of the first morning is none, a step is one")
    void firstDay(long seed) {
        int morning = 60;
        double[] rise = made(morning + 60, seed, StepCheckTest::curve);
        double[] step = made(morning + 12, seed, i -> i < morning ? 1 : 1.4);

        assertThat(check.errors(series(0, rise), morning, 0.3)).isZero();
        assertThat(check.errors(series(0, step), morning, 0.4)).isGreaterThan(5);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("noise has no curve of a day that would hide a step")
    void noCurve(long seed) {
        double[] values = made(2 * DAY + 120, seed, i -> i < 2 * DAY + 100 ? 1 : 1.25);

        double without = check.errors(series(0, values), 2 * DAY + 100, 0.25);

        assertThat(without).isGreaterThan(5);
        assertThat(check.errors(series(77_777, values), 77_777 + 2 * DAY + 100, 0.25))
                .isCloseTo(without, within(1e-6));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("a level that comes and goes is none until it stays far longer than before")
    void habit(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] swings = new double[260];
        double level = 1;
        for (int i = 0; i < swings.length; i++) {
            level = random.nextInt(3) == 0 ? (random.nextInt(10) < 3 ? 3 : 1) : level;
            swings[i] = level * Math.exp(0.1 * random.nextGaussian());
        }
        int begin = 190;
        for (int i = begin - 30; i < begin; i++) {
            swings[i] = Math.exp(0.1 * random.nextGaussian());
        }
        for (int i = begin; i < swings.length; i++) {
            swings[i] = 3 * Math.exp(0.1 * random.nextGaussian());
        }

        double soon =
                check.errors(series(0, java.util.Arrays.copyOf(swings, begin + 12)), begin, 2);
        double late = check.errors(series(0, swings), begin, 2);

        assertThat(soon).isLessThan(4);
        assertThat(late).isGreaterThan(Math.max(3, soon));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("a fault that was there once and is back is news")
    void back(long seed) {
        double[] values = made(200, seed, i -> (i >= 60 && i < 84) || i >= 180 ? 1.6 : 1);

        assertThat(check.errors(series(0, values), 180, 0.6)).isGreaterThan(5);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("the unit does not matter")
    void unit(long seed) {
        double[] values = made(150, seed, Made.step(120, 1, 1.3));
        double[] scaled = java.util.Arrays.stream(values).map(value -> value * 4096).toArray();

        assertThat(check.errors(series(0, scaled), 120, 0.3))
                .isCloseTo(check.errors(series(0, values), 120, 0.3), within(1e-4));
    }

    @Test
    @DisplayName("a new series and an old step show no step")
    void canTell() {
        MeasuredSeries one = series(1000, made(200, 1, i -> 1));

        assertThat(StepCheck.canTell(one, 1030)).isFalse();
        assertThat(StepCheck.canTell(one, 1070)).isFalse();
        assertThat(StepCheck.canTell(one, 1150)).isTrue();
        MeasuredSeries sparse = series(0, made(60, 1, i -> i % 2 == 0 ? Double.NaN : 1));
        assertThat(StepCheck.canTell(sparse, 48)).isFalse();
    }
}
