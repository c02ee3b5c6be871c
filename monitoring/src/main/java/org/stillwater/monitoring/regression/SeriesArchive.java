package org.stillwater.monitoring.regression;

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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.id.HostId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.PastSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.regression.SlicePast;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.SeriesPointStore.Position;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.regression.SeriesArchiveState.Phase;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Makes the points of the series durable, and after a start reads back those of earlier lives of
 * the engine, so that the search for regressions continues where it ended. Both happen on a
 * supervised thread of its own, beside the search: without the database, points wait in memory, at
 * most {@value #MOST_WAITING} intervals, and the read-back is tried again.
 *
 * <p>The read-back begins when the engine serves. It reads one slice of the series after the other,
 * {@value #ROWS} rows of at most {@link SeriesPoints#MOST} points at a time, uses a quarter of one
 * core at most, and rests while the database is late. It reads only intervals before the first one
 * of this life, and the search measures only later ones: no point comes twice.
 *
 * <p>It is long because writing and reading back share the order of the intervals.
 */
public final class SeriesArchive {

    /** Rows of one answer. */
    static final int ROWS = 64;

    /** Intervals that wait for the database. */
    static final int MOST_WAITING = 12;

    private static final Logger LOG = LoggerFactory.getLogger(SeriesArchive.class);

    /** Series that get their past at a time, while the search waits. */
    private static final int CHUNK = 250;

    /** The read-back rests this many times as long as it works. */
    private static final int REST = 3;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final Duration LATE = Duration.ofSeconds(1);
    private static final Duration PRUNING = Duration.ofHours(1);

    /** Part of an interval's samples that must have a value, as in the search itself. */
    private static final double LEAST_SAMPLES = 0.3;

    private final RegressionMonitor monitor;
    private final SeriesPointStore store;
    private final DurableHistory.Reader history;
    private final Duration minute;
    private final Duration width;
    private final Duration kept;
    private final BooleanSupplier late;
    private final EngineClock clock;
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
    private long readNanos;
    private Duration readPause = FIRST_PAUSE;
    private long beganNanos;
    private boolean begun;
    private int slice;
    private long refused;
    private @Nullable SlicePast past;
    private Position before;
    private final Deque<MeasuredSeries> toExtend = new ArrayDeque<>();
    private final Deque<HostId> hosts = new ArrayDeque<>();
    private long storedSince;

    private volatile SeriesArchiveState read;
    private volatile @Nullable SupervisedWorker worker;

    /**
     * An archive that is not started.
     *
     * @param history durable samples, for the time before the oldest stored point
     * @param minute time between two samples of it
     * @param kept how long points are kept and how far they are read back; zero for not at all
     * @param late whether the database is late, so that the read-back rests
     */
    public SeriesArchive(
            RegressionMonitor monitor,
            SeriesPointStore store,
            DurableHistory.Reader history,
            Duration minute,
            Duration kept,
            BooleanSupplier late,
            EngineClock clock,
            MeterRegistry registry) {
        this.monitor = monitor;
        this.store = store;
        this.history = history;
        this.minute = minute;
        this.width = monitor.settings().interval();
        this.kept = kept;
        this.late = late;
        this.clock = clock;
        this.storedSince = monitor.firstInterval();
        this.before = new Position(storedSince, 0);
        this.writeNanos = clock.nanoTime();
        this.readNanos = writeNanos;
        this.read =
                new SeriesArchiveState(
                        kept.isZero() ? Phase.OFF : Phase.WAITING,
                        0,
                        0,
                        null,
                        null,
                        null,
                        null,
                        0,
                        0);
        this.unavailable =
                Counter.builder("stillwater.regressions.unavailable")
                        .description("Attempts that the database did not take")
                        .register(registry);
        this.dropped =
                Counter.builder("stillwater.regressions.points.dropped")
                        .description("Intervals whose points are not stored")
                        .register(registry);
        Gauge.builder("stillwater.regressions.read.back", this, it -> it.read.points())
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
        SeriesArchiveState last = read;
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

    private boolean isReading() {
        return read.phase() == Phase.WAITING || read.phase() == Phase.READING;
    }

    /** Time until there is work; under the lock. */
    private long delayNanos() {
        long now = clock.nanoTime();
        long delay = Long.MAX_VALUE;
        if (!waiting.isEmpty()) {
            delay = writeNanos - now;
        }
        if (serving && isReading()) {
            delay = Math.min(delay, readNanos - now);
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
            reads = serving && isReading() && readNanos - now <= 0;
        } finally {
            lock.unlock();
        }
        if (points != null) {
            write(points);
            return true;
        }
        if (reads) {
            readBack();
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

    private static Duration longer(Duration pause) {
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

    private void readBack() {
        if (late.getAsBoolean()) {
            readNanos = clock.nanoTime() + LATE.toNanos();
            return;
        }
        long started = clock.nanoTime();
        if (!begun) {
            begun = true;
            beganNanos = started;
        }
        try {
            step();
            readPause = FIRST_PAUSE;
            long now = clock.nanoTime();
            readNanos = now + REST * (now - started);
        } catch (StoreUnavailable e) {
            unavailable.increment();
            past = null; // the slice begins anew
            hosts.clear();
            monitor.fill(false);
            String reason = String.valueOf(e.getMessage());
            if (read.failingSince() == null) {
                LOG.warn("the read-back of regression series waits: {}", reason);
            }
            read =
                    new SeriesArchiveState(
                            Phase.READING,
                            read.series(),
                            read.points(),
                            read.from(),
                            null,
                            read.failingSince() == null ? clock.now() : read.failingSince(),
                            reason,
                            0,
                            0);
            readNanos = clock.nanoTime() + readPause.toNanos();
            readPause = longer(readPause);
        }
    }

    /** One piece of the read-back: a page, some series, or a host. */
    private void step() throws StoreUnavailable {
        SlicePast present = past;
        if (!toExtend.isEmpty()) {
            extend();
        } else if (isTooLate()) {
            finish();
        } else if (present != null && !hosts.isEmpty()) {
            minutes(present, hosts.getFirst());
            hosts.removeFirst();
            if (hosts.isEmpty()) {
                take(present);
            }
        } else if (slice < SeriesPoints.SLICES) {
            page();
        } else {
            finish();
        }
    }

    /** Points before a whole window are no longer compared. */
    private boolean isTooLate() {
        return monitor.onSeries(FleetSeries::interval) - monitor.firstInterval()
                >= monitor.settings().window();
    }

    private int span() {
        int reach = monitor.onSeries(FleetSeries::reach);
        return Math.clamp(kept.dividedBy(width), 1, reach);
    }

    private void page() throws StoreUnavailable {
        int span = span();
        long until = monitor.firstInterval();
        SlicePast present = past;
        if (present == null) {
            present = monitor.onSeries(series -> series.slice(until, span));
            past = present;
            before = new Position(until, 0);
        }
        List<SeriesPoints> rows = store.read(width, slice, until - span, before, ROWS);
        rows.forEach(present::add);
        if (rows.size() == ROWS) {
            before = Position.of(rows.getLast());
            progress(0, 0, until);
            return;
        }
        storedSince = Math.min(storedSince, present.oldest());
        if (storedSince > until - span && width.compareTo(minute) >= 0) {
            for (HostId host : monitor.hosts()) {
                if (SeriesPoints.slice(swap(host)) == slice) {
                    hosts.add(host);
                }
            }
        }
        if (hosts.isEmpty()) {
            take(present);
        }
    }

    private static long swap(HostId host) {
        return SeriesPoints.key(RegressionMetric.HOST_SWAP, host.toString());
    }

    /** Hands a slice that is read to its series. */
    private void take(SlicePast found) {
        int number = slice;
        long points = found.points();
        long oldest = found.oldest();
        refused += found.refused();
        List<PastSeries> series = found.series();
        monitor.fill(true);
        toExtend.addAll(
                monitor.onSeries(fleet -> {
                    progress(fleet.remember(series), points, oldest);
                    return fleet.inSlice(number);
                }));
        past = null;
        slice++;
    }

    private void progress(int series, long points, long oldest) {
        Instant from = read.from();
        if (points > 0) {
            Instant at = Instant.ofEpochMilli(oldest * width.toMillis());
            from = from == null || at.isBefore(from) ? at : from;
        }
        read =
                new SeriesArchiveState(
                        Phase.READING,
                        read.series() + series,
                        read.points() + points,
                        from,
                        null,
                        null,
                        null,
                        0,
                        0);
    }

    private void extend() {
        List<MeasuredSeries> some = new ArrayList<>();
        while (some.size() < CHUNK && !toExtend.isEmpty()) {
            some.add(toExtend.removeFirst());
        }
        boolean isLast = toExtend.isEmpty();
        int extended =
                monitor.onSeries(series -> {
                    int count = 0;
                    for (MeasuredSeries one : some) {
                        count += series.extend(one) ? 1 : 0;
                    }
                    if (isLast) {
                        series.forgetPast();
                    }
                    return count;
                });
        LOG.trace("regression series filled={}", extended);
    }

    /**
     * Of the time before the oldest stored point, the durable minutes have one of the numbers: the
     * swap space that a host uses.
     */
    private void minutes(SlicePast found, HostId host) throws StoreUnavailable {
        long millis = width.toMillis();
        List<HistoryPoint> samples =
                history.read(
                        HistoryMetric.HOST_SWAP_USED,
                        host.value(),
                        HistoryTier.MINUTE,
                        Instant.ofEpochMilli((monitor.firstInterval() - span()) * millis),
                        Instant.ofEpochMilli(storedSince * millis));
        long least = Math.max(1, Math.round(LEAST_SAMPLES * width.dividedBy(minute)));
        long key = swap(host);
        long interval = Long.MIN_VALUE;
        double sum = 0;
        int count = 0;
        for (HistoryPoint sample : samples) {
            long next = Math.floorDiv(sample.at().toEpochMilli(), millis);
            if (next != interval) {
                add(found, key, interval, sum, count, least);
                interval = next;
                sum = 0;
                count = 0;
            }
            if (sample.mean() > 0) {
                sum += sample.mean();
                count++;
            }
        }
        add(found, key, interval, sum, count, least);
    }

    private static void add(
            SlicePast found, long key, long interval, double sum, int count, long least) {
        if (count >= least) {
            found.add(key, interval, (float) (sum / count), 0);
        }
    }

    private void finish() {
        monitor.fill(false);
        past = null;
        hosts.clear();
        Duration took = Duration.ofNanos(clock.nanoTime() - beganNanos);
        read =
                new SeriesArchiveState(
                        Phase.DONE,
                        read.series(),
                        read.points(),
                        read.from(),
                        took,
                        null,
                        null,
                        0,
                        0);
        LOG.info(
                "regression series read back series={} points={} refused={} from={} took={}ms",
                read.series(),
                read.points(),
                refused,
                read.from(),
                took.toMillis());
    }
}
