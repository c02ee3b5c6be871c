package org.stillwater.monitoring.history.durable;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.history.durable.HistoryMeters.Reason;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * Records history: samples every VM and host once per interval, at multiples of the interval by the
 * wall clock, and writes changed values to the database, and every hour as it closes.
 *
 * <p>Two threads prevent that a slow database loses samples of an hour: one <em>samples</em> and
 * never waits for the database; only the other one <em>writes</em>. Two bounded queues connect
 * them, for intervals and for closed hours. An interval that does not fit into its queue is not
 * written; only queued values count as written, so the next interval contains its changes. Hours
 * continue to accumulate meanwhile. Neither thread holds a lock that a cycle or the batch writer
 * takes, and the store has its own connections.
 *
 * <p>Each hour is independent, like its partition: its first interval is written completely, later
 * ones only with changed values. Hours use the samples, not every cycle, so that an hour has the
 * same result from memory, from an engine that started in its middle, and from the database's
 * samples.
 *
 * <p>The wall clock may jump. After a jump forwards, history lacks the time between, because no
 * sample was taken. After a jump backwards, times repeat: the database keeps existing intervals,
 * other intervals are recorded, and the database computes the affected hours from their samples,
 * because memory has seen some samples twice.
 *
 * <p>It is long because sampling and writing share one queue of hours.
 */
public final class HistoryRecorder {

    private static final Logger LOG = LoggerFactory.getLogger(HistoryRecorder.class);

    /** Partitions are made hours ahead, so looking after them once an hour is early enough. */
    private static final Duration MAINTENANCE_INTERVAL = Duration.ofHours(1);

    private static final Duration MAINTENANCE_RETRY = Duration.ofMinutes(5);

    private final DurableHistorySettings settings;
    private final WriterSettings retries;
    private final Duration freshness;
    private final HistorySource source;
    private final HistoryStore store;
    private final EngineClock clock;
    private final HistoryMeters meters;
    private final ThrottledLog warnings;

    /**
     * Begin of the recorded time line: the start, or the moment when the clock was set back. It
     * distinguishes batches from those of other runs of the engine and of repeated times.
     */
    private volatile Instant run = Instant.EPOCH;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition ended = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Deque<OpenHour> closed = new ArrayDeque<>();
    private final Deque<OpenHour> unrestored = new ArrayDeque<>();
    private @Nullable Instant rollUpBefore;
    private boolean rewrite;
    private boolean stopping;
    private @Nullable Instant newest;
    private long newestNanos;
    private @Nullable Instant notDurableSince;
    private @Nullable String notDurableReason;
    private long leftOut;
    private long retryNanos;
    private Duration pause;
    private @Nullable SupervisedWorker sampler;
    private @Nullable SupervisedWorker writer;

    // The sampling thread's own.
    private long dueNanos;
    private @Nullable Instant last;
    private @Nullable OpenHour open;

    // The writing thread's own.
    private @Nullable Instant readyFrom;
    private Instant readyUntil = Instant.EPOCH;
    private long maintenanceNanos;

    /** An interval on its way. */
    private record Waiting(
            HistoryStore.Interval interval, OpenHour.Changed rows, long sampledNanos) {}

    /**
     * A recorder that does not run yet.
     *
     * @param freshness longest age of a value in a sample; older ones are unknown in it
     * @param retries pauses while the database is away, and the quiet period of complaints
     */
    public HistoryRecorder(
            DurableHistorySettings settings,
            WriterSettings retries,
            Duration freshness,
            HistorySource source,
            HistoryStore store,
            EngineClock clock,
            MeterRegistry registry) {
        this.settings = settings;
        this.retries = retries;
        this.freshness = freshness;
        this.source = source;
        this.store = store;
        this.clock = clock;
        this.meters = new HistoryMeters(registry);
        this.pause = retries.firstRetry();
        this.warnings = new ThrottledLog(LOG, clock, retries.quietPeriod(), "history");
        meters.show(this);
    }

    /** Plans the first sample. */
    public void begin() {
        Instant now = clock.now();
        newRun(now);
        plan(now, clock.nanoTime());
    }

    private void newRun(Instant now) {
        Instant micros = now.truncatedTo(ChronoUnit.MICROS); // as databases keep it
        run = micros.isAfter(run) ? micros : run.plus(1, ChronoUnit.MICROS);
    }

    /** When the time that is being recorded began; for tests. */
    Instant run() {
        return run;
    }

    /** Starts its threads, if history is recorded. */
    public void start(Workers workers) {
        begin();
        if (settings.enabled()) {
            SupervisedWorker sampling = workers.worker("history-sampler", new Sampling());
            SupervisedWorker writing = workers.worker("history-writer", new Writing());
            lock.lock();
            try {
                sampler = sampling;
                writer = writing;
            } finally {
                lock.unlock();
            }
            sampling.startOnPlatformThread();
            writing.start();
        }
    }

    /**
     * Ends the threads. Waiting samples are written as far as the database accepts them in this
     * time; the next start adds the open hour up again from its samples.
     */
    public void stop(Duration patience) {
        SupervisedWorker sampling;
        SupervisedWorker writing;
        lock.lock();
        try {
            stopping = true;
            news.signalAll();
            ended.signalAll();
            sampling = sampler;
            writing = writer;
        } finally {
            lock.unlock();
        }
        long deadline = clock.nanoTime() + patience.toNanos();
        end(sampling, patience);
        end(writing, Duration.ofNanos(Math.max(1, deadline - clock.nanoTime())));
    }

    private static void end(@Nullable SupervisedWorker running, Duration patience) {
        if (running != null) {
            boolean _ = running.stop(patience);
        }
    }

    /** State of durable history. */
    public DurableHistoryState state() {
        lock.lock();
        try {
            return new DurableHistoryState(
                    settings.enabled(),
                    waiting.size(),
                    newest,
                    notDurableSince,
                    notDurableReason,
                    leftOut);
        } finally {
            lock.unlock();
        }
    }

    /** Time since the newest durable interval was sampled; NaN before the first. */
    double ageSeconds() {
        lock.lock();
        try {
            return newest == null ? Double.NaN : (clock.nanoTime() - newestNanos) / 1e9;
        } finally {
            lock.unlock();
        }
    }

    /** The sampling thread's loop. */
    private final class Sampling implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitDue();
        }

        @Override
        public void perform() {
            boolean _ = sampleDue();
        }
    }

    /** False when the thread is to end. */
    private boolean awaitDue() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping) {
                long remaining = dueNanos - clock.nanoTime();
                if (remaining <= 0) {
                    return true;
                }
                long _ = ended.awaitNanos(remaining);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** The wall clock determines the interval, the monotonic one the begin of the next. */
    private void plan(Instant now, long nowNanos) {
        dueNanos = nowNanos + Duration.between(now, begin(now).plus(settings.interval())).toNanos();
    }

    private Instant begin(Instant at) {
        long width = settings.interval().toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(at.getEpochSecond(), width) * width);
    }

    /**
     * Samples if it is time. For the sampling thread; tests that do not start it call this instead.
     *
     * @return whether it was time
     */
    public boolean sampleDue() {
        long nowNanos = clock.nanoTime();
        if (!settings.enabled() || dueNanos - nowNanos > 0) {
            return false;
        }
        Instant now = clock.now();
        plan(now, nowNanos);
        boolean sampled = false;
        try {
            sample(begin(now), now, nowNanos);
            sampled = true;
        } catch (RuntimeException e) {
            // A bug must not end the samples.
            warnings.about("sampling failed", e.toString(), e);
        } finally {
            OpenHour hour = open;
            if (!sampled) {
                meters.skipped(Reason.FAILED, 1);
            }
            if (!sampled && hour != null) {
                hour.beginAnew(); // half a sample must not count as written
            }
        }
        return true;
    }

    private void sample(Instant at, Instant now, long nowNanos) {
        Instant before = last;
        boolean back = false;
        if (before != null) {
            if (at.equals(before)) {
                return; // the clocks differ by a little: the next interval comes in a moment
            }
            Duration since = Duration.between(before, at);
            back = since.isNegative();
            if (back) {
                warnings.about("begins anew", "the clock was set back to " + now);
            } else {
                meters.skipped(Reason.LATE, since.dividedBy(settings.interval()) - 1);
            }
        }
        last = at;
        if (back) {
            newRun(now);
            distrust(open);
        }
        OpenHour hour = hourOf(at);
        if (back) {
            distrust(hour);
        }
        boolean write;
        lock.lock();
        try {
            if (rewrite) {
                rewrite = false;
                distrust(hour);
            }
            write = waiting.size() < settings.backlog();
        } finally {
            lock.unlock();
        }
        OpenHour.Changed changed =
                hour.take(source, at, now.minus(freshness).toEpochMilli(), write);
        Instant base = hour.base();
        if (changed == null || base == null) {
            meters.skipped(Reason.BACKLOG, 1);
            warnings.about("leaves intervals out", settings.backlog() + " wait to be durable");
            lock.lock();
            try {
                leftOut++;
            } finally {
                lock.unlock();
            }
            return;
        }
        handOver(new Waiting(new HistoryStore.Interval(at, base, run), changed, nowNanos));
    }

    /** The hour's samples in memory and in the database differ from now on. */
    private static void distrust(@Nullable OpenHour hour) {
        if (hour != null) {
            hour.distrust();
            hour.beginAnew();
        }
    }

    private void handOver(Waiting interval) {
        lock.lock();
        try {
            if (rewrite) {
                meters.skipped(Reason.ANOTHER, 1); // its reference interval does not exist
                return;
            }
            waiting.addLast(interval);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The hour that a sample belongs to; the one before closes when it is another. */
    private OpenHour hourOf(Instant at) {
        Instant begin = at.truncatedTo(ChronoUnit.HOURS);
        OpenHour present = open;
        if (present != null && present.at().equals(begin)) {
            return present;
        }
        OpenHour next = new OpenHour(begin, at, run, source.vmCount() + source.vmCount() / 16);
        open = next;
        lock.lock();
        try {
            if (present != null) {
                closed.addLast(present);
            }
            while (closed.size() > settings.hourBacklog()) {
                unrestored.remove(closed.removeFirst());
                meters.hourGivenUp();
                warnings.about("gives up an hour", settings.hourBacklog() + " wait to be durable");
            }
            if (at.isAfter(begin)) {
                unrestored.addLast(next);
            }
            // The database computes hours that memory no longer holds, if they are missing.
            rollUpBefore = begin;
            news.signal();
        } finally {
            lock.unlock();
        }
        return next;
    }

    /** The writing thread's loop. */
    private final class Writing implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitWork();
        }

        @Override
        public void perform() {
            boolean _ = writeDue();
        }
    }

    /** False when the thread must end: it is stopped and has no work. */
    private boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                long delay = delayNanos();
                if (delay <= 0) {
                    return true;
                }
                if (stopping && (delay == Long.MAX_VALUE || notDurableSince != null)) {
                    return false;
                }
                if (delay == Long.MAX_VALUE) {
                    news.await();
                } else {
                    long _ = news.awaitNanos(delay);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Time until the next work is due; under the lock. */
    private long delayNanos() {
        if (waiting.isEmpty() && unrestored.isEmpty() && closed.isEmpty() && rollUpBefore == null) {
            return Long.MAX_VALUE;
        }
        return notDurableSince == null ? 0 : retryNanos - clock.nanoTime();
    }

    /**
     * Executes one piece of waiting work. For the writing thread; tests that do not start it call
     * this instead.
     *
     * @return whether there was anything
     */
    public boolean writeDue() {
        Waiting interval;
        OpenHour past;
        OpenHour hour;
        Instant before;
        lock.lock();
        try {
            if (delayNanos() > 0) {
                return false;
            }
            interval = waiting.peekFirst();
            past = unrestored.peekFirst();
            hour = closed.peekFirst();
            before = rollUpBefore;
        } finally {
            lock.unlock();
        }
        try {
            // Samples first: they alone are lost if they wait for too long.
            if (interval != null) {
                write(interval);
            } else if (past != null) {
                past.restore(store);
                settle(() -> unrestored.remove(past));
            } else if (hour != null) {
                write(hour);
            } else if (before != null) {
                rollUp(before);
            }
        } catch (StoreUnavailable e) {
            postpone(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // A bug must neither end the writing nor repeat with the same piece.
            warnings.about("writing failed", e.toString(), e);
            settle(() -> drop(interval, past, hour));
        }
        return true;
    }

    private void drop(
            @Nullable Waiting interval, @Nullable OpenHour past, @Nullable OpenHour hour) {
        if (interval != null) {
            dropFrom(interval, Reason.FAILED);
        } else if (past != null) {
            unrestored.remove(past);
        } else if (hour != null) {
            closed.remove(hour);
            meters.hourGivenUp();
        } else {
            rollUpBefore = null;
        }
    }

    /**
     * Later intervals contain differences from this one, so they are dropped with it. Under the
     * lock.
     */
    private void dropFrom(Waiting interval, Reason reason) {
        Instant base = interval.interval().base();
        int before = waiting.size();
        waiting.removeIf(it -> it.interval().base().equals(base));
        meters.skipped(reason, before - waiting.size());
        rewrite = true;
    }

    private void write(Waiting interval) throws StoreUnavailable {
        Instant at = interval.interval().at();
        makeRoom(at);
        long started = clock.nanoTime();
        HistoryStore.Recorded recorded =
                store.write(interval.interval(), interval.rows().vms(), interval.rows().hosts());
        settle(() -> {
            if (recorded == HistoryStore.Recorded.BY_ANOTHER) {
                warnings.about("leaves out", at + " is there already, of another engine");
                dropFrom(interval, Reason.ANOTHER);
                return;
            }
            waiting.removeFirst();
            newest = at;
            newestNanos = interval.sampledNanos();
            meters.written(
                    clock.nanoTime() - started,
                    interval.rows().vms().size() + interval.rows().hosts().size());
        });
    }

    private void write(OpenHour hour) throws StoreUnavailable {
        makeRoom(hour.at());
        long started = clock.nanoTime();
        if (hour.isTrusted()) {
            hour.write(store);
        } else {
            store.rollUpHour(hour.at());
        }
        settle(() -> {
            closed.remove(hour);
            meters.hourWritten(clock.nanoTime() - started, hour.subjects());
        });
    }

    private void rollUp(Instant before) throws StoreUnavailable {
        logged(store.rollUp(before));
        settle(() -> {
            if (before.equals(rollUpBefore)) {
                rollUpBefore = null;
            }
        });
    }

    /** Makes room for an interval if there is none, and for later ones now and then. */
    private void makeRoom(Instant at) throws StoreUnavailable {
        Instant from = at.truncatedTo(ChronoUnit.HOURS);
        long now = clock.nanoTime();
        boolean ready = readyFrom != null && !from.isBefore(readyFrom) && at.isBefore(readyUntil);
        if (ready && maintenanceNanos - now > 0) {
            return;
        }
        if (!ready) {
            rollUpWhatIsDropped(from);
        }
        try {
            Instant until = at.plus(settings.ahead());
            HistoryStore.Maintenance done = store.maintain(from, until, settings.retention());
            readyFrom = from;
            readyUntil = until;
            maintenanceNanos = now + MAINTENANCE_INTERVAL.toNanos();
            if (done.created() + done.dropped() > 0) {
                LOG.debug(
                        "history partitions created={} dropped={}", done.created(), done.dropped());
            }
            if (done.busy() > 0) {
                warnings.about(
                        "cannot drop old partitions",
                        "tables that are being read for long: " + done.busy());
            }
        } catch (StoreUnavailable e) {
            if (!ready) {
                throw e;
            }
            // There is room; old samples stay a little longer.
            maintenanceNanos = now + MAINTENANCE_RETRY.toNanos();
            warnings.about("maintenance failed", String.valueOf(e.getMessage()));
        }
    }

    /**
     * After a time in which nothing was written, samples of hours that are not rolled up may be too
     * old: they are rolled up before they are dropped. A failure does not keep old samples: the
     * disk may be full, and then nothing is rolled up.
     */
    private void rollUpWhatIsDropped(Instant from) {
        Instant before = rollUpBefore();
        if (before == null) {
            return;
        }
        // The next hour as well: the database's clock may be ahead by a little.
        Instant old =
                from.minus(settings.retention().minutes())
                        .plus(1, ChronoUnit.HOURS)
                        .truncatedTo(ChronoUnit.HOURS);
        try {
            logged(store.rollUp(old.isBefore(before) ? old : before));
        } catch (StoreUnavailable e) {
            warnings.about("cannot roll up old samples", String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Instant rollUpBefore() {
        lock.lock();
        try {
            return rollUpBefore;
        } finally {
            lock.unlock();
        }
    }

    private static void logged(HistoryStore.RolledUp done) {
        if (done.hours() + done.days() > 0) {
            LOG.info("history rolled up hours={} days={}", done.hours(), done.days());
        }
    }

    /** The database took something. */
    private void settle(Runnable done) {
        lock.lock();
        try {
            done.run();
            if (notDurableSince != null) {
                LOG.info("database takes history again, intervals left out: {}", leftOut);
                notDurableSince = null;
                notDurableReason = null;
            }
            if (waiting.isEmpty()) {
                leftOut = 0;
            }
            pause = retries.firstRetry();
        } finally {
            lock.unlock();
        }
    }

    private void postpone(String reason) {
        meters.unavailable();
        lock.lock();
        try {
            if (notDurableSince == null) {
                notDurableSince = clock.now();
                LOG.warn("database does not take history, intervals wait in memory: {}", reason);
            }
            notDurableReason = reason;
            retryNanos = clock.nanoTime() + pause.toNanos();
            Duration doubled = pause.multipliedBy(2);
            pause =
                    doubled.compareTo(retries.longestRetry()) > 0
                            ? retries.longestRetry()
                            : doubled;
        } finally {
            lock.unlock();
        }
    }
}
