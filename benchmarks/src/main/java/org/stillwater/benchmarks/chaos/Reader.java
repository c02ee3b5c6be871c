package org.stillwater.benchmarks.chaos;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * A client that reads the engine all the time: as long as the engine runs, it must answer in any
 * state of its database. One thread of its own.
 */
final class Reader implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(50);

    /** Generous: the machine is busy, and answers come from memory. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Engine engine;
    private final HarnessClock clock;
    private final Thread thread;
    private volatile boolean ending;
    private volatile long slowestNanos;
    private final AtomicLong reads = new AtomicLong();
    private volatile @Nullable String complaint;

    Reader(Engine engine, HarnessClock clock) {
        this.engine = engine;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("reader").start(this::run);
    }

    private void run() {
        try {
            while (!ending) {
                if (engine.isExpected()) {
                    read();
                }
                clock.waitUntil(clock.nanoTime() + PAUSE.toNanos());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // ended early
        }
    }

    private void read() throws InterruptedException {
        int life = engine.life();
        long asked = clock.nanoTime();
        boolean answered = engine.http().tryGet("/api/v1/vms?limit=10") != null;
        long took = clock.nanoTime() - asked;
        if (!engine.isExpected() || engine.life() != life) {
            return; // it was ended meanwhile
        }
        reads.incrementAndGet();
        slowestNanos = Math.max(slowestNanos, took);
        if (!answered) {
            complaint = "the engine did not answer a reader";
        } else if (took > LONGEST.toNanos()) {
            complaint = "the engine let a reader wait for " + took / 1_000_000 + " ms";
        }
    }

    /** Complaint since the last call; null for none. */
    @Nullable String complaint() {
        String last = complaint;
        complaint = null;
        return last;
    }

    /** The longest wait for an answer. */
    Duration slowest() {
        return Duration.ofNanos(slowestNanos);
    }

    long reads() {
        return reads.get();
    }

    @Override
    public void close() {
        ending = true;
        thread.interrupt();
    }
}
