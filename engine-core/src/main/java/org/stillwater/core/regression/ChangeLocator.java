package org.stillwater.core.regression;

/**
 * Finds the begin of a level and the size of the step: the probability of each begin between the
 * neighbouring boundaries. Where noise hides the jump, the likeliest point may be one of several
 * that are far apart; the begin is where most of the probability is. The size is the mean over all
 * begins, weighted by their probability: the likeliest begin alone makes steps too large. Mutable,
 * not thread-safe.
 */
final class ChangeLocator {

    private static final double INTERVAL = 0.95;

    /** Tolerated distance from the true begin, in points: begins of one cause differ. */
    private static final int NEAR = 5;

    /** Share of the largest probability that counts as equal to it. */
    private static final double ALMOST = 0.99;

    /** Share of the probability of the likeliest begin below which a begin counts for nothing. */
    private static final double UNLIKELY = 1e-6;

    private final Noise noise;
    private final StepLikelihood likelihood;
    private double[] probability = new double[0];
    private double total;
    private int best;
    private int earliest;
    private int latest;
    private double difference;
    private double error;

    ChangeLocator(Noise noise, StepLikelihood likelihood) {
        this.noise = noise;
        this.likelihood = likelihood;
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

    /** New level minus old level. */
    double difference() {
        return difference;
    }

    /** Standard error of the difference. */
    double error() {
        return error;
    }

    /** Weighs each begin of the new level from {@code from + margin} to {@code to - margin}. */
    void locate(int from, int to, int margin) {
        int first = from + margin;
        int last = to - margin;
        if (probability.length < to - from) {
            probability = new double[to - from];
        }
        likelihood.between(from, to);
        double twice = 2 * noise.variance();
        best = first;
        for (int k = first; k <= last; k++) {
            double logarithm = likelihood.gain(k) / twice;
            double determinant = likelihood.determinant();
            // The levels are not known: the average likelihood over all levels.
            probability[k - first] =
                    determinant > 0
                            ? logarithm - Math.log(determinant) / 2
                            : Double.NEGATIVE_INFINITY;
            if (probability[k - first] > probability[best - first]) {
                best = k;
            }
        }
        toProbabilities(first, last);
        choose(first, last);
        spread(first, last);
        measure(first, last);
    }

    private void toProbabilities(int first, int last) {
        double most = probability[best - first];
        total = 0;
        for (int k = first; k <= last; k++) {
            probability[k - first] = Math.exp(probability[k - first] - most);
            total += probability[k - first];
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
            if (probability[k - first] > likeliest && around(k, first, last) >= ALMOST * most) {
                likeliest = probability[k - first];
                best = k;
            }
        }
    }

    /** Probability that the begin is near a point, as a share of a total. */
    private double around(int point, int first, int last) {
        double sum = 0;
        for (int k = Math.max(first, point - NEAR); k <= Math.min(last, point + NEAR); k++) {
            sum += probability[k - first];
        }
        return sum;
    }

    private void measure(int first, int last) {
        double weights = 0;
        double mean = 0;
        double squares = 0;
        for (int k = first; k <= last; k++) {
            double weight = probability[k - first];
            if (weight > UNLIKELY && likelihood.gain(k) > 0) {
                double size = likelihood.difference();
                weights += weight;
                // Welford's update: no difference of large sums.
                double step = size - mean;
                mean += step * weight / weights;
                squares +=
                        weight * (step * (size - mean) + likelihood.variance() * noise.variance());
            }
        }
        difference = mean;
        error = weights > 0 ? Math.sqrt(squares / weights) : 0;
    }

    private void spread(int first, int last) {
        earliest = best;
        latest = best;
        double mass = probability[best - first];
        while (mass < INTERVAL * total) {
            double left = earliest > first ? probability[earliest - 1 - first] : -1;
            double right = latest < last ? probability[latest + 1 - first] : -1;
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
