package org.stillwater.monitoring.belief;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.BeliefStore.Row;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.DailyMaintenance;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * Makes transitions durable, in small transactions of their own and on a thread of its own: neither
 * a report nor a change waits for it. While the database is away transitions wait; beyond the bound
 * the oldest are dropped, counted and logged. While nothing changes it sleeps, but for a look at
 * its partitions once a day.
 *
 * <p>Any thread adds transitions; one thread writes.
 */
public final class BeliefWriter {

    private static final Logger LOG = LoggerFactory.getLogger(BeliefWriter.class);

    /** Partitions are made for this time before and after now. */
    private static final Duration AHEAD = Duration.ofDays(2);

    /** Transitions that waited for longer find no partition. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(30);

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
    private final DailyMaintenance partitions = new DailyMaintenance();

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
                    long _ = news.awaitNanos(delay);
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

    /** Time until something is to be done; for the writing thread, under the lock. */
    private long delayNanos() {
        long now = clock.nanoTime();
        if (waiting.isEmpty()) {
            return partitions.delayNanos(clock.now(), now);
        }
        if (away) {
            return retryNanos - now;
        }
        return stopping || waiting.size() >= settings.batch()
                ? 0
                : oldestNanos + settings.linger().toNanos() - now;
    }

    /**
     * Writes due transitions, if there are any, and looks after partitions once a day. For the
     * writer's thread; engines that are stepped call it instead.
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
        if (batch.isEmpty()) {
            maintainIdle();
            return true;
        }
        boolean written = false;
        try {
            makeRoom(batch.getFirst().belief().at());
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

    /** Drops old transitions although nothing is written. */
    private void maintainIdle() {
        Instant now = clock.now();
        try {
            maintain(now, now.minus(AHEAD));
        } catch (StoreUnavailable e) {
            warnings.about("maintenance failed", String.valueOf(e.getMessage()));
        }
    }

    /**
     * Before the first batch of a day: without a partition the database refuses a transition.
     *
     * @param oldest when the oldest transition of the batch was decided
     */
    private void makeRoom(Instant oldest) throws StoreUnavailable {
        Instant now = clock.now();
        if (partitions.isDone(now)) {
            return;
        }
        Instant from = oldest.isBefore(now.minus(AHEAD)) ? oldest : now.minus(AHEAD);
        Instant earliest = now.minus(LONGEST_WAIT);
        maintain(now, from.isBefore(earliest) ? earliest : from);
    }

    private void maintain(Instant now, Instant from) throws StoreUnavailable {
        long nowNanos = clock.nanoTime();
        partitions.attempt(now, nowNanos);
        BeliefStore.Maintenance done = store.maintain(from, now.plus(AHEAD), settings.retention());
        partitions.succeeded(nowNanos);
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
