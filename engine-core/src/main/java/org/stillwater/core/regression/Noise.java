package org.stillwater.core.regression;

/**
 * Noise of a series around its levels, as a first-order autoregressive process. Its two numbers
 * decide how far apart two levels must be: neighbours that resemble each other carry less
 * information than independent ones. Mutable, not thread-safe.
 */
final class Noise {

    /** Correlation above which a series is a random walk within any window. */
    private static final double MOST_CORRELATION = 0.95;

    /** Scales above which a difference of neighbours belongs to a step, not to noise. */
    private static final double WIDEST_DIFFERENCE = 4.5;

    /** Standard errors added to the correlation: an underestimate causes false alarms. */
    private static final double CAUTION = 0.5;

    private double variance;
    private double correlation;

    /** Variance of one point. */
    double variance() {
        return variance;
    }

    /** Correlation of neighbours, from 0 to 0.95. */
    double correlation() {
        return correlation;
    }

    /** Variance of the mean of many points, times their number. */
    double longRun() {
        return variance * (1 + correlation) / (1 - correlation);
    }

    /**
     * Estimates from differences of points that are one and two apart, which a few steps hardly
     * disturb; no levels need to be known.
     */
    void fromDifferences(double[] values, int[] position, int count, double scale) {
        double most = WIDEST_DIFFERENCE * WIDEST_DIFFERENCE * scale * scale;
        double one = 0;
        double two = 0;
        int ones = 0;
        int twos = 0;
        for (int i = 1; i < count; i++) {
            if (position[i] - position[i - 1] == 1) {
                double difference = values[i] - values[i - 1];
                one += Math.min(most, difference * difference);
                ones++;
            }
            if (i > 1 && position[i] - position[i - 2] == 2) {
                double difference = values[i] - values[i - 2];
                two += Math.min(most, difference * difference);
                twos++;
            }
        }
        double least = OutlierFilter.LEAST_SCALE * OutlierFilter.LEAST_SCALE;
        one = Math.max(least, ones == 0 ? 2 * scale * scale : one / ones);
        two = Math.max(least, twos == 0 ? one : two / twos);
        correlation = bounded(two / one - 1);
        variance = one / (2 * (1 - correlation));
    }

    /** Estimates from the residuals after subtraction of each segment's mean. */
    void fromResiduals(
            double[] values, int[] position, int count, double[] sums, int[] bounds, int segments) {
        double squares = 0;
        double products = 0;
        int pairs = 0;
        for (int s = 0; s < segments; s++) {
            int from = bounds[s];
            int to = bounds[s + 1];
            double mean = (sums[to] - sums[from]) / (to - from);
            double before = 0;
            for (int i = from; i < to; i++) {
                double residual = values[i] - mean;
                squares += residual * residual;
                if (i > from && position[i] - position[i - 1] == 1) {
                    products += residual * before;
                    pairs++;
                }
                before = residual;
            }
        }
        double least = OutlierFilter.LEAST_SCALE * OutlierFilter.LEAST_SCALE * count;
        squares = Math.max(least, squares);
        double raw = pairs == 0 ? 0 : products / pairs / (squares / count);
        // The estimated means hide part of the correlation.
        double error = Math.sqrt((1 - Math.min(1, raw * raw)) / count);
        correlation =
                bounded(raw + segments * (1 + 3 * Math.max(0, raw)) / count + CAUTION * error);
        double freedom = count - segments * (1 + correlation) / (1 - correlation);
        variance = squares / Math.max(count / 2.0, freedom);
    }

    private static double bounded(double correlation) {
        return Math.clamp(correlation, 0, MOST_CORRELATION);
    }
}
