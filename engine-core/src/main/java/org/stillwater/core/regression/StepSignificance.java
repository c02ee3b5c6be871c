package org.stillwater.core.regression;

import java.util.Arrays;

/**
 * Significance of a step in the measured values. The detector removes outliers first, and the rest
 * of a disk with occasional cache hits or rare requests looks like two levels without noise. Here
 * each value counts, limited to {@value #LIMIT} deviations around the median of the longer level,
 * so that the noise is that of the series and no outlier dominates. The same limits apply to both
 * levels. The jump at the begin counts more than a later value if neighbours resemble each other.
 * Mutable scratch memory, not thread-safe.
 */
final class StepSignificance {

    /** Least values of each level. */
    private static final int FEWEST = 5;

    /** Deviations at which values are cut. */
    private static final double LIMIT = 6;

    private final Noise noise = new Noise();
    private final StepLikelihood likelihood = new StepLikelihood();
    private double[] logs = new double[64];
    private double[] sums = new double[65];
    private double[] sorted = new double[64];
    private int[] position = new int[64];
    private final int[] bounds = new int[3];
    private int count;
    private int old;

    /** Clears the values. */
    void begin() {
        count = 0;
        old = 0;
    }

    /**
     * Adds the value of the next interval; a value that is not positive is a gap.
     *
     * @param before whether it belongs to the old level
     */
    void add(long interval, double value, boolean before) {
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            return;
        }
        if (count == logs.length) {
            int length = 2 * count;
            logs = Arrays.copyOf(logs, length);
            position = Arrays.copyOf(position, length);
            sorted = new double[length];
            sums = new double[length + 1];
        }
        logs[count] = Math.log(value);
        position[count++] = (int) interval;
        old = before ? count : old;
    }

    /**
     * Difference of the levels in standard errors of a normal distribution; positive for a rise.
     * NaN if a level has too few values.
     */
    double errors() {
        if (old < FEWEST || count - old < FEWEST) {
            return Double.NaN;
        }
        limit();
        for (int i = 0; i < count; i++) {
            sums[i + 1] = sums[i] + logs[i];
        }
        bounds[1] = old;
        bounds[2] = count;
        noise.fromResiduals(logs, position, count, sums, bounds, 2);
        likelihood.prepare(logs, logs, position, count, noise.correlation());
        likelihood.between(0, count);
        double squares = likelihood.gain(old) / noise.variance();
        double difference = likelihood.difference();
        double rest = 1 - noise.correlation();
        double freedom = Math.max(2, (count - 2) * rest / (1 + noise.correlation()));
        // From Student's distribution to the normal one.
        return Math.copySign(Math.sqrt(freedom * Math.log1p(squares / freedom)), difference);
    }

    /**
     * Whether a curve explains the values of the last {@link #errors} better than two levels, so
     * that they show no step.
     */
    boolean isCurve() {
        double apart = 0;
        for (int i = 0; i < count; i++) {
            double residual = logs[i] - (i < old ? mean(0, old) : mean(old, count));
            apart += residual * residual;
        }
        return Curve.residual(logs, 0, count) < apart;
    }

    private double mean(int from, int to) {
        return (sums[to] - sums[from]) / (to - from);
    }

    private void limit() {
        boolean isOld = 2 * old >= count;
        int from = isOld ? 0 : old;
        int length = isOld ? old : count - old;
        System.arraycopy(logs, from, sorted, 0, length);
        double median = OutlierFilter.select(sorted, length, length / 2);
        for (int i = 0; i < length; i++) {
            sorted[i] = Math.abs(logs[from + i] - median);
        }
        double deviation = OutlierFilter.deviation(sorted, length);
        for (int i = 0; i < count; i++) {
            logs[i] = Math.clamp((logs[i] - median) / deviation, -LIMIT, LIMIT);
        }
    }
}
