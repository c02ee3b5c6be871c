package org.stillwater.core.regression;

import java.util.Arrays;

/**
 * The values of a series at the same time of the days before: the mean logarithm of each of {@value
 * #SLOTS} parts of a day, for three days. Adding a value allocates nothing, except once, when the
 * first part of a day with a value is over. Not thread-safe.
 */
final class DayProfile {

    /** Slots of a day. */
    private static final int SLOTS = 48;

    static final int DAYS = 3;
    private static final float[] NOTHING = {};

    private final int slots;
    private final int length;
    private float[] means = NOTHING;
    private long slot = Long.MIN_VALUE;
    private double sum;
    private int known;

    /**
     * Without values.
     *
     * @param day intervals of a day
     */
    DayProfile(int day) {
        length = Math.ceilDiv(day, SLOTS);
        slots = day / length;
        if (day < 2 || slots * length != day) {
            throw new IllegalArgumentException("a day of " + day + " intervals");
        }
    }

    /** Whether this number of intervals can be split into slots. */
    static boolean isPossible(long day) {
        return day >= 2 && day < Integer.MAX_VALUE && day % Math.ceilDiv(day, SLOTS) == 0;
    }

    /**
     * Adds the value of the next interval.
     *
     * @param interval on the axis of the fleet, larger than that of the last value
     * @param value a value that is not positive and finite is a gap
     */
    void add(long interval, double value) {
        long next = Math.floorDiv(interval, length);
        if (next != slot) {
            end(next);
        }
        if (value > 0 && value < Double.POSITIVE_INFINITY) {
            sum += Math.log(value);
            known++;
        }
    }

    private void end(long next) {
        if (means.length == 0 && known > 0) {
            means = new float[DAYS * slots];
            Arrays.fill(means, Float.NaN);
        }
        if (means.length > 0) {
            means[place(slot)] = known == 0 ? Float.NaN : (float) (sum / known);
            for (long gap = Math.max(slot + 1, next - means.length); gap < next; gap++) {
                means[place(gap)] = Float.NaN;
            }
        }
        slot = next;
        sum = 0;
        known = 0;
    }

    private int place(long of) {
        return (int) Math.floorMod(of, (long) means.length);
    }

    /** Expected logarithm of an interval by earlier days; NaN without enough data. */
    double expected(long interval) {
        double total = 0;
        int days = 0;
        for (int day = 1; day < DAYS; day++) {
            double mean = mean(interval - (long) day * slots * length);
            if (!Double.isNaN(mean)) {
                total += mean;
                days++;
            }
        }
        return days == 0 ? Double.NaN : total / days;
    }

    /** Interpolates between the middles of two slots. */
    private double mean(long interval) {
        double at = (interval + 0.5) / length - 0.5;
        long before = (long) Math.floor(at);
        double left = of(before);
        double right = of(before + 1);
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Double.isNaN(left) ? right : left;
        }
        return left + (right - left) * (at - before);
    }

    private double of(long wanted) {
        return wanted < slot && wanted >= slot - means.length ? means[place(wanted)] : Double.NaN;
    }
}
