package org.stillwater.benchmarks.scale;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether a figure grows without an end: its median in the last third of a soak against that in the
 * third before. The first third is left out: caches, pools and partitions fill then.
 *
 * @param name the figure
 * @param values one for each look, in order
 * @param percent growth that still counts as none, because readings scatter
 * @param slack allowed beside it, in the figure's unit, for small figures
 */
record SoakTrend(String name, List<Double> values, double percent, double slack) {

    private static final int LEAST = 6;

    SoakTrend {
        values = List.copyOf(values);
        if (values.size() < LEAST) {
            throw new IllegalArgumentException(
                    name + " was read " + values.size() + " times, too seldom for a trend");
        }
    }

    double before() {
        return median(values.subList(values.size() / 3, 2 * values.size() / 3));
    }

    double after() {
        return median(values.subList(2 * values.size() / 3, values.size()));
    }

    boolean grows() {
        return after() > before() * (1 + percent / 100) + slack;
    }

    private static double median(List<Double> some) {
        List<Double> sorted = new ArrayList<>(some);
        sorted.sort(null);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
