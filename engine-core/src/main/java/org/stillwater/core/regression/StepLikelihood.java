package org.stillwater.core.regression;

/**
 * The step between two levels in first-order autoregressive noise, by generalized least squares:
 * its size, its variance, and the gain in likelihood for each possible begin. Correlated noise
 * moves slowly, so a jump stands out at its first point; a difference of means does not detect
 * that.
 *
 * <p>Outliers carry no information: neighbours of an outlier or a gap are as far apart as they were
 * measured. Variances and gains are in multiples of the variance of one point. Mutable scratch
 * memory, not thread-safe.
 */
final class StepLikelihood {

    /** Correlation below which points are independent. */
    private static final double INDEPENDENT = 1e-6;

    private double[] values = new double[0];

    /** Correlation with the previous usable point. */
    private double[] correlation = new double[0];

    /** Index of the previous usable point, or -1. */
    private int[] previous = new int[0];

    /** Index of the first usable point from here on, or the number of points. */
    private int[] next = new int[1];

    /** Sums over all earlier points: the information about a level. */
    private double[] information = new double[1];

    /** Sums over all earlier points: the information times the level. */
    private double[] products = new double[1];

    private int from;
    private int to;
    private double difference;
    private double variance;
    private double determinant;

    /**
     * Sets the series.
     *
     * @param raw logarithms
     * @param cleaned the same without outliers; a differing point is left out
     * @param ofNeighbours correlation of neighbours
     */
    void prepare(double[] raw, double[] cleaned, int[] position, int count, double ofNeighbours) {
        if (values.length < count) {
            values = new double[count];
            correlation = new double[count];
            previous = new int[count];
            next = new int[count + 1];
            information = new double[count + 1];
            products = new double[count + 1];
        }
        int last = -1;
        for (int i = 0; i < count; i++) {
            previous[i] = last;
            // Small numbers keep small steps exact.
            values[i] = cleaned[i] - cleaned[0];
            double weight = 0;
            double weighted = 0;
            if (cleaned[i] == raw[i]) {
                double same = last < 0 ? 0 : power(ofNeighbours, position[i] - position[last]);
                correlation[i] = same;
                // An innovation has the weight 1 / (1 - same²) and the share 1 - same of the level.
                weight = (1 - same) / (1 + same);
                weighted = (values[i] - (last < 0 ? 0 : same * values[last])) / (1 + same);
                last = i;
            }
            information[i + 1] = information[i] + weight;
            products[i + 1] = products[i] + weighted;
        }
        next[count] = count;
        for (int i = count - 1; i >= 0; i--) {
            next[i] = cleaned[i] == raw[i] ? i : next[i + 1];
        }
    }

    private static double power(double base, int exponent) {
        double power = base;
        for (int i = 1; i < exponent && power > INDEPENDENT; i++) {
            power *= base;
        }
        return power > INDEPENDENT ? power : 0;
    }

    /** Sets the points of the two levels. */
    void between(int begin, int end) {
        from = next[begin];
        to = end;
    }

    /**
     * Twice the logarithm of the likelihood with a step, relative to that without one; 0 if a level
     * has no usable point.
     *
     * @param at first point of the new level
     */
    double gain(int at) {
        int begin = next[at];
        if (begin >= to || from >= begin) {
            difference = 0;
            variance = Double.POSITIVE_INFINITY;
            determinant = 0;
            return 0;
        }
        double same = correlation[begin];
        double weight = 1 / (1 - same * same);
        double jump = weight * (values[begin] - same * values[previous[begin]]);
        // The equations of the two levels: the first point, the inner points, and the jump.
        double before = 1 + information[begin] - information[from + 1] + weight * same * same;
        double after = weight + information[to] - information[begin + 1];
        double both = -weight * same;
        double ofOld = values[from] + products[begin] - products[from + 1] - same * jump;
        double ofNew = jump + products[to] - products[begin + 1];
        determinant = before * after - both * both;
        difference = ((before + both) * ofNew - (after + both) * ofOld) / determinant;
        variance = (before + after + 2 * both) / determinant;
        return difference * difference / variance;
    }

    /** New level minus old level of the last {@link #gain}. */
    double difference() {
        return difference;
    }

    /** Variance of the last {@link #difference}. */
    double variance() {
        return variance;
    }

    /**
     * Information of the last {@link #gain} about both levels: the product of two if independent.
     */
    double determinant() {
        return determinant;
    }
}
