package org.stillwater.relay.agent;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The single thread of a relay, with its timers. */
public interface Loop extends Executor {

    /** Runs a task on the thread after a delay, unless the loop has ended. */
    void after(Duration delay, Runnable task);

    /** The monotonic clock, in ns. */
    long nanoTime();
}
