package org.stillwater.core.regression;

/** The tail of the standard normal distribution. */
final class NormalTail {

    /** Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17; error below 7.5e-8. */
    private static final double[] TERMS = {
        0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429
    };

    private static final double STEP = 0.2316419;

    private NormalTail() {}

    /** Probability of a value above this one, which is not negative. */
    static double above(double value) {
        double t = 1 / (1 + STEP * value);
        double sum = 0;
        for (int i = TERMS.length - 1; i >= 0; i--) {
            sum = t * (TERMS[i] + sum);
        }
        return sum * Math.exp(-value * value / 2) / Math.sqrt(2 * Math.PI);
    }
}
