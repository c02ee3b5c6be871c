package org.stillwater.fake.net;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's monotonic clock and one timer thread. */
final class SystemTicker implements Ticker {

    private static final Logger log = LoggerFactory.getLogger(SystemTicker.class);

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("fake-timer").factory());

    SystemTicker() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> future =
                    timer.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException e) {
            log.trace("the timer has ended", e);
            return () -> {};
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("a timed task failed", e);
        }
    }
}
