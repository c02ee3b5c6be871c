package org.stillwater.core.regression;

/**
 * Finds the exact begin of a level: the likelihood of each point between the neighbouring
 * boundaries, with correlated noise. The jump stands out of correlated noise at its first point; a
 * comparison of means does not detect that. Where noise hides the jump, the likeliest point may be
 * one of several that are far apart; the begin is where most of the probability is. Mutable, not
 * thread-safe.
 */
final class ChangeLocator {

    private static final double INTERVAL = 0.95;

    /** Tolerated distance from the true begin, in points: begins of one cause differ. */
    private static final int NEAR = 5;

    /** Share of the largest probability that counts as equal to it. */
    private static final double ALMOST = 0.97;

    private final Noise noise;
    private double[] values = new double[0];
    private double[] likelihood = new double[0];
    private double total;
    private int best;
    private int earliest;
    private int latest;

    ChangeLocator(Noise noise) {
        this.noise = noise;
    }

    int best() {
        return best;
    }

    int earliest() {
        return earliest;
    }

    int latest() {
        return latest;
    }

    /**
     * Weighs each begin of the new level from {@code from + margin} to {@code to - margin}.
     *
     * @param raw the series
     * @param cleaned the same without outliers; a differing point carries no information about the
     *     begin
     * @param before level before
     * @param after level after the begin
     */
    void locate(
            double[] raw,
            double[] cleaned,
            int[] position,
            int from,
            int to,
            int margin,
            double before,
            double after) {
        values = cleaned;
        int first = from + margin;
        int last = to - margin;
        if (likelihood.length < to - from) {
            likelihood = new double[to - from];
        }
        double twice = 2 * noise.innovation();
        best = first;
        likelihood[0] = 0;
        for (int k = first; k < last; k++) {
            // The begin moves from k to k + 1: point k belongs to the old level instead.
            double gain = 0;
            if (values[k] == raw[k]) {
                double previous = correlation(raw, position, k) * (values[k - 1] - before);
                double next = correlation(raw, position, k + 1);
                double following = values[k + 1] - after;
                boolean follows = values[k + 1] == raw[k + 1];
                gain =
                        squared(values[k] - after - previous)
                                - squared(values[k] - before - previous);
                if (follows) {
                    gain +=
                            squared(following - next * (values[k] - after))
                                    - squared(following - next * (values[k] - before));
                }
                gain /= twice;
            }
            likelihood[k + 1 - first] = likelihood[k - first] + gain;
            if (likelihood[k + 1 - first] > likelihood[best - first]) {
                best = k + 1;
            }
        }
        toProbabilities(first, last);
        choose(first, last);
        spread(first, last);
    }

    private double correlation(double[] raw, int[] position, int i) {
        boolean neighbours = position[i] - position[i - 1] == 1;
        return neighbours && values[i - 1] == raw[i - 1] ? noise.correlation() : 0;
    }

    private static double squared(double value) {
        return value * value;
    }

    private void toProbabilities(int first, int last) {
        double most = likelihood[best - first];
        total = 0;
        for (int k = first; k <= last; k++) {
            likelihood[k - first] = Math.exp(likelihood[k - first] - most);
            total += likelihood[k - first];
        }
    }

    /** The likeliest begin of those that have almost the largest probability around them. */
    private void choose(int first, int last) {
        double most = 0;
        for (int k = first; k <= last; k++) {
            most = Math.max(most, around(k, first, last));
        }
        double likeliest = 0;
        for (int k = first; k <= last; k++) {
            if (likelihood[k - first] > likeliest && around(k, first, last) >= ALMOST * most) {
                likeliest = likelihood[k - first];
                best = k;
            }
        }
    }

    /** Probability that the begin is near a point, as a share of a total. */
    private double around(int point, int first, int last) {
        double sum = 0;
        for (int k = Math.max(first, point - NEAR); k <= Math.min(last, point + NEAR); k++) {
            sum += likelihood[k - first];
        }
        return sum;
    }

    private void spread(int first, int last) {
        earliest = best;
        latest = best;
        double mass = likelihood[best - first];
        while (mass < INTERVAL * total) {
            double left = earliest > first ? likelihood[earliest - 1 - first] : -1;
            double right = latest < last ? likelihood[latest + 1 - first] : -1;
            if (left < 0 && right < 0) {
                return;
            }
            if (left >= right) {
                earliest--;
                mass += left;
            } else {
                latest++;
                mass += right;
            }
        }
    }
}
