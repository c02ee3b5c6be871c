package org.stillwater.monitoring.host;

import java.time.Duration;

/** A burst at once, and from then on a rate. Not thread-safe. */
final class TokenBucket {

    private final int capacity;
    private final double perNano;
    private double tokens;
    private long filledNanos;

    /**
     * A full bucket.
     *
     * @param capacity how many at once
     * @param refill how many come back in the time
     */
    TokenBucket(int capacity, int refill, Duration time, long nowNanos) {
        this.capacity = capacity;
        this.perNano = (double) refill / time.toNanos();
        this.tokens = capacity;
        this.filledNanos = nowNanos;
    }

    /** Takes one, if there is one. */
    boolean take(long nowNanos) {
        refill(nowNanos);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** Takes further tokens for a message that has turned out larger; missing tokens are owed. */
    void charge(int more) {
        tokens -= Math.min(more, capacity);
    }

    /** Whether everything has come back. */
    boolean isFull(long nowNanos) {
        refill(nowNanos);
        return tokens >= capacity;
    }

    private void refill(long nowNanos) {
        long passed = nowNanos - filledNanos;
        if (passed > 0) {
            tokens = Math.min(capacity, tokens + passed * perNano);
            filledNanos = nowNanos;
        }
    }
}
