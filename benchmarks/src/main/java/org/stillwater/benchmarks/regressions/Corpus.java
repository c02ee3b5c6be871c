package org.stillwater.benchmarks.regressions;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.stillwater.benchmarks.regressions.Cell.Generator;
import org.stillwater.benchmarks.regressions.LabelledSeries.Kind;

/**
 * Series with known changes, the same for the same seed. The noise is log-normal and
 * autoregressive; every fiftieth value is an outlier.
 */
final class Corpus {

    /** Points of a series: 25 hours of 5-minute medians, or 5 hours of 1-minute ones. */
    static final int LENGTH = 300;

    static final List<Integer> STEPS = List.of(5, 10, 20, 40);
    static final List<Integer> NOISES = List.of(2, 5, 10);
    static final List<Double> CORRELATIONS = List.of(0.0, 0.5);

    private static final List<Kind> KINDS =
            List.of(Kind.STEP, Kind.RECOVERY, Kind.UNCHANGED, Kind.DIP);

    private static final double OUTLIERS = 0.02;
    private static final int DIP_POINTS = 3;
    private static final int FIRST_BEGIN = 60;
    private static final int LAST_BEGIN = 240;
    private static final int SHORTEST_LEVEL = 40;
    private static final int LONGEST_LEVEL = 100;

    /** Change of the weak spots in percent: of the day's curve from its mean, of the drift. */
    private static final int WEAK_SPOT_PERCENT = 20;

    private Corpus() {}

    /** Begin, end and direction of an injected change of a series. */
    record Plan(Kind kind, int begin, int end, int signedPercent, long seed) {

        double factor() {
            return 1 + signedPercent / 100.0;
        }
    }

    static Plan plan(int stepPercent, int number, SplittableRandom random) {
        Kind kind = KINDS.get(number % KINDS.size());
        int begin = random.nextInt(FIRST_BEGIN, LAST_BEGIN + 1);
        int length = random.nextInt(SHORTEST_LEVEL, LONGEST_LEVEL + 1);
        if (kind == Kind.RECOVERY) {
            begin = random.nextInt(FIRST_BEGIN, LAST_BEGIN - length + 1);
        }
        int signed = random.nextBoolean() ? stepPercent : -stepPercent;
        return new Plan(kind, begin, begin + length, signed, random.nextInt(Integer.MAX_VALUE));
    }

    /** The cells of a generator. Otava's has no correlated noise. */
    static List<Cell> cells(Generator generator) {
        List<Cell> cells = new ArrayList<>();
        for (double correlation : CORRELATIONS) {
            if (generator == Generator.STILLWATER || correlation == 0) {
                for (int noise : NOISES) {
                    for (int step : STEPS) {
                        cells.add(new Cell(generator, step, noise, correlation));
                    }
                }
            }
        }
        return cells;
    }

    /** Least number of our series, equal in each cell and of each kind. */
    static List<LabelledSeries> generate(int series, long seed) {
        List<Cell> cells = cells(Generator.STILLWATER);
        int each = perCell(series, cells.size());
        SplittableRandom random = new SplittableRandom(seed);
        List<LabelledSeries> all = new ArrayList<>();
        for (Cell cell : cells) {
            for (int i = 0; i < each; i++) {
                Plan plan = plan(cell.stepPercent(), i, random);
                all.add(labelled(cell, plan, values(cell, plan)));
            }
        }
        return all;
    }

    /** Series per cell: a multiple of the kinds. */
    static int perCell(int series, int cells) {
        int group = cells * KINDS.size();
        return Math.ceilDiv(series, group) * KINDS.size();
    }

    /** Series without a step that a detector of steps easily takes for one. */
    static List<LabelledSeries> weakSpots(int series, long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        List<LabelledSeries> all = new ArrayList<>();
        for (int i = 0; i < series; i++) {
            Kind kind = i % 2 == 0 ? Kind.DIURNAL : Kind.DRIFT;
            int noise = NOISES.get(i / 2 % NOISES.size());
            Cell cell = new Cell(Generator.STILLWATER, WEAK_SPOT_PERCENT, noise, 0);
            Plan plan =
                    new Plan(
                            kind,
                            random.nextInt(LENGTH),
                            LENGTH,
                            random.nextBoolean() ? WEAK_SPOT_PERCENT : -WEAK_SPOT_PERCENT,
                            random.nextInt(Integer.MAX_VALUE));
            all.add(labelled(cell, plan, values(cell, plan)));
        }
        return all;
    }

    static LabelledSeries labelled(Cell cell, Plan plan, double[] values) {
        return switch (plan.kind()) {
            case STEP ->
                    new LabelledSeries(
                            cell,
                            plan.kind(),
                            values,
                            new int[] {plan.begin()},
                            new double[] {plan.factor() - 1});
            case RECOVERY ->
                    new LabelledSeries(
                            cell,
                            plan.kind(),
                            values,
                            new int[] {plan.begin(), plan.end()},
                            new double[] {plan.factor() - 1, 1 / plan.factor() - 1});
            case UNCHANGED, DIP, DIURNAL, DRIFT ->
                    new LabelledSeries(cell, plan.kind(), values, new int[0], new double[0]);
        };
    }

    private static double[] values(Cell cell, Plan plan) {
        SplittableRandom random = new SplittableRandom(plan.seed());
        double level = Math.pow(10, random.nextDouble(0, 4));
        double variation = cell.noisePercent() / 100.0;
        double deviation = Math.sqrt(Math.log1p(variation * variation));
        double fresh = deviation * Math.sqrt(1 - cell.correlation() * cell.correlation());
        double noise = deviation * random.nextGaussian();
        double[] values = new double[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            values[i] = level * shape(plan, i) * Math.exp(noise);
            if (random.nextDouble() < OUTLIERS) {
                values[i] *= random.nextBoolean() ? 0.4 : 1.8;
            }
            noise = cell.correlation() * noise + fresh * random.nextGaussian();
        }
        return values;
    }

    private static double shape(Plan plan, int i) {
        double change = plan.signedPercent() / 100.0;
        return switch (plan.kind()) {
            case STEP -> i >= plan.begin() ? plan.factor() : 1;
            case RECOVERY -> i >= plan.begin() && i < plan.end() ? plan.factor() : 1;
            case UNCHANGED -> 1;
            case DIP -> i >= plan.begin() && i < plan.begin() + DIP_POINTS ? plan.factor() : 1;
            case DIURNAL -> 1 + change * Math.sin(2 * Math.PI * (i + plan.begin()) / LENGTH);
            case DRIFT -> 1 + change * i / LENGTH;
        };
    }
}
