package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.regression.SeriesArchiveState.Phase;

/**
 * Reads the recorded changes and the points of earlier lives of the engine back, the points into
 * their series. It reads one slice of the series after the other, {@value #ROWS} rows of at most
 * {@link SeriesPoints#MOST} points at a time, uses a quarter of one core at most, and rests while
 * the database is late. It reads only intervals before the first one of this life, and the search
 * measures only later ones: no point comes twice. Confined to the archive's thread, except for the
 * state.
 */
final class SeriesReadBack {

    /** Rows of one answer. */
    static final int ROWS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(SeriesReadBack.class);

    /** Series that get their past at a time, while the search waits. */
    private static final int CHUNK = 250;

    /** The read-back rests this many times as long as it works. */
    private static final int REST = 3;

    private static final Duration LATE = Duration.ofSeconds(1);

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
    private final ChangeReadBack changes;

    private long readNanos;
    private Duration readPause = SeriesArchive.FIRST_PAUSE;
    private long beganNanos;
    private boolean begun;
    private int slice;
    private long refused;
    private @Nullable SlicePast past;
    private Position before;
    private final Deque<MeasuredSeries> toExtend = new ArrayDeque<>();
    private final Deque<HostId> hosts = new ArrayDeque<>();
    private long storedSince;

    // Read by any thread.
    private volatile SeriesArchiveState read;

    /**
     * A read-back that has not begun.
     *
     * @param log the audit log, which has the changes
     * @param history durable samples, for the time before the oldest stored point
     * @param minute time between two samples of it
     * @param kept how far points are read back; zero for not at all
     * @param late whether the database is late, so that the read-back rests
     */
    SeriesReadBack(
            RegressionMonitor monitor,
            SeriesPointStore store,
            AuditReader log,
            DurableHistory.Reader history,
            Duration minute,
            Duration kept,
            BooleanSupplier late,
            EngineClock clock) {
        this.monitor = monitor;
        this.store = store;
        this.history = history;
        this.minute = minute;
        this.width = monitor.settings().interval();
        this.kept = kept;
        this.late = late;
        this.clock = clock;
        this.changes = new ChangeReadBack(monitor, log);
        this.storedSince = monitor.firstInterval();
        this.before = new Position(storedSince, 0);
        this.readNanos = clock.nanoTime();
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
    }

    /** Its progress, without points that wait to be written. Any thread. */
    SeriesArchiveState state() {
        return read;
    }

    /** Whether there is anything left to read. */
    boolean isOpen() {
        return read.phase() == Phase.WAITING || read.phase() == Phase.READING;
    }

    /** Time of the clock at which its next piece is due. */
    long dueNanos() {
        return readNanos;
    }

    /**
     * Does a piece of the work; for the thread.
     *
     * @return false if the database did not answer
     */
    boolean turn() {
        if (late.getAsBoolean()) {
            readNanos = clock.nanoTime() + LATE.toNanos();
            return true;
        }
        long started = clock.nanoTime();
        if (!begun) {
            begun = true;
            beganNanos = started;
        }
        try {
            step();
            readPause = SeriesArchive.FIRST_PAUSE;
            long now = clock.nanoTime();
            readNanos = now + REST * (now - started);
            return true;
        } catch (StoreUnavailable e) {
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
            readPause = SeriesArchive.longer(readPause);
            return false;
        }
    }

    /**
     * One piece of the read-back: a page of changes or points, some series, or a host. The changes
     * come first: a finding needs them as soon as its series are filled.
     */
    private void step() throws StoreUnavailable {
        SlicePast present = past;
        if (!toExtend.isEmpty()) {
            extend();
        } else if (isTooLate()) {
            finish();
        } else if (changes.isOpen()) {
            changes.step();
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
