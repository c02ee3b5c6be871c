package org.stillwater.vdsm.client;

import java.time.Duration;

/**
 * Runs short tasks later. All connections share one, so that a thousand idle hosts cost a thousand
 * entries in a queue and not one thread more. Thread-safe.
 */
public interface Timers {

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Timer {
        /** Makes sure that the task no longer starts, if it has not yet. */
        void cancel();
    }

    /** Runs the task once after the delay. Tasks must not block. */
    Timer after(Duration delay, Runnable task);
}
