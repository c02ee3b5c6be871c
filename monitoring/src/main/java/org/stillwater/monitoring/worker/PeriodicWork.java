package org.stillwater.monitoring.worker;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;

/** A task that is repeated. Its waiting ends by an interrupt. */
final class PeriodicWork implements SupervisedWorker.Work {

    private final Duration interval;
    private final EngineClock clock;
    private final Runnable task;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition never = lock.newCondition();

    /** Runs first, without waiting; null once it began. The worker's thread only. */
    private @Nullable Runnable preparation;

    PeriodicWork(
            @Nullable Runnable preparation, Duration interval, EngineClock clock, Runnable task) {
        this.preparation = preparation;
        this.interval = interval;
        this.clock = clock;
        this.task = task;
    }

    @Override
    public boolean await() throws InterruptedException {
        if (preparation != null) {
            return true;
        }
        long due = clock.nanoTime() + interval.toNanos();
        lock.lockInterruptibly();
        try {
            long remaining = interval.toNanos();
            while (remaining > 0) {
                long _ = never.awaitNanos(remaining);
                remaining = due - clock.nanoTime();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void perform() {
        Runnable first = preparation;
        if (first != null) {
            preparation = null;
            first.run();
        } else {
            task.run();
        }
    }
}
