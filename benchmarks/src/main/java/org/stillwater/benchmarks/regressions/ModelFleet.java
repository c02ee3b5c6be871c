package org.stillwater.benchmarks.regressions;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.FindingEvent;
import org.stillwater.core.regression.FindingOptions;
import org.stillwater.core.regression.FindingTracker;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;

/** Disks of a fleet on virtual time, with the findings about them. */
final class ModelFleet {

    /** Points of a day, which is also the window. */
    static final int DAY = 288;

    private static final Duration INTERVAL = Duration.ofDays(1).dividedBy(DAY);
    private static final FindingOptions OPTIONS = new FindingOptions(INTERVAL, 0.1, 1_000);

    private final List<SeriesOwner> disks;
    private final FleetSeries series;
    private final FindingTracker tracker = new FindingTracker(OPTIONS, List.of());

    /** Measurements of a disk. */
    @FunctionalInterface
    interface Values {
        double of(int disk);
    }

    ModelFleet(List<SeriesOwner> disks) {
        this.disks = disks;
        series = new FleetSeries(DAY, disks.size(), 0, 1, DAY);
    }

    static SeriesOwner disk(String vm, int disk, String host, String domain, String cluster) {
        String name = vm + "/" + disk;
        return new SeriesOwner(
                name,
                List.of(
                        new Shared(SeriesOwner.DISK, name),
                        new Shared(SeriesOwner.VM, vm),
                        new Shared(SeriesOwner.HOST, host),
                        new Shared(SeriesOwner.STORAGE_DOMAIN, domain),
                        new Shared(SeriesOwner.CLUSTER, cluster)));
    }

    /** Lets an interval pass; the findings that began. */
    List<Finding> pass(Values values) {
        for (int i = 0; i < disks.size(); i++) {
            MeasuredSeries one = series.get(RegressionMetric.DISK_READ_LATENCY, disks.get(i));
            if (one != null) {
                one.sample(values.of(i));
            }
        }
        series.close(series.interval() + 1);
        List<Finding> begun = new ArrayList<>();
        for (FindingEvent event : tracker.advance(series, List.of(), _ -> 0, now())) {
            if (event instanceof FindingEvent.Began) {
                begun.add(event.finding());
            }
        }
        return begun;
    }

    private Instant now() {
        return Instant.EPOCH.plus(INTERVAL.multipliedBy(series.interval()));
    }

    /** Number of intervals that passed. */
    long interval() {
        return series.interval();
    }

    /** Number of the interval of a finding's begin. */
    static long begin(Finding finding) {
        return Duration.between(Instant.EPOCH, finding.begin()).dividedBy(INTERVAL);
    }

    List<Finding> open() {
        return tracker.open();
    }
}
