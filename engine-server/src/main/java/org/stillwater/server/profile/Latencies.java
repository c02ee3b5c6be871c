package org.stillwater.server.profile;

import java.util.Arrays;

/**
 * How long calls took: number, sum, longest, and a percentile within 7 %. Only the classes of
 * length that occur take memory, at most {@value #MOST} of them. Not thread-safe.
 */
final class Latencies {

    /** Classes of length: 16 for each doubling of 1 µs, up to 2^32 µs. */
    private static final int PER_DOUBLING = 16;

    private static final int MOST = 32 * PER_DOUBLING;
    private static final long NANOS_PER_MICRO = 1_000;

    private short[] classes = new short[2];
    private int[] counts = new int[2];
    private int size;
    private long calls;
    private long nanos;
    private long longest;

    void add(long duration) {
        calls++;
        nanos += duration;
        longest = Math.max(longest, duration);
        count(classOf(duration), 1);
    }

    void add(Latencies other) {
        calls += other.calls;
        nanos += other.nanos;
        longest = Math.max(longest, other.longest);
        for (int i = 0; i < other.size; i++) {
            count(other.classes[i], other.counts[i]);
        }
    }

    private void count(short wanted, int more) {
        int at = 0;
        while (at < size && classes[at] < wanted) {
            at++;
        }
        if (at == size || classes[at] != wanted) {
            if (size == classes.length) {
                classes = Arrays.copyOf(classes, size * 2);
                counts = Arrays.copyOf(counts, size * 2);
            }
            System.arraycopy(classes, at, classes, at + 1, size - at);
            System.arraycopy(counts, at, counts, at + 1, size - at);
            classes[at] = wanted;
            counts[at] = 0;
            size++;
        }
        counts[at] += more;
    }

    private static short classOf(long nanos) {
        double doublings = Math.log((double) Math.max(nanos, 1) / NANOS_PER_MICRO) / Math.log(2);
        return (short) Math.clamp((long) Math.ceil(doublings * PER_DOUBLING), 0, MOST - 1);
    }

    long calls() {
        return calls;
    }

    long nanos() {
        return nanos;
    }

    long longest() {
        return longest;
    }

    long meanMicros() {
        return calls == 0 ? 0 : nanos / calls / NANOS_PER_MICRO;
    }

    /** The duration that this share of calls did not exceed, in µs; at most the longest. */
    long micros(double share) {
        long wanted = (long) Math.ceil(calls * share);
        long seen = 0;
        for (int i = 0; i < size; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.min(
                        Math.round(Math.pow(2, (double) classes[i] / PER_DOUBLING)),
                        longest / NANOS_PER_MICRO);
            }
        }
        return longest / NANOS_PER_MICRO;
    }
}
