package org.stillwater.fake.world;

/**
 * Counters that grow truthfully and cost nothing between reads: a total is a closed function of
 * active time. It is the integral of a rate that changes every 15 s by chance around its mean.
 *
 * <p>Within segment {@code k} the total goes linearly from {@code k·S + A·h(k)} to {@code (k+1)·S +
 * A·h(k+1)}, where {@code S} is the mean of a segment, {@code h} a seeded byte and {@code A =
 * S/512}. As {@code A·255 < S}, totals never decrease, for any times of reading.
 */
final class Meter {

    /** The sampling period of a host, and the length of a segment (§5.1). */
    static final long PERIOD_MILLIS = 15_000;

    /** Above this a total would overflow on the way. */
    static final long LARGEST_MEAN = 500_000_000_000L;

    private Meter() {}

    /** The chance of one segment; eight meters may share it, each with its own byte. */
    static long chance(long seed, long segment) {
        return Seeds.mix(seed + segment * 0x9E3779B97F4A7C15L);
    }

    /**
     * A total. One division for both terms: two would round apart and could step back by one.
     *
     * @param mean growth per segment, at most {@link #LARGEST_MEAN}
     * @param segment number of the segment
     * @param into milliseconds into the segment
     * @param from {@link #chance} of the segment
     * @param to {@link #chance} of the next
     * @param lane which byte of the chance, 0 to 7
     */
    static long total(long mean, long segment, long into, long from, long to, int lane) {
        long a = from >>> (lane << 3) & 255;
        long b = to >>> (lane << 3) & 255;
        return mean * segment
                + mean
                        * (512 * into + a * (PERIOD_MILLIS - into) + b * into)
                        / (512 * PERIOD_MILLIS);
    }
}
