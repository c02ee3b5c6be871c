package org.stillwater.monitoring.dwh;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Runs a task once per interval, on its own thread or when it is called. The first run comes one
 * interval after the start.
 *
 * <p>Intervals are counted from the start, so that a slow run does not shift the later ones;
 * intervals that pass meanwhile are skipped. A failed run is counted, and repeated one interval
 * later at the earliest.
 */
final class Metronome {

    private final String name;
    private final Duration interval;
    private final EngineClock clock;
    private final Runnable task;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    // Guarded by the lock.
    private boolean stopping;
    private boolean hastened;
    private @Nullable SupervisedWorker worker;

    private long dueNanos;

    /**
     * One that does not run yet.
     *
     * @param name of its thread
     * @param interval zero for never
     * @param task the task
     */
    Metronome(String name, Duration interval, EngineClock clock, Runnable task) {
        this.name = name;
        this.interval = interval;
        this.clock = clock;
        this.task = task;
    }

    /** Counts the first interval from now. */
    void begin() {
        dueNanos = clock.nanoTime() + interval.toNanos();
    }

    /** Starts its thread, unless the interval is zero. */
    void start(Workers workers) {
        begin();
        if (!interval.isZero()) {
            SupervisedWorker started = workers.worker(name, new Loop());
            lock.lock();
            try {
                worker = started;
            } finally {
                lock.unlock();
            }
            started.start();
        }
    }

    /** Runs once now, besides the times of the interval. From any thread. */
    void runSoon() {
        lock.lock();
        try {
            hastened = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread; a run under way may take this long. */
    void stop(Duration patience) {
        SupervisedWorker running;
        lock.lock();
        try {
            stopping = true;
            ended.signalAll();
            running = worker;
        } finally {
            lock.unlock();
        }
        if (running != null) {
            boolean _ = running.stop(patience);
        }
    }

    /** The thread's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitDue();
        }

        @Override
        public void perform() {
            boolean _ = runDue();
        }
    }

    /** False when the thread is to end. */
    private boolean awaitDue() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping) {
                long remaining = dueNanos - clock.nanoTime();
                if (remaining <= 0 || hastened) {
                    return true;
                }
                long _ = ended.awaitNanos(remaining);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does it if it is time. For the own thread; a caller that does not start it calls this
     * instead.
     *
     * @return whether it was time
     */
    boolean runDue() {
        long now = clock.nanoTime();
        boolean due = !interval.isZero() && dueNanos - now <= 0;
        if (due) {
            long missed = (now - dueNanos) / interval.toNanos();
            dueNanos += (missed + 1) * interval.toNanos();
        }
        if (!takeHaste() && !due) {
            return false;
        }
        task.run();
        return true;
    }

    private boolean takeHaste() {
        lock.lock();
        try {
            boolean taken = hastened && !interval.isZero();
            hastened = false;
            return taken;
        } finally {
            lock.unlock();
        }
    }
}
