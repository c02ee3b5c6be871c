package org.stillwater.fake.net;

import java.time.Duration;

/**
 * Real time as the transport sees it: one clock and one timer for every heart-beat, limit and
 * delay. Thread-safe.
 */
interface Ticker extends AutoCloseable {

    /** Nanoseconds since some moment; compare by subtraction. */
    long nanoTime();

    /** Runs a short task once; a task that may block starts a virtual thread of its own. */
    Scheduled schedule(Duration delay, Runnable task);

    /** Ends the timer; scheduled tasks never run. */
    @Override
    void close();

    /** A task on the timer. */
    @FunctionalInterface
    interface Scheduled {
        /** Takes the task off, if it has not begun. */
        void cancel();
    }
}
