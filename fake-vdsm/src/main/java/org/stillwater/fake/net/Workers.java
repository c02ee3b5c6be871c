package org.stillwater.fake.net;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The workers of one host: limits of running and waiting verbs; more are refused (§2.2).
 * Thread-safe; a worker is a virtual thread that exists only while there is work.
 */
final class Workers {

    /** One verb. It calls {@code done} once it no longer needs its worker, on any thread. */
    @FunctionalInterface
    interface Job {
        void run(Runnable done);
    }

    private final String name;
    private final int workers;
    private final int waiting;
    private final Duration limit;
    private final Ticker ticker;
    private final Queue<Job> queue = new ArrayDeque<>();
    private int running;
    private long epoch;

    Workers(String name, TransportSettings settings, Ticker ticker) {
        this.name = name;
        this.workers = settings.workers();
        this.waiting = settings.queue();
        this.limit = settings.workerLimit();
        this.ticker = ticker;
    }

    /**
     * Takes a job.
     *
     * @return whether there was room
     */
    boolean submit(Job job) {
        long begun;
        synchronized (this) {
            if (running == workers) {
                if (queue.size() == waiting) {
                    return false;
                }
                queue.add(job);
                return true;
            }
            running++;
            begun = epoch;
        }
        start(job, begun);
        return true;
    }

    /** Drops waiting and running calls. */
    synchronized void reset() {
        queue.clear();
        running = 0;
        epoch++;
    }

    private void start(Job job, long begun) {
        AtomicBoolean over = new AtomicBoolean();
        Ticker.Scheduled replacement =
                ticker.schedule(
                        limit,
                        () -> {
                            if (over.compareAndSet(false, true)) {
                                next(begun);
                            }
                        });
        Runnable done =
                () -> {
                    if (over.compareAndSet(false, true)) {
                        replacement.cancel();
                        next(begun);
                    }
                };
        Thread.ofVirtual().name(name).start(() -> job.run(done));
    }

    private void next(long begun) {
        Job job;
        synchronized (this) {
            if (begun != epoch) {
                return;
            }
            job = queue.poll();
            if (job == null) {
                running--;
                return;
            }
        }
        start(job, begun);
    }
}
