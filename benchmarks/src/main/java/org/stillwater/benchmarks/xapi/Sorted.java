package org.stillwater.benchmarks.xapi;

import java.util.Arrays;
import java.util.Collection;

/** Numbers in their order; percentiles by nearest rank. */
final class Sorted {

    private final double[] values;

    private Sorted(double[] values) {
        this.values = values;
    }

    static Sorted of(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return new Sorted(sorted);
    }

    int count() {
        return values.length;
    }

    /** The value below which, or at which, this share of the values lies; NaN without values. */
    double at(double share) {
        if (values.length == 0) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(share * values.length);
        return values[Math.clamp(rank - 1, 0, values.length - 1)];
    }

    double median() {
        return at(0.5);
    }

    double max() {
        return at(1);
    }

    double least() {
        return at(0);
    }
}
