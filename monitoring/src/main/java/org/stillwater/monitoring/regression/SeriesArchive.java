package org.stillwater.monitoring.regression;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Makes the points of the series durable, and after a start reads back those of earlier lives of
 * the engine with the recorded changes, so that the search for regressions continues where it
 * ended. Both happen on a supervised thread of its own, beside the search: without the database,
 * points wait in memory, at most {@value #MOST_WAITING} intervals, and the read-back is tried
 * again. The read-back begins when the engine serves.
 */
public final class SeriesArchive {

    /** Intervals that wait for the database. */
    static final int MOST_WAITING = 12;

    private static final Logger LOG = LoggerFactory.getLogger(SeriesArchive.class);

    /** Time until the first repetition of an attempt that the database did not take. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final Duration PRUNING = Duration.ofHours(1);

    private final SeriesPointStore store;
    private final Duration width;
    private final Duration kept;
    private final EngineClock clock;
    private final SeriesReadBack readBack;
    private final Counter unavailable;
    private final Counter dropped;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Deque<List<SeriesPoints>> waiting = new ArrayDeque<>();
    private boolean stopping;
    private boolean serving;
    private long leftOut;

    // The thread's own.
    private long writeNanos;
    private Duration writePause = FIRST_PAUSE;
    private Instant prunedAt = Instant.EPOCH;

    private volatile @Nullable SupervisedWorker worker;

    /**
     * An archive that is not started.
     *
     * @param log the audit log, which has the changes of earlier lives
     * @param history durable samples, for the time before the oldest stored point
     * @param minute time between two samples of it
     * @param kept how long points are kept and how far they are read back; zero for not at all
     * @param late whether the database is late, so that the read-back rests
     */
    public SeriesArchive(
            RegressionMonitor monitor,
            SeriesPointStore store,
            AuditReader log,
            DurableHistory.Reader history,
            Duration minute,
            Duration kept,
            BooleanSupplier late,
            EngineClock clock,
            MeterRegistry registry) {
        this.store = store;
        this.width = monitor.settings().interval();
        this.kept = kept;
        this.clock = clock;
        this.writeNanos = clock.nanoTime();
        this.unavailable =
                Counter.builder("stillwater.regressions.unavailable")
                        .description("Attempts that the database did not take")
                        .register(registry);
        this.readBack = new SeriesReadBack(monitor, store, log, history, minute, kept, late, clock);
        this.dropped =
                Counter.builder("stillwater.regressions.points.dropped")
                        .description("Intervals whose points are not stored")
                        .register(registry);
        Gauge.builder("stillwater.regressions.read.back", this, it -> it.readBack.state().points())
                .description("Points of series that were read back after the start")
                .register(registry);
        if (!kept.isZero()) {
            monitor.archive(this::ended);
        }
    }

    /** Starts the thread, if points are kept. */
    public void start(Workers workers) {
        if (!kept.isZero()) {
            lock.lock();
            try {
                stopping = false;
            } finally {
                lock.unlock();
            }
            SupervisedWorker started = workers.worker("regression-points", new Loop());
            worker = started;
            started.startOnPlatformThread();
        }
    }

    /** The engine serves: the read-back may begin. Any thread. */
    public void serve() {
        lock.lock();
        try {
            serving = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread; intervals that wait are written if the database takes them in this time. */
    public void stop(Duration patience) {
        lock.lock();
        try {
            stopping = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
        SupervisedWorker.endAndSave(worker, lock, patience, this::writeRest);
    }

    /** State of the points. Any thread. */
    public SeriesArchiveState state() {
        SeriesArchiveState last = readBack.state();
        lock.lock();
        try {
            return new SeriesArchiveState(
                    last.phase(),
                    last.series(),
                    last.points(),
                    last.from(),
                    last.took(),
                    last.failingSince(),
                    last.reason(),
                    waiting.size(),
                    leftOut);
        } finally {
            lock.unlock();
        }
    }

    private void ended(List<SeriesPoints> points) {
        if (points.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            if (waiting.size() == MOST_WAITING) {
                waiting.removeFirst();
                leftOut++;
                dropped.increment();
            }
            waiting.addLast(points);
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class Loop implements SupervisedWorker.Work {

        @Override
        public boolean await() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!stopping) {
                    long delay = delayNanos();
                    if (delay <= 0) {
                        return true;
                    }
                    if (delay == Long.MAX_VALUE) {
                        news.await();
                    } else {
                        long _ = news.awaitNanos(delay);
                    }
                }
                return false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void perform() {
            boolean _ = turn();
        }
    }

    /** Time until there is work; under the lock. */
    private long delayNanos() {
        long now = clock.nanoTime();
        long delay = Long.MAX_VALUE;
        if (!waiting.isEmpty()) {
            delay = writeNanos - now;
        }
        if (serving && readBack.isOpen()) {
            delay = Math.min(delay, readBack.dueNanos() - now);
        }
        return delay;
    }

    /**
     * Does a piece of the work that is due. For the thread; tests that do not start it call this
     * instead.
     *
     * @return whether there was any
     */
    public boolean turn() {
        @Nullable List<SeriesPoints> points;
        boolean reads;
        long now = clock.nanoTime();
        lock.lock();
        try {
            if (stopping) {
                return false;
            }
            points = writeNanos - now <= 0 ? waiting.peekFirst() : null;
            reads = serving && readBack.isOpen() && readBack.dueNanos() - now <= 0;
        } finally {
            lock.unlock();
        }
        if (points != null) {
            write(points);
            return true;
        }
        if (reads && !readBack.turn()) {
            unavailable.increment();
        }
        return reads;
    }

    private void write(List<SeriesPoints> points) {
        try {
            store.write(width, points);
            lock.lock();
            try {
                boolean _ = waiting.removeFirstOccurrence(points);
            } finally {
                lock.unlock();
            }
            writePause = FIRST_PAUSE;
            prune();
        } catch (StoreUnavailable e) {
            unavailable.increment();
            LOG.debug("points of series wait in memory: {}", e.getMessage());
            writeNanos = clock.nanoTime() + writePause.toNanos();
            writePause = longer(writePause);
        }
    }

    /** The pause after this one. */
    static Duration longer(Duration pause) {
        Duration next = pause.multipliedBy(2);
        return next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
    }

    private void prune() throws StoreUnavailable {
        Instant now = clock.now();
        if (Duration.between(prunedAt, now).compareTo(PRUNING) >= 0) {
            prunedAt = now;
            int removed = store.removeBefore(now.minus(kept));
            LOG.debug("rows with old points of series removed={}", removed);
        }
    }

    /** Under the lock, at the end. */
    private void writeRest() {
        try {
            while (!waiting.isEmpty()) {
                store.write(width, waiting.getFirst());
                waiting.removeFirst();
            }
        } catch (StoreUnavailable e) {
            LOG.debug("points of series are lost: {}", e.getMessage());
        }
    }
}
