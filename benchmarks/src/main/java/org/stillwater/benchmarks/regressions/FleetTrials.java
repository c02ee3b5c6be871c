package org.stillwater.benchmarks.regressions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;

/**
 * Findings of a model fleet: whether they name the object that became slower, how many there are
 * while nothing changes, and how late they are about one disk alone. Two clusters of two hosts; the
 * disks of all VMs are spread over six storage domains, and each VM has two.
 */
final class FleetTrials {

    private static final int CLUSTERS = 2;
    private static final int HOSTS = 4;
    private static final int DOMAINS = 6;
    private static final int VMS_PER_HOST = 12;
    private static final int BEFORE = 60;
    private static final int AFTER = 40;
    private static final double[] NOISES = {0.02, 0.05, 0.1};
    private static final List<String> LEVELS =
            List.of(
                    SeriesOwner.DISK,
                    SeriesOwner.VM,
                    SeriesOwner.HOST,
                    SeriesOwner.STORAGE_DOMAIN,
                    SeriesOwner.CLUSTER);

    /** The changes injected at a level, and the detected ones among them. */
    private static final class Tally {
        private int trials;
        private int found;
        private int level;
        private int object;
        private int alone;
    }

    private final int trials;
    private final long seed;
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final QuietDisks quiet;
    private final LoneSteps lone;

    /**
     * Trials that have not run.
     *
     * @param trials changes, in turn at each level
     * @param disks of the fleets without a change, and of those with steps of single disks
     */
    FleetTrials(int trials, int disks, long seed) {
        this.trials = trials;
        this.seed = seed;
        quiet = new QuietDisks(disks, seed);
        lone = new LoneSteps(disks, seed);
    }

    /** Runs them. */
    void run() {
        LEVELS.forEach(level -> tallies.put(level, new Tally()));
        for (int i = 0; i < trials; i++) {
            change(new SplittableRandom(seed * 1_000_003 + i), LEVELS.get(i % LEVELS.size()), i);
        }
        quiet.run();
        lone.run();
    }

    private void change(SplittableRandom random, String level, int number) {
        List<SeriesOwner> all = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            for (int vm = 0; vm < VMS_PER_HOST; vm++) {
                for (int disk = 0; disk < 2; disk++) {
                    all.add(
                            ModelFleet.disk(
                                    "vm-" + host + "-" + vm,
                                    disk,
                                    "host-" + host,
                                    "domain-" + random.nextInt(DOMAINS),
                                    "cluster-" + host % CLUSTERS));
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
        ModelFleet fleet = new ModelFleet(all);
        while (fleet.interval() < BEFORE + AFTER) {
            boolean isSlower = fleet.interval() >= BEFORE;
            fleet.pass(disk -> {
                boolean isMember = isSlower && all.get(disk).shared().contains(where);
                return (isMember ? factor : 1) * Math.exp(noise * random.nextGaussian());
            });
        }
        Tally tally = tallies.computeIfAbsent(level, _ -> new Tally());
        List<Finding> open = fleet.open();
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
        return text.append(quiet.describe()).append(lone.describe()).toString();
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
        return Map.of(
                "levels",
                levels,
                "falseFindingsPer1000SeriesAndDay",
                quiet.figures(),
                "falseFindingsPer1000SeriesOnTheLastDay",
                quiet.lastDay(),
                "loneSteps",
                lone.figures());
    }
}
