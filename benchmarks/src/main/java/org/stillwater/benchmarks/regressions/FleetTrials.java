package org.stillwater.benchmarks.regressions;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.FindingEvent;
import org.stillwater.core.regression.FindingOptions;
import org.stillwater.core.regression.FindingTracker;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;

/**
 * Findings of a model fleet: whether they name the object that became slower, and how many there
 * are while nothing changes. Two clusters of two hosts; the disks of all VMs are spread over six
 * storage domains, and each VM has two.
 */
final class FleetTrials {

    private static final int CLUSTERS = 2;
    private static final int HOSTS = 4;
    private static final int DOMAINS = 6;
    private static final int VMS_PER_HOST = 12;
    private static final int WINDOW = 288;
    private static final int BEFORE = 60;
    private static final int AFTER = 40;
    private static final int DAYS = 3;
    private static final double[] NOISES = {0.02, 0.05, 0.1};
    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final FindingOptions OPTIONS = new FindingOptions(INTERVAL, 0.1, 1_000);
    private static final List<String> LEVELS =
            List.of(
                    SeriesOwner.DISK,
                    SeriesOwner.VM,
                    SeriesOwner.HOST,
                    SeriesOwner.STORAGE_DOMAIN,
                    SeriesOwner.CLUSTER);

    /** What was injected at a level, and what of it was found. */
    private static final class Tally {
        private int trials;
        private int found;
        private int level;
        private int object;
        private int alone;
    }

    private final int trials;
    private final int disks;
    private final long seed;
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final Map<String, Integer> quiet = new LinkedHashMap<>();

    /**
     * Trials that have not run.
     *
     * @param trials changes, in turn at each level
     * @param disks series without a change
     */
    FleetTrials(int trials, int disks, long seed) {
        this.trials = trials;
        this.disks = disks;
        this.seed = seed;
    }

    /** Runs them. */
    void run() {
        LEVELS.forEach(level -> tallies.put(level, new Tally()));
        for (int i = 0; i < trials; i++) {
            change(new SplittableRandom(seed * 1_000_003 + i), LEVELS.get(i % LEVELS.size()), i);
        }
        quiet.put("noise 10 %", quiet((random, _) -> Math.exp(0.1 * random.nextGaussian())));
        quiet.put(
                "mean of ten samples of the simulator", quiet((random, _) -> samples(random, 10)));
        quiet.put("one sample of the simulator", quiet((random, _) -> samples(random, 1)));
        quiet.put(
                "three in ten answers not from a cache",
                quiet((random, _) ->
                        random.nextInt(10) < 3 ? 5 : 1 + 0.05 * random.nextGaussian()));
    }

    /** As the simulator makes latencies of reads: evenly from 0.2 to 1.25 ms. */
    private static double samples(SplittableRandom random, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += 0.2 + 1.05 * random.nextDouble();
        }
        return sum / count;
    }

    /** A value of a disk. */
    @FunctionalInterface
    private interface Values {
        double of(SplittableRandom random, SeriesOwner disk);
    }

    private static SeriesOwner disk(int host, int vm, int disk, int domain) {
        String name = "vm-" + host + "-" + vm;
        return new SeriesOwner(
                name + "/" + disk,
                List.of(
                        new Shared(SeriesOwner.DISK, name + "/" + disk),
                        new Shared(SeriesOwner.VM, name),
                        new Shared(SeriesOwner.HOST, "host-" + host),
                        new Shared(SeriesOwner.STORAGE_DOMAIN, "domain-" + domain),
                        new Shared(SeriesOwner.CLUSTER, "cluster-" + host % CLUSTERS)));
    }

    private void change(SplittableRandom random, String level, int number) {
        List<SeriesOwner> all = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            for (int vm = 0; vm < VMS_PER_HOST; vm++) {
                for (int disk = 0; disk < 2; disk++) {
                    all.add(disk(host, vm, disk, random.nextInt(DOMAINS)));
                }
            }
        }
        Shared where =
                all.get(random.nextInt(all.size())).shared().stream()
                        .filter(each -> each.level().equals(level))
                        .findFirst()
                        .orElseThrow();
        double noise = NOISES[number / LEVELS.size() % NOISES.length];
        double factor = 1.2 + 0.4 * random.nextDouble();
        FleetSeries series = new FleetSeries(WINDOW, all.size(), 0);
        FindingTracker tracker = new FindingTracker(OPTIONS, List.of());
        pass(
                series,
                tracker,
                all,
                random,
                BEFORE,
                (dice, _) -> Math.exp(noise * dice.nextGaussian()));
        pass(
                series,
                tracker,
                all,
                random,
                AFTER,
                (dice, disk) ->
                        (disk.shared().contains(where) ? factor : 1)
                                * Math.exp(noise * dice.nextGaussian()));
        Tally tally = tallies.computeIfAbsent(level, _ -> new Tally());
        List<Finding> open = tracker.open();
        tally.trials++;
        open.stream()
                .max(Comparator.comparingInt(Finding::memberCount))
                .ifPresent(largest -> {
                    tally.found++;
                    tally.level += largest.where().level().equals(level) ? 1 : 0;
                    tally.object += largest.where().equals(where) ? 1 : 0;
                    tally.alone += open.size() == 1 ? 1 : 0;
                });
    }

    private int quiet(Values values) {
        List<SeriesOwner> all = new ArrayList<>();
        for (int i = 0; i < disks; i++) {
            all.add(disk(i % HOSTS, i / HOSTS, 0, i % DOMAINS));
        }
        FleetSeries series = new FleetSeries(WINDOW, all.size(), 0);
        FindingTracker tracker = new FindingTracker(OPTIONS, List.of());
        return pass(series, tracker, all, new SplittableRandom(seed), DAYS * WINDOW, values);
    }

    /** Lets intervals pass; how many findings began. */
    private static int pass(
            FleetSeries series,
            FindingTracker tracker,
            List<SeriesOwner> all,
            SplittableRandom random,
            int intervals,
            Values values) {
        int begun = 0;
        for (int i = 0; i < intervals; i++) {
            for (SeriesOwner disk : all) {
                MeasuredSeries one = series.get(RegressionMetric.DISK_READ_LATENCY, disk);
                if (one != null) {
                    one.sample(values.of(random, disk));
                }
            }
            series.close(series.interval() + 1);
            Instant now = Instant.EPOCH.plus(INTERVAL.multipliedBy(series.interval()));
            begun +=
                    (int)
                            tracker.advance(series, List.of(), _ -> 0, now).stream()
                                    .filter(FindingEvent.Began.class::isInstance)
                                    .count();
        }
        return begun;
    }

    private double perThousand(int begun) {
        return 1_000.0 * begun / disks / DAYS;
    }

    /** The shares as text. */
    String describe() {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "%nA fleet of %d disks, steps of 20 to 60 %%, noise of 2, 5 and 10"
                                    + " %%, %d points after the begin%n%-16s %6s %6s %6s %7s %6s%n",
                                HOSTS * VMS_PER_HOST * 2,
                                AFTER,
                                "injected at",
                                "trials",
                                "found",
                                "level",
                                "object",
                                "alone"));
        for (Map.Entry<String, Tally> each : tallies.entrySet()) {
            Tally tally = each.getValue();
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-16s %6d %6d %6d %7d %6d%n",
                            each.getKey(),
                            tally.trials,
                            tally.found,
                            tally.level,
                            tally.object,
                            tally.alone));
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%nFindings of %d disks without a change in %d days, and per 1000 series"
                                + " and day%n",
                        disks,
                        DAYS));
        quiet.forEach((values, begun) ->
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%-40s %4d %8.2f%n",
                                values,
                                begun,
                                perThousand(begun))));
        return text.toString();
    }

    /** The shares for the file of figures. */
    Map<String, Object> figures() {
        Map<String, Object> levels = new LinkedHashMap<>();
        tallies.forEach((level, tally) ->
                levels.put(
                        level,
                        Map.of(
                                "trials", tally.trials,
                                "found", tally.found,
                                "levelRight", tally.level,
                                "objectRight", tally.object,
                                "alone", tally.alone)));
        Map<String, Object> perDay = new LinkedHashMap<>();
        quiet.forEach((values, begun) -> perDay.put(values, perThousand(begun)));
        return Map.of("levels", levels, "falseFindingsPer1000SeriesAndDay", perDay);
    }
}
