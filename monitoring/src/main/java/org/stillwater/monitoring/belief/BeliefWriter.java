package org.stillwater.monitoring.belief;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.port.BeliefStore;
import org.stillwater.core.port.BeliefStore.Row;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * Stores transitions in small separate transactions on its own thread: neither a report nor a
 * change waits for it. While the database does not answer, transitions wait; beyond the bound the
 * oldest are dropped, counted and logged. Without changes it sleeps.
 *
 * <p>Any thread adds transitions; one thread writes.
 */
public final class BeliefWriter {

    private static final Logger LOG = LoggerFactory.getLogger(BeliefWriter.class);

    /** Partitions are made for today and tomorrow. */
    private static final Duration AHEAD = Duration.ofDays(2);

    private final BeliefSettings settings;
    private final WriterSettings retries;
    private final BeliefStore store;
    private final EngineClock clock;
    private final ThrottledLog warnings;
    private final Counter givenUp;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Row> waiting = new ArrayDeque<>();
    private int underWay;
    private long oldestNanos;
    private boolean away;
    private boolean stopping;
    private long retryNanos;
    private Duration pause;
    private @Nullable SupervisedWorker worker;

    // The writing thread's own.
    private long maintainedDay = Long.MIN_VALUE;

    /** A writer that does not run yet. */
    public BeliefWriter(
            BeliefSettings settings,
            WriterSettings retries,
            BeliefStore store,
            EngineClock clock,
            MeterRegistry meters) {
        this.settings = settings;
        this.retries = retries;
        this.store = store;
        this.clock = clock;
        this.pause = retries.firstRetry();
        this.warnings = new ThrottledLog(LOG, clock, retries.quietPeriod(), "beliefs");
        this.givenUp =
                Counter.builder("stillwater.beliefs.given.up")
                        .description("Transitions that are not recorded because too many waited")
                        .register(meters);
        Gauge.builder("stillwater.beliefs.queue", this, BeliefWriter::queue)
                .description("Transitions that are not durable yet")
                .register(meters);
    }

    /** Store that transitions are read from. */
    BeliefStore store() {
        return store;
    }

    /** Takes a transition. Any thread; does not block. */
    void keep(Row row) {
        boolean full = false;
        lock.lock();
        try {
            if (waiting.isEmpty() && underWay == 0) {
                oldestNanos = clock.nanoTime();
            }
            if (waiting.size() >= settings.queue()) {
                waiting.removeFirst();
                full = true;
            }
            waiting.addLast(row);
            news.signal();
        } finally {
            lock.unlock();
        }
        if (full) {
            givenUp.increment();
            warnings.about(
                    "transitions given up",
                    "more than " + settings.queue() + " wait to become durable; the oldest go");
        }
    }

    private double queue() {
        lock.lock();
        try {
            return waiting.size() + underWay;
        } finally {
            lock.unlock();
        }
    }

    /** Starts the writing thread. */
    public void start(Workers workers) {
        SupervisedWorker started = workers.worker("belief-writer", new Loop());
        worker = started;
        started.start();
    }

    /** The writing thread's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (true) {
                    if (stopping && (waiting.isEmpty() || away)) {
                        return false;
                    }
                    long delay = delayNanos();
                    if (delay <= 0) {
                        return true;
                    }
                    if (delay == Long.MAX_VALUE) {
                        news.await();
                    } else {
                        news.awaitNanos(delay);
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void perform() {
            boolean _ = writeDue();
        }
    }

    /** Time until the next write is due; under the lock. */
    private long delayNanos() {
        if (waiting.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long now = clock.nanoTime();
        if (away) {
            return retryNanos - now;
        }
        return stopping || waiting.size() >= settings.batch()
                ? 0
                : oldestNanos + settings.linger().toNanos() - now;
    }

    /**
     * Writes due transitions, if there are any. For the writer's thread; engines that are stepped
     * call it instead.
     *
     * @return whether anything was due
     */
    public boolean writeDue() {
        List<Row> batch = new ArrayList<>();
        lock.lock();
        try {
            if (delayNanos() > 0) {
                return false;
            }
            while (batch.size() < settings.batch() && !waiting.isEmpty()) {
                batch.add(waiting.removeFirst());
            }
            underWay = batch.size();
        } finally {
            lock.unlock();
        }
        boolean written = false;
        try {
            maintainIfDue(clock.now());
            switch (store.append(batch)) {
                case WriteOutcome.Written done -> {
                    written = true;
                    for (WriteOutcome.Rejected row : done.rejected()) {
                        warnings.about("transition refused", row.key() + ": " + row.reason());
                    }
                }
                case WriteOutcome.Unavailable(String reason) ->
                        warnings.about("database unavailable", reason);
            }
        } catch (StoreUnavailable e) {
            warnings.about("database unavailable", String.valueOf(e.getMessage()));
        } finally {
            settle(batch, written);
        }
        return true;
    }

    /** Once a day, before a batch: a day without transitions needs no partition. */
    private void maintainIfDue(Instant now) throws StoreUnavailable {
        long day = now.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay();
        if (day == maintainedDay) {
            return;
        }
        BeliefStore.Maintenance done =
                store.maintain(now.minus(AHEAD), now.plus(AHEAD), settings.retention());
        maintainedDay = day;
        if (done.created() + done.dropped() > 0) {
            LOG.info("partitions created={} dropped={}", done.created(), done.dropped());
        }
    }

    private void settle(List<Row> batch, boolean written) {
        lock.lock();
        try {
            underWay = 0;
            away = !written;
            if (written) {
                pause = retries.firstRetry();
                oldestNanos = clock.nanoTime();
            } else {
                for (int i = batch.size() - 1; i >= 0; i--) {
                    waiting.addFirst(batch.get(i));
                }
                retryNanos = clock.nanoTime() + pause.toNanos();
                Duration doubled = pause.multipliedBy(2);
                pause =
                        doubled.compareTo(retries.longestRetry()) > 0
                                ? retries.longestRetry()
                                : doubled;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes waiting transitions, as far as the database accepts them in time, and ends the thread.
     */
    public void stop(Duration patience) {
        SupervisedWorker running = worker;
        lock.lock();
        try {
            stopping = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        if (running != null) {
            boolean _ = running.stop(patience);
        }
        if (queue() > 0) {
            LOG.warn("stopped with {} transitions that are not durable", (long) queue());
        }
    }
}
