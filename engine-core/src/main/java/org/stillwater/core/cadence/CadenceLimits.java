package org.stillwater.core.cadence;

import java.time.Duration;

/**
 * Between which limits the interval of a host may move, in even steps of about one and a half. A
 * few fixed steps, instead of any interval, keep the phases of a fleet's hosts spread.
 *
 * @param shortest interval of a host with changing VMs
 * @param ordinary interval of a host about which nothing is known, and without adaptive cadence
 * @param longest interval of a host with quiet VMs
 */
public record CadenceLimits(Duration shortest, Duration ordinary, Duration longest) {

    private static final double STEP = 1.5;

    /** How far beyond the middle between two steps an interval must be to leave its step. */
    private static final double INERTIA = 0.75;

    private static final double ROUNDING = 0.02;

    /** A viewed host has this much of the ordinary interval, so that its answer comes within it. */
    private static final int VIEWED_TENTHS = 8;

    public CadenceLimits {
        if (!shortest.isPositive()
                || shortest.compareTo(ordinary) > 0
                || ordinary.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "the shortest interval is positive, at most the ordinary one, and this at most"
                            + " the longest");
        }
    }

    /** Longest interval of a host with readers. */
    public Duration viewed() {
        Duration viewed = ordinary.multipliedBy(VIEWED_TENTHS).dividedBy(10);
        return viewed.compareTo(shortest) < 0 ? shortest : viewed;
    }

    double shortestNanos() {
        return (double) shortest.toNanos();
    }

    double ordinaryNanos() {
        return (double) ordinary.toNanos();
    }

    double longestNanos() {
        return (double) longest.toNanos();
    }

    /** How many times the longest interval is as long as the shortest. */
    public double range() {
        return longestNanos() / shortestNanos();
    }

    /** The number of the last step; the first is 0. */
    int last() {
        return (int) Math.round(Math.log(range()) / Math.log(STEP));
    }

    /** The interval of a step. */
    Duration interval(int step) {
        int last = last();
        return step >= last
                ? (last == 0 ? shortest : longest)
                : Duration.ofNanos(
                        Math.round(shortestNanos() * Math.pow(range(), (double) step / last)));
    }

    /** The step nearest to an interval. */
    int nearest(double nanos) {
        return (int) Math.round(position(nanos));
    }

    /** The step for an interval: the present one unless the interval is clearly beyond it. */
    int stepNear(double nanos, int present) {
        return Math.abs(position(nanos) - present) < INERTIA ? present : nearest(nanos);
    }

    /** The step that is at least as long as an interval; the present one if that is near. */
    int stepAbove(double nanos, int present) {
        double position = position(nanos) - ROUNDING;
        return present >= position && present < position + 1 + INERTIA / 2
                ? present
                : (int) Math.ceil(position);
    }

    private double position(double nanos) {
        int last = last();
        if (last == 0) {
            return 0;
        }
        double ratio = Math.log(nanos / shortestNanos()) / Math.log(range());
        return Math.clamp(ratio * last, 0, last);
    }
}
