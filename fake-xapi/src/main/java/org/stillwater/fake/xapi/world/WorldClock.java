package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.XType.DateTime;

/**
 * Simulated time and its scheduled events. A clock of speed 0 stands still until {@link #advance},
 * which runs everything due on the caller's thread; another runs on a thread of its own.
 * Thread-safe.
 */
public final class WorldClock implements AutoCloseable {

    /** The beginning of simulated time: 21 August 2026, 02:00 UTC. */
    public static final Instant START = Instant.parse("2026-08-21T02:00:00Z");

    private static final DateTimeFormatter WIRE =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

    private record Task(long atMillis, long number, Runnable work) {}

    private final double speed;
    private final long originNanos = System.nanoTime();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(
                    java.util.Comparator.comparingLong(Task::atMillis)
                            .thenComparingLong(Task::number));
    private final @Nullable Thread thread;
    private long number;
    private long manualMillis;
    private volatile boolean closed;

    /**
     * Starts the clock.
     *
     * @param speed simulated seconds in a real one; 0 stands still
     */
    public WorldClock(double speed) {
        this.speed = speed;
        this.thread =
                speed > 0
                        ? Thread.ofPlatform().daemon().name("fake-xapi clock").start(this::run)
                        : null;
    }

    /** Simulated milliseconds since {@link #START}. */
    public synchronized long millis() {
        return speed > 0 ? (long) ((System.nanoTime() - originNanos) / 1e6 * speed) : manualMillis;
    }

    /** The simulated time of day. */
    public Instant now() {
        return START.plusMillis(millis());
    }

    /** The simulated time of day as the wire has it. */
    public DateTime wireNow() {
        return wire(now());
    }

    static DateTime wire(Instant time) {
        return new DateTime(WIRE.format(time));
    }

    /** Runs the work after this simulated time. */
    public synchronized void after(Duration delay, Runnable work) {
        tasks.add(new Task(millis() + delay.toMillis(), number++, work));
        notifyAll();
    }

    /** Moves a clock that stands still forward, and runs all due events, in order. */
    public void advance(Duration by) {
        long end;
        synchronized (this) {
            if (speed > 0) {
                throw new IllegalStateException("the clock runs by itself");
            }
            end = manualMillis + by.toMillis();
        }
        while (true) {
            Task next;
            synchronized (this) {
                next = tasks.peek();
                if (next == null || next.atMillis > end) {
                    manualMillis = end;
                    return;
                }
                tasks.remove();
                manualMillis = Math.max(manualMillis, next.atMillis);
            }
            next.work.run();
        }
    }

    private void run() {
        try {
            while (!closed) {
                Task next;
                synchronized (this) {
                    next = tasks.peek();
                    long wait = next == null ? 1000 : (long) ((next.atMillis - millis()) / speed);
                    if (next == null || wait > 0) {
                        wait(Math.clamp(wait, 1, 1000));
                        continue;
                    }
                    tasks.remove();
                }
                perform(next.work);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** An event that fails is reported; time goes on. */
    private static void perform(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, e);
        }
    }

    @Override
    public void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
