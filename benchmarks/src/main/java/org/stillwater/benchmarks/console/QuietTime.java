package org.stillwater.benchmarks.console;

import java.time.Duration;

/**
 * Notices that a program has rested for some time, by readings of its processor time. One thread.
 */
final class QuietTime {

    /** Largest share of one core that counts as rest. */
    private static final double REST = 0.05;

    private final long needed;
    private boolean begun;
    private long lastNanos;
    private long lastCpu;
    private long quiet;

    /**
     * Nothing is read yet.
     *
     * @param needed how long the program has to rest
     */
    QuietTime(Duration needed) {
        this.needed = needed.toNanos();
    }

    /**
     * Takes a reading.
     *
     * @param nanos monotonic time of the reading
     * @param cpuNanos processor time of the program so far
     * @return whether it has rested for the needed time without a break
     */
    boolean add(long nanos, long cpuNanos) {
        if (begun && nanos > lastNanos) {
            boolean rested = cpuNanos - lastCpu <= REST * (nanos - lastNanos);
            quiet = rested ? quiet + nanos - lastNanos : 0;
        }
        begun = true;
        lastNanos = nanos;
        lastCpu = cpuNanos;
        return quiet >= needed;
    }
}
