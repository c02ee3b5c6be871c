package org.stillwater.core.regression;

import java.util.Arrays;

/**
 * Segments of constant level of a cleaned series.
 *
 * <p>The first phase proposes too many boundaries: the best split of every interval of a fixed set
 * of lengths and offsets (seeded binary segmentation), the clearest split first, then the best
 * split of each remaining segment. This finds short levels in the middle of a series, which one
 * split of the whole series misses. The second phase moves boundaries to their likeliest places,
 * removes the weakest one and estimates the noise again, until each boundary is significant. Apart
 * from the removal, the number of steps depends on the length only. Mutable, not thread-safe.
 */
final class Segmentation {

    /** Share of the threshold for a proposal; the removal applies the whole threshold. */
    private static final double PROPOSED = 0.75;

    /**
     * The addition of correlation to the squared threshold, for a correlation of 1: the jump at a
     * boundary is one more chance for noise.
     */
    private static final double FOR_CORRELATION = 2;

    /** Points for which the whole series' variance counts in that of a level. */
    private static final double SHARED_POINTS = 40;

    /** Rounds in which boundaries move to the best position between their neighbours. */
    private static final int ROUNDS = 3;

    private final DetectorOptions options;
    private final Noise noise;
    private final StepLikelihood likelihood;

    private double[] raw = new double[0];
    private double[] values = new double[0];
    private int[] position = new int[0];
    private int count;
    private double[] sums = new double[1];
    private double[] squares = new double[1];

    /** First points of the segments, and the end. */
    private int[] bounds = new int[2];

    private int segments;

    private int[] splits = new int[16];
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private double[] gains = new double[16];
    private int proposals;

    /** Gain of the last {@link #bestSplit}: squared standard errors. */
    private double gain;

    Segmentation(DetectorOptions options, Noise noise, StepLikelihood likelihood) {
        this.options = options;
        this.noise = noise;
        this.likelihood = likelihood;
    }

    int segments() {
        return segments;
    }

    /** First point of a segment; for {@code segments()}, the end of the series. */
    int start(int segment) {
        return bounds[segment];
    }

    double mean(int from, int to) {
        return (sums[to] - sums[from]) / (to - from);
    }

    double level(int segment) {
        return mean(bounds[segment], bounds[segment + 1]);
    }

    /** Difference of the levels around the start of a segment, in standard errors. */
    double significance(int segment) {
        likelihood.between(bounds[segment - 1], bounds[segment + 1]);
        double relative = Math.max(1, relativeVariance(segment));
        return Math.sqrt(likelihood.gain(bounds[segment]) / noise.variance() / relative);
    }

    /**
     * Variance of the difference of the levels around the start of a segment, relative to that with
     * equal noise everywhere: a level may be noisier than others (Welch's test).
     */
    double relativeVariance(int segment) {
        int before = bounds[segment] - bounds[segment - 1];
        int after = bounds[segment + 1] - bounds[segment];
        double sum = variance(segment - 1) * after + variance(segment) * before;
        return sum / (before + after) / noise.variance();
    }

    private double variance(int segment) {
        int from = bounds[segment];
        int to = bounds[segment + 1];
        int length = to - from;
        double sum = sums[to] - sums[from] - length * values[0];
        double around = Math.max(0, squares[to] - squares[from] - sum * sum / length);
        double hidden =
                Math.min(length / 2.0, (1 + noise.correlation()) / (1 - noise.correlation()));
        return (around + SHARED_POINTS * noise.variance()) / (length - hidden + SHARED_POINTS);
    }

    /** A series has room for many short segments, and noise can shift each of them by chance. */
    private double threshold(int segment) {
        int shorter =
                Math.min(
                        bounds[segment] - bounds[segment - 1],
                        bounds[segment + 1] - bounds[segment]);
        double room = Math.log((double) count / (2 * shorter));
        return Math.sqrt(
                options.threshold() * options.threshold()
                        + FOR_CORRELATION * noise.correlation()
                        + 2 * Math.max(0, room));
    }

    /**
     * Splits a series.
     *
     * @param logs the series
     * @param cleaned the same without outliers
     * @param scale standard deviation of the series around its running median
     */
    void find(double[] logs, double[] cleaned, int[] positions, int points, double scale) {
        raw = logs;
        values = cleaned;
        position = positions;
        count = points;
        if (sums.length <= count) {
            sums = new double[count + 1];
            squares = new double[count + 1];
            bounds = new int[count / options.minimumSegment() + 3];
        }
        for (int i = 0; i < count; i++) {
            sums[i + 1] = sums[i] + values[i];
            double shifted = values[i] - values[0];
            squares[i + 1] = squares[i] + shifted * shifted;
        }
        bounds[0] = 0;
        bounds[1] = count;
        segments = 1;
        noise.fromDifferences(values, position, count, scale);
        propose();
        if (segments > 1) {
            likelihood.prepare(raw, values, position, count, noise.correlation());
            relocate();
        }
        remove();
    }

    private void propose() {
        proposals = 0;
        double least = Math.pow(PROPOSED * options.threshold(), 2);
        int shortest = 2 * options.minimumSegment();
        for (int length = count, parts = 1;
                length >= shortest;
                length /= 2, parts = 2 * parts + 1) {
            for (int part = 0; part < parts; part++) {
                int from = parts == 1 ? 0 : (int) ((long) (count - length) * part / (parts - 1));
                int split = bestSplit(from, from + length);
                if (split > 0 && gain > least) {
                    keep(split, from, from + length);
                }
            }
        }
        acceptClearest();
        for (int s = 0; s < segments; ) {
            int split = bestSplit(bounds[s], bounds[s + 1]);
            if (split > 0 && gain > least) {
                insert(split);
            } else {
                s++;
            }
        }
    }

    private void keep(int split, int from, int to) {
        if (proposals == splits.length) {
            splits = Arrays.copyOf(splits, 2 * proposals);
            starts = Arrays.copyOf(starts, 2 * proposals);
            ends = Arrays.copyOf(ends, 2 * proposals);
            gains = Arrays.copyOf(gains, 2 * proposals);
        }
        splits[proposals] = split;
        starts[proposals] = from;
        ends[proposals] = to;
        gains[proposals++] = gain;
    }

    private void acceptClearest() {
        while (true) {
            int best = -1;
            for (int i = 0; i < proposals; i++) {
                if (gains[i] > 0 && (best < 0 || gains[i] > gains[best])) {
                    best = i;
                }
            }
            if (best < 0) {
                return;
            }
            gains[best] = 0;
            if (isFree(best)) {
                insert(splits[best]);
            }
        }
    }

    /** Whether the interval has no boundary yet and none is too near the split. */
    private boolean isFree(int proposal) {
        for (int s = 1; s < segments; s++) {
            int bound = bounds[s];
            boolean within = bound > starts[proposal] && bound < ends[proposal];
            if (within || Math.abs(bound - splits[proposal]) < options.minimumSegment()) {
                return false;
            }
        }
        return true;
    }

    private void insert(int bound) {
        int at = segments++;
        while (bounds[at - 1] > bound) {
            at--;
        }
        System.arraycopy(bounds, at, bounds, at + 1, segments - at);
        bounds[at] = bound;
    }

    /** The point with the largest difference of the two means; 0 if the interval is too short. */
    private int bestSplit(int from, int to) {
        int length = to - from;
        double total = sums[to] - sums[from];
        double slope = total / length;
        double best = 0;
        int split = 0;
        for (int k = from + options.minimumSegment(); k <= to - options.minimumSegment(); k++) {
            int left = k - from;
            double distance = sums[k] - sums[from] - slope * left;
            double squared = distance * distance / ((double) left * (length - left));
            if (squared > best) {
                best = squared;
                split = k;
            }
        }
        gain = best * length / noise.longRun();
        return split;
    }

    /** The likeliest point for a step; 0 if no point is likely. */
    private int likeliest(int from, int to) {
        likelihood.between(from, to);
        double most = 0;
        int split = 0;
        for (int k = from + options.minimumSegment(); k <= to - options.minimumSegment(); k++) {
            double squared = likelihood.gain(k);
            if (squared > most) {
                most = squared;
                split = k;
            }
        }
        return split;
    }

    private void relocate() {
        for (int round = 0; round < ROUNDS; round++) {
            boolean moved = false;
            for (int s = 1; s < segments; s++) {
                int split = likeliest(bounds[s - 1], bounds[s + 1]);
                if (split > 0 && split != bounds[s]) {
                    bounds[s] = split;
                    moved = true;
                }
            }
            if (!moved) {
                return;
            }
        }
    }

    private void remove() {
        while (true) {
            noise.fromResiduals(values, position, count, sums, bounds, segments);
            likelihood.prepare(raw, values, position, count, noise.correlation());
            int weakest = 0;
            double least = 1;
            for (int s = 1; s < segments; s++) {
                double change = Math.abs(Math.expm1(level(s) - level(s - 1)));
                double share =
                        change < options.minimumChange() ? 0 : significance(s) / threshold(s);
                if (share < least) {
                    least = share;
                    weakest = s;
                }
            }
            if (weakest == 0) {
                return;
            }
            System.arraycopy(bounds, weakest + 1, bounds, weakest, segments - weakest);
            segments--;
            relocate();
        }
    }
}
