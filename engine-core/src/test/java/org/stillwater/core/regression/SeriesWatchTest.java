package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SeriesWatchTest {

    private static final int WINDOW = 300;

    /** Of a series in which noise never looks like a change. */
    private static final long QUIET_SEED = 2;

    private final ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 25);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aLargeStepIsReportedWithinTwelvePoints(long seed) {
        double[] values = Made.series(500, 0.03, 0, seed, Made.step(410, 100, 80));
        SeriesWatch watch = detector.watch(WINDOW, (int) seed);

        for (int i = 0; i < 410; i++) {
            watch.add(values[i]);
        }
        assertThat(watch.points()).isEmpty();
        for (int i = 410; i < 422; i++) {
            watch.add(values[i]);
        }

        assertThat(watch.points()).hasSize(1);
        assertThat(watch.points().getFirst().index()).isBetween(407L, 413L);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDipOfSixPointsDoesNotAlertWhileItLasts(long seed) {
        double[] values = Made.series(326, 0.02, 0, seed, Made.step(320, 100, 50));
        SeriesWatch watch = detector.watch(WINDOW, (int) seed);
        for (int i = 0; i < 320; i++) {
            watch.add(values[i]);
        }
        List<ChangePoint> before = watch.points();

        for (int i = 320; i < 326; i++) {
            assertThat(watch.add(values[i])).as("point %d", i).hasSameSizeAs(before);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void inTheEndItAgreesWithTheWholeSeries(long seed) {
        double[] values = Made.series(WINDOW, 0.05, 0.3, seed, Made.between(90, 170, 100, 130));
        SeriesWatch watch = detector.watch(WINDOW, 0);
        for (double value : values) {
            watch.add(value);
        }

        List<ChangePoint> whole = detector.detect(values);

        assertThat(watch.points()).hasSameSizeAs(whole);
        for (int i = 0; i < whole.size(); i++) {
            assertThat(whole.get(i).index())
                    .isBetween(
                            watch.points().get(i).earliest() - 1,
                            watch.points().get(i).latest() + 1);
        }
    }

    @Test
    void aChangeLeavesWithTheOldestPoints() {
        double[] values = Made.series(700, 0.03, 0, 1, Made.step(200, 100, 70));
        SeriesWatch watch = detector.watch(WINDOW, 0);
        int reported = 0;
        for (double value : values) {
            reported += watch.add(value).isEmpty() ? 0 : 1;
        }

        assertThat(reported).isBetween(250, 310);
        assertThat(watch.points()).isEmpty();
    }

    @Test
    void pointsAreKeptWhileTheirArrayGrows() {
        SeriesWatch watch = detector.watch(WINDOW, 0);
        for (int i = 0; i < 2 * WINDOW; i++) {
            watch.add(1 + i % 7);
            int oldest = Math.max(0, i + 1 - WINDOW);
            for (int kept : new int[] {oldest, (oldest + i) / 2, i}) {
                assertThat(watch.value(kept)).as("%d of %d", kept, i).isEqualTo(1 + kept % 7);
            }
            assertThat(watch.value(oldest - 1L)).isNaN();
            assertThat(watch.value(i + 1L)).isNaN();
        }
        assertThat(watch.size()).isEqualTo(WINDOW);
    }

    @Test
    void gapsAreNoChange() {
        double[] values = Made.series(400, 0.03, 0, 1, i -> 100);
        SeriesWatch watch = detector.watch(WINDOW, 0);
        for (int i = 0; i < values.length; i++) {
            assertThat(watch.add(i % 10 == 3 || (i > 200 && i < 260) ? Double.NaN : values[i]))
                    .isEmpty();
        }
    }

    @Test
    void anUnchangedSeriesAllocatesNothing() {
        double[] values = Made.series(4000, 0.03, 0.2, QUIET_SEED, i -> 100);
        SeriesWatch watch = detector.watch(WINDOW, 0);
        for (int i = 0; i < 2000; i++) {
            watch.add(values[i]);
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().threadId();
        threads.getThreadAllocatedBytes(id);

        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 2000; i < 4000; i++) {
            watch.add(values[i]);
        }
        long allocated = threads.getThreadAllocatedBytes(id) - before;

        // Allocation of the measurement itself, once; a byte per point would be more.
        assertThat(allocated).isLessThan(1000);
        assertThat(watch.points()).isEmpty();
    }

    @Test
    void theListIsTheSameWhileNothingChanges() {
        double[] values = Made.series(290, 0.02, 0, 3, Made.step(100, 100, 120));
        SeriesWatch watch = detector.watch(WINDOW, 0);
        for (int i = 0; i < 200; i++) {
            watch.add(values[i]);
        }
        List<ChangePoint> known = watch.points();
        for (int i = 200; i < 290; i++) {
            assertThat(watch.add(values[i])).isSameAs(known);
        }
        assertThat(known).hasSize(1);
    }

    @Test
    void aWindowThatIsTooShortIsRefused() {
        assertThatThrownBy(() -> detector.watch(19, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("19 points");
    }
}
