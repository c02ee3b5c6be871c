package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.regression.ChangePoint.Shape;

class ChangePointDetectorTest {

    private static final int LENGTH = 300;

    private final ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 25);
    }

    private List<ChangePoint> steps(double[] values) {
        return detector.detect(values).stream()
                .filter(point -> point.shape() == Shape.STEP)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aStepHasItsBeginItsSizeAndItsConfidence(long seed) {
        double[] values = Made.series(LENGTH, 0.05, 0, seed, Made.step(170, 80, 64));

        assertThat(detector.detect(values))
                .hasSize(1)
                .first()
                .satisfies(point -> {
                    assertThat(point.index()).isBetween(168L, 172L);
                    assertThat(point.relativeChange()).isCloseTo(-0.2, within(0.03));
                    assertThat(point.low()).isLessThan(point.relativeChange());
                    assertThat(point.high()).isGreaterThan(point.relativeChange());
                    assertThat(point.confidence()).isGreaterThan(0.999);
                    assertThat(point.shape()).isEqualTo(Shape.STEP);
                });
    }

    @Test
    void aStepWithoutNoiseIsExact() {
        double[] values = new double[60];
        Arrays.fill(values, 0, 25, 100);
        Arrays.fill(values, 25, 60, 130);

        assertThat(detector.detect(values))
                .hasSize(1)
                .first()
                .satisfies(point -> {
                    assertThat(point.index()).isEqualTo(25);
                    assertThat(point.earliest()).isEqualTo(25);
                    assertThat(point.latest()).isEqualTo(25);
                    assertThat(point.relativeChange()).isCloseTo(0.3, within(1e-9));
                });
    }

    @Test
    void aConstantSeriesHasNone() {
        double[] values = new double[LENGTH];
        Arrays.fill(values, 42);

        assertThat(detector.detect(values)).isEmpty();
    }

    /** The noise of both levels together would make noise within the second one look like steps. */
    @Test
    void noiseOfANoisierLevelIsNoStep() {
        long more =
                LongStream.range(0, 300)
                        .filter(seed -> {
                            double[] noise = Made.series(LENGTH, 1, 0, seed, i -> 1);
                            double[] values = new double[LENGTH];
                            for (int i = 0; i < LENGTH; i++) {
                                values[i] =
                                        i < 200
                                                ? 100 * Math.pow(noise[i], 0.02)
                                                : 50 * Math.pow(noise[i], 0.04);
                            }
                            return steps(values).size() != 1;
                        })
                        .count();

        assertThat(more).isLessThanOrEqualTo(20);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRecoveryIsTwoChanges(long seed) {
        double[] values = Made.series(LENGTH, 0.05, 0.5, seed, Made.between(120, 180, 10, 14));

        // Correlated noise looks like a small step now and then.
        List<ChangePoint> found = steps(values);
        assertThat(found)
                .filteredOn(point -> Math.abs(point.relativeChange()) > 0.15)
                .satisfiesExactly(
                        begin -> {
                            assertThat(begin.index()).isBetween(116L, 124L);
                            assertThat(begin.relativeChange()).isPositive();
                            // From the first level: a small step just before makes this one larger.
                            assertThat(changeUntil(begin, found)).isBetween(0.3, 0.5);
                        },
                        end -> {
                            assertThat(end.index()).isBetween(176L, 184L);
                            assertThat(end.relativeChange()).isBetween(-0.35, -0.2);
                        });
    }

    /** The level after a change point relative to the first level of the series. */
    private static double changeUntil(ChangePoint last, List<ChangePoint> points) {
        double factor = 1;
        for (ChangePoint point : points) {
            factor *= point.index() <= last.index() ? 1 + point.relativeChange() : 1;
        }
        return factor - 1;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDipOfThreePointsIsNone(long seed) {
        double[] values = Made.series(LENGTH, 0.05, 0, seed, Made.between(150, 153, 100, 40));

        assertThat(detector.detect(values)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void outliersNeitherAlertNorHideAStep(long seed) {
        double[] flat = Made.series(LENGTH, 0.03, 0, seed, i -> i % 37 == 5 ? 300 : 100);
        double[] step =
                Made.series(LENGTH, 0.03, 0, seed, i -> (i % 37 == 5 ? 3 : 1) * (i < 90 ? 50 : 60));

        assertThat(steps(flat)).isEmpty();
        assertThat(steps(step)).hasSize(1);
        assertThat(steps(step).getFirst().relativeChange()).isCloseTo(0.2, within(0.04));
    }

    @Test
    void correlatedNoiseSeldomLooksLikeAStep() {
        long alarmed =
                LongStream.range(0, 400)
                        .filter(seed ->
                                !steps(Made.series(LENGTH, 0.1, 0.5, seed, i -> 100)).isEmpty())
                        .count();

        assertThat(alarmed).isLessThanOrEqualTo(8);
    }

    @Test
    void theCurveOfADayIsSeldomAStep() {
        long alarmed = LongStream.range(0, 200).filter(this::alertsOnADay).count();

        assertThat(alarmed).isLessThanOrEqualTo(30);
    }

    private boolean alertsOnADay(long seed) {
        double[] day =
                Made.series(
                        LENGTH,
                        0.05,
                        0,
                        seed,
                        i -> 100 + 20 * Math.sin(2 * Math.PI * (i + seed) / 288));
        return !steps(day).isEmpty();
    }

    @Test
    void aStepUponTheCurveOfADayIsFound() {
        double[] values =
                Made.series(
                        LENGTH,
                        0.03,
                        0,
                        8,
                        i -> (100 + 10 * Math.sin(2 * Math.PI * i / 288)) * (i < 210 ? 1 : 1.4));

        assertThat(steps(values))
                .anySatisfy(point -> assertThat(point.index()).isBetween(208L, 212L));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aSlowChangeIsADrift(long seed) {
        double[] values = Made.series(LENGTH, 0.03, 0, seed, i -> 100 + i / 5.0);

        assertThat(detector.detect(values))
                .hasSize(1)
                .first()
                .satisfies(point -> {
                    assertThat(point.shape()).isEqualTo(Shape.DRIFT);
                    assertThat(point.relativeChange()).isBetween(0.2, 0.6);
                });
    }

    @Test
    void aShortSeriesHasNone() {
        for (int length = 0; length < 20; length++) {
            int half = length / 2;
            double[] values =
                    IntStream.range(0, length).mapToDouble(i -> i < half ? 1 : 5).toArray();

            assertThat(detector.detect(values)).as("%d points", length).isEmpty();
        }
    }

    @Test
    void gapsAreLeftOutAndABeginWithinAGapIsAnInterval() {
        double[] values = Made.series(LENGTH, 0.02, 0, 4, Made.step(150, 100, 150));
        Arrays.fill(values, 140, 160, Double.NaN);
        values[20] = 0;
        values[21] = -1;
        values[22] = Double.POSITIVE_INFINITY;

        assertThat(detector.detect(values))
                .hasSize(1)
                .first()
                .satisfies(point -> {
                    assertThat(point.index()).isEqualTo(160);
                    assertThat(point.earliest()).isLessThanOrEqualTo(140);
                    assertThat(point.latest()).isEqualTo(160);
                    assertThat(point.relativeChange()).isCloseTo(0.5, within(0.03));
                });
    }

    @Test
    void marksWithinTheBeginAreListedAndChangeNothing() {
        double[] values = Made.series(LENGTH, 0.02, 0, 4, Made.step(150, 100, 150));
        Mark migration = new Mark(150, Mark.Kind.MIGRATION);
        Mark restart = new Mark(60, Mark.Kind.RESTART);

        ChangePoint plain = detector.detect(values).getFirst();
        ChangePoint marked = detector.detect(values, List.of(restart, migration)).getFirst();

        assertThat(marked.marks()).containsExactly(migration);
        assertThat(plain.marks()).isEmpty();
        assertThat(marked.index()).isEqualTo(plain.index());
        assertThat(marked.relativeChange()).isEqualTo(plain.relativeChange());
    }

    @Test
    void aNewLevelIsFoundAfterEightPoints() {
        double[] values = Made.series(210, 0.05, 0, 9, Made.step(200, 100, 125));

        assertThat(detector.detect(values)).hasSize(1);
        assertThat(detector.detect(Arrays.copyOf(values, 207))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theResultIsTheSameInAnyOrderOfSeries(long seed) {
        List<double[]> series = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            series.add(
                    Made.series(
                            60 + 37 * i,
                            0.02 * (1 + i % 4),
                            i % 2 * 0.5,
                            seed * 100 + i,
                            Made.step(30 + 9 * i, 100, 85 + 4 * i)));
        }
        List<List<ChangePoint>> alone =
                series.stream()
                        .map(each -> new ChangePointDetector(DetectorOptions.DEFAULTS).detect(each))
                        .toList();

        assertThat(series.stream().map(detector::detect).toList()).isEqualTo(alone);
        assertThat(series.reversed().stream().map(detector::detect).toList().reversed())
                .isEqualTo(alone);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theUnitDoesNotMatter(long seed) {
        double[] values = Made.series(LENGTH, 0.05, 0.3, seed, Made.between(100, 190, 7, 9));
        // A power of two: no digit of the values changes.
        double[] scaled = Arrays.stream(values).map(value -> value * 1024).toArray();
        List<ChangePoint> expected = detector.detect(values);

        List<ChangePoint> found = detector.detect(scaled);

        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < found.size(); i++) {
            assertThat(found.get(i).index()).isEqualTo(expected.get(i).index());
            assertThat(found.get(i).relativeChange())
                    .isCloseTo(expected.get(i).relativeChange(), within(1e-9));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void earlierPointsOfTheSameLevelShiftTheBegin(long seed) {
        int earlier = 40;
        double[] all = Made.series(LENGTH + earlier, 0.05, 0, seed, Made.step(190, 100, 80));
        double[] later = Arrays.copyOfRange(all, earlier, all.length);

        ChangePoint point = detector.detect(later).getFirst();

        assertThat(detector.detect(all))
                .hasSize(1)
                .first()
                .satisfies(shifted -> {
                    assertThat(shifted.index()).isEqualTo(point.index() + earlier);
                    assertThat(shifted.relativeChange())
                            .isCloseTo(point.relativeChange(), within(0.02));
                });
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void backwardsAStepIsItsOpposite(long seed) {
        double[] values = Made.series(LENGTH, 0.04, 0, seed, Made.step(130, 50, 70));
        double[] backwards = new double[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            backwards[i] = values[LENGTH - 1 - i];
        }

        ChangePoint forth = detector.detect(values).getFirst();
        ChangePoint back = detector.detect(backwards).getFirst();

        assertThat(back.index()).isCloseTo(LENGTH - forth.index(), within(1L));
        assertThat((1 + back.relativeChange()) * (1 + forth.relativeChange()))
                .isCloseTo(1, within(0.01));
    }

    @Test
    void aSeriesThatIsTooLongIsRefused() {
        int most = DetectorOptions.DEFAULTS.mostPoints();

        assertThatThrownBy(() -> detector.detect(new double[most + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + most);
        assertThat(detector.detect(new double[most])).isEmpty();
    }

    @Test
    void optionsThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> new DetectorOptions(3, 3, 4, 0.02, 100))
                .hasMessageContaining("minimumSegment");
        assertThatThrownBy(() -> new DetectorOptions(10, 8, 4, 0.02, 100))
                .hasMessageContaining("filterWidth");
        assertThatThrownBy(() -> new DetectorOptions(10, 21, 4, 0.02, 100))
                .hasMessageContaining("filterWidth");
        assertThatThrownBy(() -> new DetectorOptions(10, 9, Double.NaN, 0.02, 100))
                .hasMessageContaining("threshold");
        assertThatThrownBy(() -> new DetectorOptions(10, 9, 4, 1, 100))
                .hasMessageContaining("minimumChange");
        assertThatThrownBy(() -> new DetectorOptions(10, 9, 4, 0.02, 19))
                .hasMessageContaining("mostPoints");
    }
}
