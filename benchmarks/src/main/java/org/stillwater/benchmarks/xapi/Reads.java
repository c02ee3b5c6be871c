package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.api.HttpLoadConnection;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * A reader of the engine's REST interface that asks at an even pace. While an answer is late, the
 * questions that were due meanwhile wait as well, and count with their whole wait.
 */
final class Reads implements AutoCloseable {

    /** Slow enough that the reader does not take the processors from the measured programs. */
    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final double MILLIS = 1e6;
    private static final int OK = 200;

    private record Read(long dueNanos, double millis) {}

    private final HarnessClock clock = new HarnessClock();
    private final int port;
    private final String path;
    private final List<Read> reads = new ArrayList<>();
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean anew;
    private volatile boolean closed;

    private Reads(int port, String path) {
        this.port = port;
        this.path = path;
        this.thread = Thread.ofPlatform().daemon().name("reader").unstarted(this::read);
    }

    /** Begins to read. */
    static Reads start(int port, String path) {
        Reads reads = new Reads(port, path);
        reads.thread.start();
        return reads;
    }

    private void read() {
        try (HttpLoadConnection wire = new HttpLoadConnection(port)) {
            long due = clock.nanoTime();
            while (!closed) {
                if (anew) {
                    anew = false;
                    due = clock.nanoTime();
                }
                if (clock.nanoTime() < due) {
                    clock.waitUntil(due);
                    // Waking late is this harness's own fault.
                    due = clock.nanoTime();
                }
                int status = wire.get(path, "").status();
                long done = clock.nanoTime();
                if (status != OK) {
                    throw new IOException(path + " answered " + status);
                }
                synchronized (reads) {
                    reads.add(new Read(due, (done - due) / MILLIS));
                }
                due += PACE_NANOS;
            }
        } catch (IOException e) {
            failure.set(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Earlier lateness no longer counts: queries are due from now on. */
    void begin() {
        anew = true;
    }

    /** Durations of answers to queries that were due between these times, in milliseconds. */
    List<Double> millis(long fromNanos, long toNanos) {
        IOException trouble = failure.get();
        if (trouble != null) {
            throw new BenchFailure("a read failed: " + trouble.getMessage(), trouble);
        }
        synchronized (reads) {
            return reads.stream()
                    .filter(each -> each.dueNanos() >= fromNanos && each.dueNanos() <= toNanos)
                    .map(Read::millis)
                    .toList();
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
