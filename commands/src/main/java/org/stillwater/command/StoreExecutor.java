package org.stillwater.command;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.WorkerHealth;
import org.stillwater.monitoring.worker.Workers;

/**
 * Runs tasks that wait for the database, one after the other, beside the deciding thread. A task
 * that fails, also with an {@link Error}, does not affect the others; its owner always gets the
 * reason. The queue is bounded by the number of open operations, because a task stands for many of
 * them. Thread-safe.
 */
public final class StoreExecutor {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Waiting> tasks = new ArrayDeque<>();
    private final SupervisedWorker worker;
    private boolean stopping;

    /** One task. */
    @FunctionalInterface
    public interface Task {

        /**
         * Does it.
         *
         * @throws StoreUnavailable if the database does not answer
         */
        void run() throws StoreUnavailable;
    }

    /** A task, and its owner's handler of a failure. */
    private record Waiting(Task task, Consumer<Throwable> failed) {}

    public StoreExecutor(Workers workers) {
        this.worker = workers.worker("command-store", new Loop());
    }

    public void start() {
        worker.start();
    }

    /**
     * Hands a task in.
     *
     * @param failed handler of the task's failure, on this thread; must not fail
     */
    public void submit(Task task, Consumer<Throwable> failed) {
        lock.lock();
        try {
            tasks.add(new Waiting(task, failed));
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The executor's loop. */
    private final class Loop implements SupervisedWorker.Work {
        private @Nullable Waiting next;

        @Override
        public boolean await() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (tasks.isEmpty() && !stopping) {
                    news.await();
                }
                next = tasks.poll();
                return next != null;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void perform() {
            Waiting taken = next;
            next = null;
            if (taken != null) {
                StoreUnavailable _ = attempt(taken);
            }
        }
    }

    /** Does a task; returns why the database was unavailable, or null. */
    private @Nullable StoreUnavailable attempt(Waiting taken) {
        @Nullable StoreUnavailable[] down = new @Nullable StoreUnavailable[1];
        boolean _ =
                worker.guard(
                        "a task for the database failed",
                        () -> {
                            try {
                                taken.task().run();
                            } catch (StoreUnavailable e) {
                                down[0] = e;
                                taken.failed().accept(e); // expected; its owner tries again
                            }
                        },
                        taken.failed());
        return down[0];
    }

    /** Runs waiting tasks on the caller's thread; returns whether there was any. */
    public boolean pump() {
        boolean any = false;
        while (pumpOne()) {
            any = true;
        }
        return any;
    }

    /** Does the next task, on the caller's thread; whether there was one. */
    public boolean pumpOne() {
        Waiting next = poll();
        if (next == null) {
            return false;
        }
        StoreUnavailable _ = attempt(next);
        return true;
    }

    /**
     * Runs waiting tasks on the caller's thread until one finds the database unavailable: the
     * owners of the others get its reason at once, because each would wait as long for a database
     * that does not answer.
     */
    public void drain() {
        @Nullable StoreUnavailable down = null;
        for (Waiting next = poll(); next != null; next = poll()) {
            if (down == null) {
                down = attempt(next);
            } else {
                Consumer<Throwable> failed = next.failed();
                StoreUnavailable reason = down;
                boolean _ =
                        worker.guard(
                                "a task for the database was not begun",
                                () -> failed.accept(reason),
                                _ -> {});
            }
        }
    }

    private @Nullable Waiting poll() {
        lock.lock();
        try {
            return tasks.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Number of tasks that wait. */
    public int size() {
        lock.lock();
        try {
            return tasks.size();
        } finally {
            lock.unlock();
        }
    }

    /** Health of the thread. */
    public WorkerHealth health() {
        return worker.health();
    }

    /** Ends the thread once waiting tasks are done, or after this time. */
    public void stop(Duration patience) {
        lock.lock();
        try {
            stopping = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        boolean _ = worker.stop(patience);
    }
}
