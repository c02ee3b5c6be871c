package org.stillwater.core.regression;

/** Polynomials through a series, as the alternative to levels. */
final class Curve {

    /** Enough for half a day's wave, from its trough to its crest. */
    private static final int DEGREE = 3;

    private Curve() {}

    /**
     * Sum of squares of {@code values[from..to)} that a polynomial of third degree does not
     * explain. The polynomials of Gram are orthogonal on equidistant points.
     */
    static double residual(double[] values, int from, int to) {
        int n = to - from;
        double middle = (n - 1) / 2.0;
        double total = 0;
        double product0 = 0;
        double product1 = 0;
        double product2 = 0;
        double product3 = 0;
        double norm1 = 0;
        double norm2 = 0;
        double norm3 = 0;
        double back1 = weight(1, n);
        double back2 = weight(DEGREE - 1, n);
        for (int i = from; i < to; i++) {
            double value = values[i];
            double p1 = i - from - middle;
            double p2 = p1 * p1 - back1;
            double p3 = p1 * p2 - back2 * p1;
            total += value * value;
            product0 += value;
            product1 += value * p1;
            product2 += value * p2;
            product3 += value * p3;
            norm1 += p1 * p1;
            norm2 += p2 * p2;
            norm3 += p3 * p3;
        }
        return total
                - product0 * product0 / n
                - product1 * product1 / norm1
                - product2 * product2 / norm2
                - product3 * product3 / norm3;
    }

    /** Coefficient of the polynomial two degrees lower in the recurrence for the next one. */
    private static double weight(double degree, double n) {
        double squared = degree * degree;
        return squared * (n * n - squared) / (4 * (4 * squared - 1));
    }
}
