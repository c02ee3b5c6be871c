package org.stillwater.benchmarks.regressions;

import java.util.Arrays;

/** How well one detector did on the series of one cell. Not thread-safe. */
final class Score {

    /** Largest distance in points of a right change point from a true one. */
    static final int TOLERANCE = 5;

    private int series;
    private int unchanged;
    private int alarmed;
    private int reported;
    private int right;
    private int truths;
    private int intervals;
    private int changesInside;
    private int beginsInside;
    private double micros;
    private int[] errors = new int[64];

    /** A detector's result for one change; an interval that is {@code NaN} is none. */
    record Found(int index, int earliest, int latest, double low, double high) {

        static Found at(int index) {
            return new Found(index, index, index, Double.NaN, Double.NaN);
        }
    }

    void add(LabelledSeries truth, Found[] found, double micros) {
        series++;
        this.micros += micros;
        reported += found.length;
        truths += truth.begins().length;
        if (truth.begins().length == 0) {
            unchanged++;
            if (found.length > 0) {
                alarmed++;
            }
        }
        boolean[] used = new boolean[found.length];
        for (int t = 0; t < truth.begins().length; t++) {
            int best = nearest(truth.begins()[t], found, used);
            if (best >= 0) {
                used[best] = true;
                match(truth.begins()[t], truth.changes()[t], found[best]);
            }
        }
    }

    private static int nearest(int begin, Found[] found, boolean[] used) {
        int best = -1;
        for (int i = 0; i < found.length; i++) {
            int distance = Math.abs(found[i].index() - begin);
            if (!used[i]
                    && distance <= TOLERANCE
                    && (best < 0 || distance < Math.abs(found[best].index() - begin))) {
                best = i;
            }
        }
        return best;
    }

    private void match(int begin, double change, Found found) {
        if (right == errors.length) {
            errors = Arrays.copyOf(errors, 2 * right);
        }
        errors[right++] = Math.abs(found.index() - begin);
        if (!Double.isNaN(found.low())) {
            intervals++;
            changesInside += found.low() <= change && change <= found.high() ? 1 : 0;
            beginsInside += found.earliest() <= begin && begin <= found.latest() ? 1 : 0;
        }
    }

    /** Adds the series of another cell. */
    void add(Score other) {
        series += other.series;
        unchanged += other.unchanged;
        alarmed += other.alarmed;
        reported += other.reported;
        truths += other.truths;
        intervals += other.intervals;
        changesInside += other.changesInside;
        beginsInside += other.beginsInside;
        micros += other.micros;
        errors = Arrays.copyOf(errors, right + other.right);
        System.arraycopy(other.errors, 0, errors, right, other.right);
        right += other.right;
    }

    int series() {
        return series;
    }

    /** Share of the reported changes that are true; 1 if none is reported. */
    double precision() {
        return reported == 0 ? 1 : (double) right / reported;
    }

    /** Share of the true changes that are reported. */
    double recall() {
        return truths == 0 ? 1 : (double) right / truths;
    }

    /** Share of the series without a change in which one is reported. */
    double falseAlarms() {
        return unchanged == 0 ? 0 : (double) alarmed / unchanged;
    }

    double microsPerSeries() {
        return series == 0 ? 0 : micros / series;
    }

    /** Distance of the begin that this share of the right findings does not exceed, in points. */
    double beginError(double share) {
        if (right == 0) {
            return Double.NaN;
        }
        int[] sorted = Arrays.copyOf(errors, right);
        Arrays.sort(sorted);
        return sorted[Math.min(right - 1, (int) (share * right))];
    }

    /** Share of the right findings with the true change in their interval. */
    double changeCoverage() {
        return intervals == 0 ? Double.NaN : (double) changesInside / intervals;
    }

    /** Share of the right findings with the true begin in their interval. */
    double beginCoverage() {
        return intervals == 0 ? Double.NaN : (double) beginsInside / intervals;
    }
}
