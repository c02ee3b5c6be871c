package org.stillwater.relay.agent;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;

/** A loop with its own thread. A failing task does not stop the loop. */
public final class ThreadLoop implements Loop, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ThreadLoop.class);
    private static final long CLOSE_SECONDS = 5;

    private final EngineClock clock;
    private final ScheduledThreadPoolExecutor executor;

    /** A loop with a thread that waits for tasks. */
    public ThreadLoop(EngineClock clock) {
        this.clock = clock;
        this.executor =
                new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("relay").factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException ended) {
            log.debug("the relay ends, a task is left out", ended);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // run() logs failures
    public void after(Duration delay, Runnable task) {
        try {
            executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ended) {
            log.debug("the relay ends, a timer is left out", ended);
        }
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable bug) { // top frame of the thread: the loop continues
            log.error("a task of the relay failed", bug);
        }
    }

    /** Ends the thread after the tasks that wait. */
    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException _) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
