package org.stillwater.monitoring.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.BisectingWriter;
import org.stillwater.monitoring.write.DailyMaintenance;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * Stores entries in small separate transactions.
 *
 * <p>An entry is <em>held</em> until the change of its VM, or of its host if it is about no VM,
 * that caused it is committed. A crash before that loses both, so that the next run of the engine
 * detects the change and audits it once; after it, the change is not detected again. Then the entry
 * is <em>due</em> and is written with others. A batch that the database does not accept is tried
 * again after a doubling pause; the store skips entries that an earlier attempt has stored. An
 * entry that makes the store throw, which is a bug, is dropped, counted and named like a refused
 * row, once the store works for another entry ({@link BisectingWriter}).
 *
 * <p>Held and due entries together are bounded: beyond the bound the oldest is dropped, counted,
 * and logged. Any thread may hand entries in and none of them waits for the database; one thread
 * writes. While nothing is audited it sleeps, except for a check of its partitions once a day.
 *
 * <p>It is long because held, waiting and stored entries share one lock and one bound.
 */
final class AuditWriter {

    private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);

    private final AuditSettings settings;
    private final WriterSettings retries;
    private final AuditStore store;
    private final BatchWriter changes;
    private final EngineClock clock;
    private final AuditMeters meters;
    private final ThrottledLog warnings;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition emptied = lock.newCondition();

    // Guarded by the lock.
    private final Map<Long, Waiting> held = new LinkedHashMap<>();
    private Deque<Waiting> due = new ArrayDeque<>();
    private int underWay;
    private int flushes;
    private boolean stopping;
    private @Nullable Instant notDurableSince;
    private @Nullable String notDurableReason;
    private long givenUp;
    private long retryNanos;
    private Duration pause;
    private @Nullable SupervisedWorker worker;

    // The writing thread's own.
    private final BisectingWriter<AuditEntry> rows;
    private final DailyMaintenance partitions = new DailyMaintenance();

    AuditWriter(
            AuditSettings settings,
            WriterSettings retries,
            AuditStore store,
            BatchWriter changes,
            EngineClock clock,
            AuditMeters meters) {
        this.settings = settings;
        this.retries = retries;
        this.store = store;
        this.changes = changes;
        this.clock = clock;
        this.meters = meters;
        this.rows =
                new BisectingWriter<>(
                        entry -> entry.id() + " " + entry.event(), store::append, false);
        this.pause = retries.firstRetry();
        this.warnings = new ThrottledLog(LOG, clock, retries.quietPeriod(), "audit");
        meters.showQueue(this);
    }

    /** An entry that is not durable yet. */
    private final class Waiting implements BatchWriter.CommitAction {

        private final AuditEntry entry;
        private final long recordedNanos;

        Waiting(AuditEntry entry, long recordedNanos) {
            this.entry = entry;
            this.recordedNanos = recordedNanos;
        }

        AuditEntry entry() {
            return entry;
        }

        long recordedNanos() {
            return recordedNanos;
        }

        @Override
        public void run() {
            release(entry.id());
        }

        /**
         * The event is reported anyway. The next life of the engine, which does not find the change
         * in the database, may report it again: better twice than never.
         */
        @Override
        public void refused() {
            release(entry.id());
        }
    }

    /**
     * Takes an entry; it is written once everything known about its VM, or host, until now is
     * durable.
     */
    void keep(AuditEntry entry) {
        Waiting waiting = new Waiting(entry, clock.nanoTime());
        List<Waiting> forgotten = new ArrayList<>(0);
        lock.lock();
        try {
            while (size() >= settings.queue()) {
                Waiting oldest = giveUpOldest();
                if (oldest == null) {
                    break; // all of them are being written
                }
                forgotten.add(oldest);
            }
            held.put(entry.id(), waiting);
        } finally {
            lock.unlock();
        }
        for (Waiting oldest : forgotten) {
            withdraw(oldest);
        }
        VmId vmId = entry.vmId();
        HostId hostId = entry.hostId();
        if (vmId != null) {
            changes.afterCommit(vmId, waiting);
        } else if (hostId != null) {
            changes.afterCommit(hostId, waiting);
        } else {
            waiting.run();
        }
    }

    /** Its commit no longer needs a notice. */
    private void withdraw(Waiting oldest) {
        VmId vmId = oldest.entry().vmId();
        HostId hostId = oldest.entry().hostId();
        if (vmId != null) {
            changes.withdraw(vmId, oldest);
        } else if (hostId != null) {
            changes.withdraw(hostId, oldest);
        }
        meters.givenUp();
        warnings.about(
                "entries given up",
                "more than "
                        + settings.queue()
                        + " wait to become durable; the oldest are not kept");
    }

    /** The change that led to an entry is durable. */
    private void release(long id) {
        lock.lock();
        try {
            Waiting waiting = held.remove(id);
            if (waiting != null) {
                due.addLast(waiting);
                news.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private int size() {
        return held.size() + due.size() + underWay;
    }

    /** Null if everything there is, is being written; under the lock. */
    private @Nullable Waiting giveUpOldest() {
        Iterator<Waiting> oldestHeld = held.values().iterator();
        Waiting first = oldestHeld.hasNext() ? oldestHeld.next() : null;
        Waiting firstDue = due.peekFirst();
        if (first == null && firstDue == null) {
            return null;
        }
        givenUp++;
        if (firstDue != null && (first == null || firstDue.entry().id() < first.entry().id())) {
            due.removeFirst();
            return firstDue;
        }
        oldestHeld.remove();
        return first;
    }

    AuditState state() {
        lock.lock();
        try {
            return new AuditState(size(), notDurableSince, notDurableReason, givenUp);
        } finally {
            lock.unlock();
        }
    }

    void start(Workers workers) {
        SupervisedWorker started = workers.worker("audit-writer", new Loop());
        worker = started;
        started.start();
    }

    /** The writing thread's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitWork();
        }

        @Override
        public void perform() {
            boolean _ = writeDue();
        }
    }

    /** False when the writer is to end. */
    private boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (stopping && due.isEmpty()) {
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

    /** Time until something is to be done; for the writing thread, under the lock. */
    private long delayNanos() {
        Waiting oldest = due.peekFirst();
        long now = clock.nanoTime();
        if (oldest == null) {
            return partitions.delayNanos(clock.now(), now);
        }
        if (notDurableSince != null) {
            return retryNanos - now;
        }
        if (stopping || flushes > 0 || due.size() >= settings.batch()) {
            return 0;
        }
        return oldest.recordedNanos() + settings.linger().toNanos() - now;
    }

    /**
     * Writes due entries, if there are any, and looks after partitions once a day. For the writer's
     * thread; tests that do not start it call this instead.
     *
     * @return whether anything was due
     */
    boolean writeDue() {
        List<Waiting> batch = new ArrayList<>();
        lock.lock();
        try {
            if (delayNanos() > 0) {
                return false;
            }
            while (batch.size() < settings.batch() && !due.isEmpty()) {
                batch.add(due.removeFirst());
            }
            underWay = batch.size();
            if (due.isEmpty()) {
                // A burst must not leave an ever larger array behind.
                due = new ArrayDeque<>();
            }
        } finally {
            lock.unlock();
        }
        long started = clock.nanoTime();
        if (batch.isEmpty()) {
            maintainIfDue(clock.now(), started);
            return true;
        }
        // Until the store has answered: an error, which the thread's top frame counts and logs,
        // loses no entry.
        WriteOutcome outcome =
                new WriteOutcome.Unavailable("writing ended with an error; see the log");
        try {
            maintainIfDue(clock.now(), started);
            outcome =
                    rows.write(
                            batch.stream()
                                    .map(Waiting::entry)
                                    .sorted(Comparator.comparing(AuditEntry::position))
                                    .toList());
            Throwable bug = rows.bug();
            if (bug != null) {
                warnings.about("store failed", bug.toString(), bug);
            }
        } catch (RuntimeException e) {
            // A bug must neither end the writer nor lose its entries.
            warnings.about("writing failed", e.toString(), e);
            outcome = new WriteOutcome.Unavailable("writing failed: " + e);
        } finally {
            settle(batch, outcome, started);
        }
        return true;
    }

    /** Puts unwritten entries back and plans the next attempt. */
    private void settle(List<Waiting> batch, WriteOutcome outcome, long started) {
        long now = clock.nanoTime();
        lock.lock();
        try {
            underWay = 0;
            switch (outcome) {
                case WriteOutcome.Written written -> {
                    List<WriteOutcome.Rejected> refused = written.rejected();
                    meters.written(now - started, refused.size());
                    for (WriteOutcome.Rejected row : refused) {
                        warnings.about("entry refused", row.key() + ": " + row.reason());
                    }
                    if (notDurableSince != null) {
                        LOG.info("database available again, audit entries are written");
                        notDurableSince = null;
                        notDurableReason = null;
                    }
                    if (due.isEmpty()) {
                        givenUp = 0;
                    }
                    pause = retries.firstRetry();
                }
                case WriteOutcome.Unavailable(String reason) -> {
                    meters.unavailable();
                    batch.reversed().forEach(due::addFirst);
                    if (notDurableSince == null) {
                        notDurableSince = clock.now();
                        LOG.warn("database unavailable, audit entries wait in memory: {}", reason);
                    }
                    notDurableReason = reason;
                    retryNanos = now + pause.toNanos();
                    Duration doubled = pause.multipliedBy(2);
                    pause =
                            doubled.compareTo(retries.longestRetry()) > 0
                                    ? retries.longestRetry()
                                    : doubled;
                }
            }
            if (due.isEmpty()) {
                emptied.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds coming partitions and drops old ones, once a day. A wall clock that jumps to another day
     * may be outside of the existing partitions.
     */
    void maintainIfDue(Instant now, long nowNanos) {
        if (!partitions.isDue(now, nowNanos)) {
            return;
        }
        partitions.attempt(now, nowNanos); // entries are written after any exception
        try {
            AuditStore.Maintenance done =
                    store.maintain(
                            now, now.plus(settings.ahead()), now.minus(settings.retention()));
            partitions.succeeded(nowNanos);
            if (done.created() + done.dropped() > 0) {
                LOG.info("partitions created={} dropped={}", done.created(), done.dropped());
            }
        } catch (StoreUnavailable e) {
            // Entries are stored without maintenance; old entries stay a little longer.
            warnings.about("maintenance failed", String.valueOf(e.getMessage()));
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            warnings.about("maintenance failed", e.toString(), e);
        }
    }

    /**
     * Waits until everything that was due before is durable.
     *
     * @return false if it is not within the time
     */
    boolean flush(Duration patience) throws InterruptedException {
        long remaining = patience.toNanos();
        lock.lockInterruptibly();
        try {
            flushes++;
            news.signal();
            try {
                while (!due.isEmpty() || underWay > 0) {
                    if (remaining <= 0) {
                        return false;
                    }
                    remaining = emptied.awaitNanos(remaining);
                }
                return true;
            } finally {
                flushes--;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes due entries, as far as the database accepts them in time, and ends the thread. */
    void stop(Duration patience) {
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
        lock.lock();
        try {
            if (size() > 0) {
                LOG.warn(
                        "audit log stopped with {} entries that are not durable; the database: {}",
                        size(),
                        notDurableReason);
            }
        } finally {
            lock.unlock();
        }
    }
}
