package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.regression.SeriesOwner.Shared;

/** Days of a fleet of noisy disks, on virtual time. */
@DisplayName("A fleet in which nothing changes")
class QuietFleetTest {

    private static final int DISKS = 60;
    private static final int DAY = 288;
    private static final int SAMPLES = 10;
    private static final int LEAST_SAMPLES = 3;
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    /** How the samples of an interval are made. */
    enum Disks {
        /** As the simulator makes them: a sample is anywhere between 0.2 and 1.25 ms. */
        BUSY {
            @Override
            void sample(SplittableRandom random, MeasuredSeries series, double factor) {
                for (int i = 0; i < SAMPLES; i++) {
                    series.sample(factor * uniform(random));
                }
            }
        },
        /** A disk with little load is idle in most samples. */
        SELDOM {
            @Override
            void sample(SplittableRandom random, MeasuredSeries series, double factor) {
                for (int i = 0; i < SAMPLES; i++) {
                    if (random.nextInt(7) == 0) {
                        series.sample(factor * uniform(random));
                    }
                }
            }
        },
        /** Most answers come from a cache. */
        CACHED {
            @Override
            void sample(SplittableRandom random, MeasuredSeries series, double factor) {
                double value = random.nextInt(10) < 3 ? 5 : 1 + 0.05 * random.nextGaussian();
                for (int i = 0; i < LEAST_SAMPLES; i++) {
                    series.sample(factor * value);
                }
            }
        };

        abstract void sample(SplittableRandom random, MeasuredSeries series, double factor);

        static double uniform(SplittableRandom random) {
            return 0.2 + 1.05 * random.nextDouble();
        }
    }

    private final FleetSeries series = new FleetSeries(DAY, 10_000, 0, LEAST_SAMPLES, DAY);
    private final FindingTracker tracker =
            new FindingTracker(new FindingOptions(INTERVAL, 0.1, 10_000), List.of());
    private final SplittableRandom random = new SplittableRandom(9);

    private List<Finding> pass(Disks disks, int intervals, int slow) {
        List<Finding> begun = new ArrayList<>();
        for (int i = 0; i < intervals; i++) {
            for (int disk = 0; disk < DISKS; disk++) {
                MeasuredSeries one = series.get(RegressionMetric.DISK_READ_LATENCY, owner(disk));
                assertThat(one).isNotNull();
                disks.sample(random, one, disk == slow ? 2 : 1);
            }
            series.close(series.interval() + 1);
            Instant now = Instant.EPOCH.plus(INTERVAL.multipliedBy(series.interval()));
            for (FindingEvent event : tracker.advance(series, List.of(), _ -> 0, now)) {
                if (event instanceof FindingEvent.Began) {
                    begun.add(event.finding());
                }
            }
        }
        return begun;
    }

    private static final List<SeriesOwner> OWNERS =
            IntStream.range(0, DISKS)
                    .mapToObj(disk ->
                            new SeriesOwner(
                                    "vm-" + disk + "/vda",
                                    List.of(
                                            new Shared(SeriesOwner.DISK, "vm-" + disk + "/vda"),
                                            new Shared(SeriesOwner.VM, "vm-" + disk),
                                            new Shared(SeriesOwner.HOST, "host-" + disk % 10),
                                            new Shared(SeriesOwner.STORAGE_DOMAIN, "" + disk % 4),
                                            new Shared(SeriesOwner.CLUSTER, "cluster"))))
                    .toList();

    private static SeriesOwner owner(int disk) {
        return OWNERS.get(disk);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("has no finding in two days, and then only about the disk that is twice as slow")
    void quiet(Disks disks) {
        assertThat(pass(disks, 2 * DAY, -1)).isEmpty();

        List<Finding> found = pass(disks, disks == Disks.BUSY ? 20 : DAY, 7);

        if (disks != Disks.SELDOM) { // which has too few points
            assertThat(found)
                    .extracting(Finding::where)
                    .isNotEmpty()
                    .containsOnly(new Shared(SeriesOwner.DISK, "vm-7/vda"));
        }
    }
}
