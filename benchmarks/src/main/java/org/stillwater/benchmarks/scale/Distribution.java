package org.stillwater.benchmarks.scale;

import java.util.Arrays;

/**
 * A summary of many latencies.
 *
 * @param count how many were measured
 * @param p50 median, milliseconds; NaN without measurements
 * @param p99 99th percentile, milliseconds
 * @param max largest, milliseconds
 */
public record Distribution(int count, double p50, double p99, double max) {

    /** No measurement. */
    public static final Distribution NONE = new Distribution(0, Double.NaN, Double.NaN, Double.NaN);

    /** Percentiles by nearest rank: each is a value that was measured, none is interpolated. */
    public static Distribution ofMillis(double[] measured) {
        if (measured.length == 0) {
            return NONE;
        }
        double[] sorted = measured.clone();
        Arrays.sort(sorted);
        return new Distribution(
                sorted.length, rank(sorted, 50), rank(sorted, 99), sorted[sorted.length - 1]);
    }

    private static double rank(double[] sorted, int percent) {
        int rank = (int) Math.ceil(sorted.length * (percent / 100.0));
        return sorted[Math.max(1, rank) - 1];
    }
}
