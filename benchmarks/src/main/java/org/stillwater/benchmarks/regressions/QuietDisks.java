package org.stillwater.benchmarks.regressions;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.stillwater.core.regression.SeriesOwner;

/** Findings about disks that do not become slower, day by day. */
final class QuietDisks {

    private static final int DAYS = 3;
    private static final int HOSTS = 4;
    private static final int DOMAINS = 6;
    private static final int CLUSTERS = 2;

    /** How the values of a disk vary. */
    enum Kind {
        NOISE("noise 10 %") {
            @Override
            double value(Dice dice, long interval) {
                return Math.exp(0.1 * dice.random.nextGaussian());
            }
        },
        CORRELATED("noise 10 %, correlation 0.5") {
            @Override
            double value(Dice dice, long interval) {
                double fresh = Math.sqrt(0.75) * dice.random.nextGaussian();
                dice.state = 0.5 * dice.state + fresh;
                return Math.exp(0.1 * dice.state);
            }
        },
        TEN_SAMPLES("mean of ten samples of the simulator") {
            @Override
            double value(Dice dice, long interval) {
                return samples(dice.random, 10);
            }
        },
        ONE_SAMPLE("one sample of the simulator") {
            @Override
            double value(Dice dice, long interval) {
                return samples(dice.random, 1);
            }
        },
        CACHE("three in ten answers not from a cache") {
            @Override
            double value(Dice dice, long interval) {
                boolean isSlow = dice.random.nextInt(10) < 3;
                return isSlow ? 5 : 1 + 0.05 * dice.random.nextGaussian();
            }
        },
        /** A third of the intervals draws a new level: one in 3/10 is slow. */
        TWO_LEVELS("two levels for a quarter of an hour each") {
            @Override
            double value(Dice dice, long interval) {
                if (dice.random.nextInt(3) == 0 || dice.state == 0) {
                    dice.state = dice.random.nextInt(10) < 3 ? 3 : 1;
                }
                return dice.state * Math.exp(0.1 * dice.random.nextGaussian());
            }
        },
        CURVE("the curve of a day, 30 %, noise 5 %") {
            @Override
            double value(Dice dice, long interval) {
                double turn = 2 * Math.PI * (interval + 7L * dice.disk) / ModelFleet.DAY;
                return (1 - 0.3 * Math.cos(turn)) * Math.exp(0.05 * dice.random.nextGaussian());
            }
        };

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        abstract double value(Dice dice, long interval);

        /** As the simulator makes latencies of reads: evenly from 0.2 to 1.25 ms. */
        private static double samples(SplittableRandom random, int count) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += 0.2 + 1.05 * random.nextDouble();
            }
            return sum / count;
        }
    }

    /** Random state of one disk. */
    static final class Dice {
        private final int disk;
        private final SplittableRandom random;
        private double state;

        Dice(int disk, SplittableRandom random) {
            this.disk = disk;
            this.random = random;
        }
    }

    private final int disks;
    private final long seed;

    /** Findings of each day. */
    private final Map<Kind, int[]> begun = new EnumMap<>(Kind.class);

    QuietDisks(int disks, long seed) {
        this.disks = disks;
        this.seed = seed;
    }

    void run() {
        for (Kind kind : Kind.values()) {
            begun.put(kind, run(kind));
        }
    }

    private int[] run(Kind kind) {
        List<SeriesOwner> owners = new ArrayList<>();
        List<Dice> dice = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < disks; i++) {
            owners.add(
                    ModelFleet.disk(
                            "vm-" + i,
                            0,
                            "host-" + i % HOSTS,
                            "domain-" + i % DOMAINS,
                            "cluster-" + i % CLUSTERS));
            dice.add(new Dice(i, random.split()));
        }
        ModelFleet fleet = new ModelFleet(owners);
        int[] days = new int[DAYS];
        for (int i = 0; i < DAYS * ModelFleet.DAY; i++) {
            int now = i;
            days[i / ModelFleet.DAY] += fleet.pass(disk -> kind.value(dice.get(disk), now)).size();
        }
        return days;
    }

    private double perThousand(double findings, int days) {
        return 1_000 * findings / disks / days;
    }

    /** The rates as text. */
    String describe() {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "%nFindings of %d disks without a change per 1000 disks and day;"
                                        + " first, second and third day%n",
                                disks));
        begun.forEach((kind, days) -> {
            text.append(String.format(Locale.ROOT, "%-42s", kind.label));
            for (int day : days) {
                text.append(String.format(Locale.ROOT, " %8.2f", perThousand(day, 1)));
            }
            text.append(System.lineSeparator());
        });
        return text.toString();
    }

    /** Findings per 1000 disks and day of all days, by kind. */
    Map<String, Object> figures() {
        Map<String, Object> rates = new TreeMap<>();
        begun.forEach((kind, days) -> {
            double all = 0;
            for (int day : days) {
                all += day;
            }
            rates.put(kind.label, perThousand(all, DAYS));
        });
        return rates;
    }

    /** The same of the last day alone, when a day before is known. */
    Map<String, Object> lastDay() {
        Map<String, Object> rates = new TreeMap<>();
        begun.forEach((kind, days) -> rates.put(kind.label, perThousand(days[DAYS - 1], 1)));
        return rates;
    }
}
