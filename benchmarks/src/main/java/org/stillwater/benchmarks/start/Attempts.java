package org.stillwater.benchmarks.start;

import java.time.Duration;
import java.util.Arrays;

/** Attempts to connect, as the dialled hosts see them. Immutable. */
final class Attempts {

    private final long[] nanos;
    private final int mostOpen;

    /**
     * @param nanos when each arrived
     * @param mostOpen most that were open at the same time
     */
    Attempts(long[] nanos, int mostOpen) {
        this.nanos = nanos.clone();
        Arrays.sort(this.nanos);
        this.mostOpen = mostOpen;
    }

    int mostOpen() {
        return mostOpen;
    }

    int count() {
        return nanos.length;
    }

    /** Most attempts within any time of this length. */
    int mostWithin(Duration window) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < nanos.length; last++) {
            while (nanos[last] - nanos[first] >= window.toNanos()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    /** From the first to the last. */
    Duration spread() {
        return nanos.length == 0
                ? Duration.ZERO
                : Duration.ofNanos(nanos[nanos.length - 1] - nanos[0]);
    }
}
