package org.stillwater.command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where what waits for the database is done: one thing after the other, beside the thread that
 * decides. Thread-safe. Its length is bounded by that of the work that is handed in: what belongs
 * to operations is handed in once for many.
 */
final class StoreLane {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean stopping;
    private @Nullable Thread thread;

    void start() {
        thread = Thread.ofVirtual().name("command-store").start(this::run);
    }

    void submit(Runnable task) {
        lock.lock();
        try {
            tasks.add(task);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                Runnable next;
                lock.lockInterruptibly();
                try {
                    while (tasks.isEmpty() && !stopping) {
                        news.await();
                    }
                    next = tasks.poll();
                } finally {
                    lock.unlock();
                }
                if (next == null) {
                    return;
                }
                next.run();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // it took too long to stop
        }
    }

    /** Does what waits, on the caller's thread; whether there was anything. */
    boolean pump() {
        boolean any = false;
        while (pumpOne()) {
            any = true;
        }
        return any;
    }

    /** Does the next thing, on the caller's thread; whether there was one. */
    boolean pumpOne() {
        Runnable next;
        lock.lock();
        try {
            next = tasks.poll();
        } finally {
            lock.unlock();
        }
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    /** Ends the thread once what waits is done, or after this time. */
    void stop(java.time.Duration patience) {
        lock.lock();
        try {
            stopping = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        Thread running = thread;
        if (running == null) {
            return;
        }
        try {
            if (!running.join(patience)) {
                running.interrupt();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the caller gives up waiting
            running.interrupt();
        }
    }
}
