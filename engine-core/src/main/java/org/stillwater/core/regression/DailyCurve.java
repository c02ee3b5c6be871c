package org.stillwater.core.regression;

/**
 * The part of a series that the same time of earlier days explains: the slope of a straight line
 * from expected to measured logarithms. Noise has slope 0, so the correction does not change it.
 * Mutable scratch memory, not thread-safe.
 */
final class DailyCurve {

    /** Least values for a curve: a sixth of a day. */
    private static final int FEWEST = 48;

    /** Least share of the variance that a curve must explain; chance explains less. */
    private static final double LEAST_EXPLAINED = 0.25;

    private static final double STEEPEST = 1.5;

    private double expected;
    private double measured;
    private double expectedSquares;
    private double measuredSquares;
    private double products;
    private int count;

    /** Clears the values. */
    void begin() {
        expected = 0;
        measured = 0;
        expectedSquares = 0;
        measuredSquares = 0;
        products = 0;
        count = 0;
    }

    /** Adds logarithms of one interval; pairs with NaN are ignored. */
    void add(double wasExpected, double wasMeasured) {
        if (Double.isNaN(wasExpected) || Double.isNaN(wasMeasured)) {
            return;
        }
        expected += wasExpected;
        measured += wasMeasured;
        expectedSquares += wasExpected * wasExpected;
        measuredSquares += wasMeasured * wasMeasured;
        products += wasExpected * wasMeasured;
        count++;
    }

    /** Measured change per expected change; 0 if earlier days explain too little. */
    double slope() {
        if (count < FEWEST) {
            return 0;
        }
        double ofExpected = expectedSquares - expected * expected / count;
        double ofMeasured = measuredSquares - measured * measured / count;
        double common = products - expected * measured / count;
        boolean isExplained =
                common > 0 && common * common > LEAST_EXPLAINED * ofExpected * ofMeasured;
        return isExplained ? Math.min(STEEPEST, common / ofExpected) : 0;
    }
}
