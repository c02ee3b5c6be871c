package org.stillwater.fake.world;

import java.util.Arrays;

/**
 * The running time of a domain, as a function of time: it stands still during a pause. Counters are
 * functions of it, so they freeze and continue, and need no timer.
 */
final class ActiveTime {

    /**
     * More pauses than this are folded into the oldest: counters of that past are not requested.
     */
    private static final int REMEMBERED = 16;

    private static final long[] NONE = {};

    private long start;

    /** Pairs of pause and resume, ascending; an odd length is a VM that is paused now. */
    private long[] switches = NONE;

    ActiveTime(long start) {
        this.start = start;
    }

    void pause(long at) {
        if (isRunning()) {
            add(at);
        }
    }

    void resume(long at) {
        if (!isRunning()) {
            add(at);
        }
    }

    /** Another number after each pause and resume. */
    long changes() {
        return switches.length == 0 ? start : start ^ (switches[switches.length - 1] << 20);
    }

    boolean isRunning() {
        return switches.length % 2 == 0;
    }

    /** Active milliseconds at a time; 0 before the start. */
    long at(long time) {
        long end = time;
        long paused = 0;
        for (int i = 0; i < switches.length && switches[i] < end; i += 2) {
            long resumed = i + 1 < switches.length ? Math.min(switches[i + 1], end) : end;
            paused += resumed - switches[i];
        }
        return Math.max(0, end - start - paused);
    }

    private void add(long at) {
        if (switches.length >= 2 * REMEMBERED) {
            start += switches[1] - switches[0];
            switches = Arrays.copyOfRange(switches, 2, switches.length);
        }
        switches = Arrays.copyOf(switches, switches.length + 1);
        switches[switches.length - 1] = at;
    }
}
