package org.stillwater.vdsm.client;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers on one daemon thread of their own. */
public final class SystemTimers implements Timers, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SystemTimers.class);

    private final ScheduledThreadPoolExecutor executor;

    /** Starts the thread with the first task. */
    public SystemTimers() {
        executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("wire-timers").daemon().factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        Future<?> scheduled =
                executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    /** Drops all tasks. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable bug) { // the task's top frame: an executor would keep it to itself
            log.error("a timer's task failed", bug);
        }
    }
}
