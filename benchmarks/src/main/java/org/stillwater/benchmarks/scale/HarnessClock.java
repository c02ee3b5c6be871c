package org.stillwater.benchmarks.scale;

import java.time.Duration;
import java.time.Instant;

/**
 * The harness's only clock. On Linux its nanoseconds are {@code CLOCK_MONOTONIC}, which all
 * processes of a machine share: stamps of simulator, engine and harness may be compared.
 */
public final class HarnessClock {

    /** Monotonic nanoseconds. */
    public long nanoTime() {
        return System.nanoTime();
    }

    /** Wall-clock time. */
    public Instant now() {
        return Instant.now();
    }

    /** Offset that converts a wall-clock time in milliseconds to this clock's. */
    public double monotonicMinusWallMillis() {
        Instant wall = now();
        double wallMillis = wall.getEpochSecond() * 1e3 + wall.getNano() / 1e6;
        return nanoTime() / 1e6 - wallMillis;
    }

    /** Waits until the clock shows this; returns at once if it has. */
    public void waitUntil(long nanos) throws InterruptedException {
        long left = nanos - nanoTime();
        if (left > 0) {
            Thread.sleep(Duration.ofNanos(left));
        }
    }
}
