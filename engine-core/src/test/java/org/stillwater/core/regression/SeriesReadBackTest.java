package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.regression.SeriesOwner.Shared;

/** Lives of an engine that measure the same fleet: 4 hosts with 10 VMs each, a disk for each VM. */
@DisplayName("Series that are read back")
class SeriesReadBackTest {

    private static final int WINDOW = 150;
    private static final int DAY = 96;
    private static final long FIRST = 1_000_000;
    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final FindingOptions OPTIONS = new FindingOptions(INTERVAL, 0.1, 100);
    private static final Shared HOST = new Shared(SeriesOwner.HOST, "host-2");

    private final List<SeriesOwner> owners = new ArrayList<>();
    private final List<SeriesPoints> stored = new ArrayList<>();
    private final List<RecordedChange> recorded = new ArrayList<>();
    private long seed = 1;

    SeriesReadBackTest() {
        for (int vm = 0; vm < 40; vm++) {
            String name = "vm-%02d".formatted(vm);
            owners.add(
                    new SeriesOwner(
                            name + "/vda",
                            List.of(
                                    new Shared(SeriesOwner.DISK, name + "/vda"),
                                    new Shared(SeriesOwner.VM, name),
                                    new Shared(SeriesOwner.HOST, "host-" + vm % 4),
                                    new Shared(SeriesOwner.CLUSTER, "cluster"))));
        }
    }

    private static double slow(SeriesOwner owner) {
        return owner.shared().contains(HOST) ? 1.5 : 1;
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 5);
    }

    private static Instant at(long interval) {
        return Instant.ofEpochMilli(interval * INTERVAL.toMillis());
    }

    /** The noise depends on disk and time only: every life would measure the same. */
    private double value(SeriesOwner owner, long interval) {
        SplittableRandom random =
                new SplittableRandom(seed * 31 + interval * 1_009 + owner.name().hashCode());
        return 2 * Math.exp(0.05 * random.nextGaussian());
    }

    /** One run of the engine. */
    private final class Life {
        private final long first;
        private final FleetSeries series;
        private final FindingTracker tracker;

        private Life(long first, Collection<Finding> findings) {
            this.first = first;
            this.series = new FleetSeries(WINDOW, 1_000, first, 1, DAY);
            this.tracker = new FindingTracker(OPTIONS, findings);
        }

        private MeasuredSeries of(SeriesOwner owner) {
            MeasuredSeries one = series.get(RegressionMetric.DISK_READ_LATENCY, owner);
            assertThat(one).isNotNull();
            return one;
        }

        private List<FindingEvent> pass(int intervals, ToDoubleFunction<SeriesOwner> factor) {
            List<FindingEvent> events = new ArrayList<>();
            for (int i = 0; i < intervals; i++) {
                long interval = series.interval();
                for (SeriesOwner owner : owners) {
                    of(owner).sample(value(owner, interval) * factor.applyAsDouble(owner));
                }
                series.close(interval + 1);
                stored.addAll(series.points(interval));
                events.addAll(tracker.advance(series, recorded, _ -> 0, at(series.interval())));
            }
            return events;
        }

        /** As the archive does it; returns the number of series that got points now. */
        private int readBack() {
            int extended = 0;
            for (int slice = 0; slice < SeriesPoints.SLICES; slice++) {
                SlicePast past = series.slice(first, series.reach());
                for (SeriesPoints points : newestFirst()) {
                    if (points.slice() == slice) {
                        past.add(points);
                    }
                }
                int _ = series.remember(past.series());
                for (MeasuredSeries one : series.inSlice(slice)) {
                    extended += series.extend(one) ? 1 : 0;
                }
            }
            series.forgetPast();
            return extended;
        }

        private int pointsUntilFound(int most) {
            for (int points = 1; points <= most; points++) {
                if (!begun(pass(1, SeriesReadBackTest::slow)).isEmpty()) {
                    return points;
                }
            }
            return most + 1;
        }
    }

    private List<SeriesPoints> newestFirst() {
        return stored.stream()
                .sorted(Comparator.comparingLong(SeriesPoints::interval).reversed())
                .toList();
    }

    private static List<Finding> begun(List<FindingEvent> events) {
        return events.stream()
                .filter(FindingEvent.Began.class::isInstance)
                .map(FindingEvent::finding)
                .toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("show a step across the restart after as many points as without it")
    void stepAcrossTheRestart(long number) {
        seed = number;
        Life whole = new Life(FIRST, List.of());
        whole.pass(60, _ -> 1);
        int usual = whole.pointsUntilFound(12);
        assertThat(usual).isLessThanOrEqualTo(12);

        for (int before = 1; before < usual; before++) {
            stored.clear();
            Life earlier = new Life(FIRST, List.of());
            earlier.pass(60, _ -> 1);
            assertThat(begun(earlier.pass(before, SeriesReadBackTest::slow))).isEmpty();
            Life later = new Life(earlier.series.interval(), List.of());
            assertThat(later.readBack()).as("nothing is measured yet").isZero();
            assertThat(later.series.remembered()).isEqualTo(owners.size());

            int points = before + later.pointsUntilFound(usual);

            assertThat(points).as("%d before the restart", before).isEqualTo(usual);
            assertThat(begun(later.pass(20, SeriesReadBackTest::slow))).isEmpty();
            assertThat(later.tracker.open()).hasSize(1);
            Finding found = later.tracker.open().getFirst();
            assertThat(found.where()).isEqualTo(HOST);
            assertThat(found.memberCount()).isEqualTo(10);
            assertThat(found.begin()).isBetween(at(FIRST + 59), at(FIRST + 61));
        }
    }

    @Test
    @DisplayName("are needed for that: without them the step is lost")
    void blind() {
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(60, _ -> 1);
        earlier.pass(5, SeriesReadBackTest::slow);
        Life later = new Life(earlier.series.interval(), List.of());

        assertThat(begun(later.pass(40, SeriesReadBackTest::slow))).isEmpty();
    }

    @Test
    @DisplayName("keep open findings: their identity, coincidences and members, and no second one")
    void openFindings() {
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(60, _ -> 1);
        recorded.add(
                new RecordedChange(
                        at(FIRST + 60),
                        RecordedChange.Kind.SOFTWARE,
                        List.of(HOST),
                        "kernel 1 became 2"));
        earlier.pass(20, SeriesReadBackTest::slow);
        Finding open = earlier.tracker.open().getFirst();
        assertThat(open.coincidences()).hasSize(1);
        recorded.clear();

        Life later = new Life(earlier.series.interval(), List.of(open));
        later.pass(2, SeriesReadBackTest::slow);
        assertThat(later.readBack()).isEqualTo(owners.size());
        List<FindingEvent> events = later.pass(25, SeriesReadBackTest::slow);

        assertThat(begun(events)).isEmpty();
        assertThat(events).noneMatch(FindingEvent.Ended.class::isInstance);
        Finding kept = later.tracker.open().getFirst();
        assertThat(later.tracker.open()).hasSize(1);
        assertThat(kept.id()).isEqualTo(open.id());
        assertThat(kept.detectedAt()).isEqualTo(open.detectedAt());
        assertThat(kept.coincidences()).isEqualTo(open.coincidences());
        assertThat(kept.memberCount()).isEqualTo(10);
        assertThat(kept.changes().getFirst().before()).isCloseTo(2, within(0.1));
        assertThat(kept.evidence()).isNotEmpty();
        assertThat(later.pass(40, _ -> 1))
                .filteredOn(FindingEvent.Ended.class::isInstance)
                .extracting(event -> event.finding().ending())
                .containsExactly(Finding.Ending.RECOVERED);
    }

    @ParameterizedTest(name = "{0} points of this life come first")
    @ValueSource(ints = {0, 1, 3, 40})
    @DisplayName("are the same in any order of arrival, without double points")
    void anyOrder(int live) {
        Life whole = new Life(FIRST, List.of());
        whole.pass(130, _ -> 1);
        stored.clear();
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(90, _ -> 1);
        Life later = new Life(earlier.series.interval(), List.of());
        later.pass(live, _ -> 1);
        int extended = later.readBack();
        assertThat(extended).isEqualTo(live == 0 ? 0 : owners.size());
        assertThat(later.readBack()).as("again").isZero();
        later.pass(40 - live, _ -> 1);

        for (SeriesOwner owner : owners) {
            MeasuredSeries expected = whole.of(owner);
            MeasuredSeries one = later.of(owner);
            assertThat(one.end()).isEqualTo(FIRST + 130);
            for (long i = FIRST; i < FIRST + 130; i++) {
                assertThat(one.value(i)).as("%d", i).isEqualTo(expected.value(i));
            }
            assertThat(one.expected(FIRST + 130))
                    .isCloseTo(expected.expected(FIRST + 130), within(1e-5));
            assertThat(one.hasLevel()).isTrue();
        }
        assertThat(later.series.remembered()).isZero();
    }

    @Test
    @DisplayName("have gaps where the engine did not run, which are marked, with marks of before")
    void gaps() {
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(40, _ -> 1);
        earlier.of(owners.getFirst()).mark(Mark.Kind.MIGRATION);
        earlier.pass(1, _ -> 1);
        Life later = new Life(FIRST + 50, List.of());
        later.pass(2, _ -> 1);
        later.of(owners.getFirst()).mark(Mark.Kind.RESTART);
        later.pass(1, _ -> 1);
        later.readBack();

        MeasuredSeries one = later.of(owners.getFirst());
        assertThat(one.value(FIRST + 40)).isEqualTo((float) value(owners.getFirst(), FIRST + 40));
        for (long i = FIRST + 41; i < FIRST + 50; i++) {
            assertThat(one.value(i)).isNaN();
        }
        assertThat(one.value(FIRST + 50)).isPositive();
        ChangePoint all =
                new ChangePoint(20, 0, 60, 0.5, 0.4, 0.6, 1, ChangePoint.Shape.STEP, List.of());
        assertThat(one.onAxis(all).marks())
                .containsExactly(
                        new Mark(FIRST + 40, Mark.Kind.MIGRATION),
                        new Mark(FIRST + 50, Mark.Kind.GAP),
                        new Mark(FIRST + 52, Mark.Kind.RESTART));
    }

    @Test
    @DisplayName("know the days before, also those that are older than the window")
    void days() {
        int days = DAY * 4;
        Life whole = new Life(FIRST, List.of());
        whole.pass(days, _ -> 1);
        stored.clear();
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(days - 10, _ -> 1);
        Life later = new Life(earlier.series.interval(), List.of());
        later.pass(3, _ -> 1);
        later.readBack();
        later.pass(7, _ -> 1);

        for (SeriesOwner owner : owners) {
            assertThat(later.of(owner).expected(FIRST + days))
                    .isCloseTo(whole.of(owner).expected(FIRST + days), within(1e-5));
        }
    }

    @Test
    @DisplayName("wait for the load of a disk, and are forgotten when a window has passed")
    void loadReturns() {
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(60, _ -> 1);
        Life later = new Life(earlier.series.interval(), List.of());
        later.readBack();
        later.series.close(later.series.interval() + 20);
        MeasuredSeries one = later.of(owners.getFirst());
        assertThat(one.value(FIRST + 59)).isPositive();
        assertThat(one.value(FIRST + 60)).isNaN();
        assertThat(one.hasLevel()).isTrue();

        later.series.close(FIRST + 60 + WINDOW);

        assertThat(later.series.remembered()).isZero();
    }

    @Test
    @DisplayName("take memory for no more series than the limit")
    void bounds() {
        SlicePast past = new SlicePast(FIRST + 10, 10, 3, 10, 0);
        for (long key = 0; key < 5; key++) {
            past.add(key, FIRST + 9 - key, 2f, 0);
            past.add(key, FIRST + 20, 2f, 0);
            past.add(key, FIRST - 1, 2f, 0);
        }
        assertThat(past.points()).isEqualTo(3);
        assertThat(past.refused()).isEqualTo(2);
        assertThat(past.oldest()).isEqualTo(FIRST + 7);
        List<PastSeries> series = past.series();
        assertThat(series).extracting(PastSeries::key).containsExactlyInAnyOrder(0L, 1L, 2L);

        FleetSeries small = new FleetSeries(10 + WINDOW, 2, FIRST + 10);
        assertThat(small.remember(series)).isEqualTo(2);
        assertThat(small.refused()).isEqualTo(1);
        assertThat(small.get(RegressionMetric.DISK_READ_LATENCY, owners.getFirst())).isNotNull();
        assertThat(small.get(RegressionMetric.DISK_READ_LATENCY, owners.getLast())).isNotNull();
        small.forgetPast();
        assertThat(small.remembered()).isZero();
    }

    @Test
    @DisplayName("are left out if this life has measured a whole window, or the past is too old")
    void noRoom() {
        Life earlier = new Life(FIRST, List.of());
        earlier.pass(30, _ -> 1);
        Life later = new Life(earlier.series.interval(), List.of());
        later.pass(WINDOW, _ -> 1);
        assertThat(later.readBack()).isZero();

        Life muchLater = new Life(FIRST + 30 + WINDOW, List.of());
        muchLater.pass(1, _ -> 1);
        assertThat(muchLater.readBack()).isEqualTo(owners.size());
        stored.removeIf(points -> points.interval() > FIRST + 30);
        Life tooLate = new Life(FIRST + 30 + WINDOW, List.of());
        tooLate.pass(1, _ -> 1);
        assertThat(tooLate.readBack()).isZero();
    }
}
