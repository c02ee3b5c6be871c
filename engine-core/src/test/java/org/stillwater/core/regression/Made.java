package org.stillwater.core.regression;

import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/** Series for tests: a shape with log-normal, autoregressive noise. */
final class Made {

    private Made() {}

    static double[] series(
            int length, double noise, double correlation, long seed, IntToDoubleFunction shape) {
        SplittableRandom random = new SplittableRandom(seed);
        double fresh = noise * Math.sqrt(1 - correlation * correlation);
        double error = noise * random.nextGaussian();
        double[] values = new double[length];
        for (int i = 0; i < length; i++) {
            values[i] = shape.applyAsDouble(i) * Math.exp(error);
            error = correlation * error + fresh * random.nextGaussian();
        }
        return values;
    }

    static IntToDoubleFunction step(int begin, double before, double after) {
        return i -> i < begin ? before : after;
    }

    static IntToDoubleFunction between(int begin, int end, double usual, double within) {
        return i -> i >= begin && i < end ? within : usual;
    }
}
