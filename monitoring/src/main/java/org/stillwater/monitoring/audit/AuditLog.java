package org.stillwater.monitoring.audit;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEntry.Position;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * Records events for administrators: each event once, however often a host repeats it.
 *
 * <p>Recording is quick and never waits for the database: the entry is made under a short lock, is
 * in memory and on the change feed at once, in one order, and becomes durable behind the change
 * that caused it. Reads come from memory as long as memory has the requested entries. Thread-safe.
 */
public final class AuditLog implements AuditReader {

    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    /** Readers of the database at the same time: they must leave connections to the writers. */
    private static final int READERS = 2;

    /** The first second of 2026. */
    private static final long IDS_FROM_EPOCH_SECOND = 1_767_225_600L;

    private static final long IDS_PER_SECOND = 8;

    private static final Duration READER_PATIENCE = Duration.ofSeconds(5);

    /** Names of the subjects of entries. */
    public interface Names {

        /** The name of a VM, null if it is not known. */
        @Nullable String of(VmId vm);

        /** The name of a host, null if it is not known. */
        @Nullable String of(HostId host);
    }

    private final AuditSettings settings;
    private final AuditStore store;
    private final ChangeFeed feed;
    private final EngineClock clock;
    private final Names names;
    private final AuditMeters meters;
    private final AuditWriter writer;
    private final RecentEntries recent;
    private final Semaphore readers = new Semaphore(READERS, true);
    private final Object order = new Object();

    // Guarded by the order.
    private final FloodControl flood;
    private long lastId;

    /**
     * A log without entries.
     *
     * @param settings its limits
     * @param retries how an unavailable database is tried again
     * @param store where entries become durable
     * @param changes changes that entries wait for: each waits for the change that caused it
     * @param feed where entries are published
     * @param names names for the entries' texts
     */
    public AuditLog(
            AuditSettings settings,
            WriterSettings retries,
            AuditStore store,
            BatchWriter changes,
            ChangeFeed feed,
            EngineClock clock,
            Names names,
            MeterRegistry registry) {
        this.settings = settings;
        this.store = store;
        this.feed = feed;
        this.clock = clock;
        this.names = names;
        this.meters = new AuditMeters(registry);
        this.writer = new AuditWriter(settings, retries, store, changes, clock, meters);
        this.recent = new RecentEntries(settings.recent());
        this.flood = new FloodControl(settings.floodSubjects());
        this.lastId = firstId(clock.now());
    }

    /**
     * First id of an engine's life: greater than all ids of former lives, and small enough for
     * clients that keep ids in 31 bits until 2034 (REST specification §3.9). If a former life
     * recorded more than {@value #IDS_PER_SECOND} entries a second throughout, its durable entries
     * raise the first id ({@link #recover}).
     */
    private static long firstId(Instant now) {
        return Math.max(0, now.getEpochSecond() - IDS_FROM_EPOCH_SECOND) * IDS_PER_SECOND;
    }

    /**
     * Restores the newest entries and the flood control of the engine's last run, so that recent
     * events are not repeated.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void recover() throws StoreUnavailable {
        Instant now = clock.now();
        long nowNanos = clock.nanoTime();
        writer.maintainIfDue(now, nowNanos);
        List<AuditEntry> newest = store.newest(AuditFilter.ANY, null, settings.recent());
        recent.load(newest, newest.size() == settings.recent());
        synchronized (order) {
            for (AuditEntry entry : newest.reversed()) {
                lastId = Math.max(lastId, entry.id());
                Duration age = Duration.between(entry.at(), now);
                if (!age.isNegative() && age.compareTo(entry.event().flood()) < 0) {
                    flood.told(
                            entry.event(),
                            entry.vmId(),
                            entry.hostId(),
                            entry.event().partOf(entry.details()),
                            nowNanos - age.toNanos());
                }
            }
        }
    }

    /** Starts the writing thread. */
    public void start(Workers workers) {
        writer.start(workers);
    }

    /**
     * Records an event, unless flood control leaves it out. Call it after the change that caused it
     * was handed to the batch writer.
     *
     * @param event the event
     * @param vmId the VM it is about, null for none
     * @param hostId the host it is about, null for none
     * @param details values for the event's text, by name
     */
    public void record(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            Map<String, String> details) {
        AuditEntry _ = recorded(event, vmId, hostId, details);
    }

    /**
     * As {@link #record}.
     *
     * @return the entry; null if flood control left it out
     */
    public @Nullable AuditEntry recorded(
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable HostId hostId,
            Map<String, String> details) {
        String vmName = vmId == null ? null : names.of(vmId);
        String hostName = hostId == null ? null : names.of(hostId);
        AuditEntry entry;
        synchronized (order) {
            long nowNanos = clock.nanoTime();
            if (!flood.admits(event, vmId, hostId, event.partOf(details), nowNanos)) {
                meters.flooded();
                return null;
            }
            entry =
                    AuditEntry.of(
                            ++lastId, clock.now(), event, vmId, vmName, hostId, hostName, details);
            recent.add(entry);
            feed.audited(entry, nowNanos);
        }
        meters.recorded(event.severity());
        LOG.debug("audit event={} vm={} host={}: {}", event, vmId, hostId, entry.text());
        writer.keep(entry);
        return entry;
    }

    @Override
    public List<AuditEntry> newest(AuditFilter filter, @Nullable Position before, int limit)
            throws StoreUnavailable {
        RecentEntries.Found found = recent.find(filter, before, limit);
        Position floor = found.floor();
        Instant since = filter.since();
        if (floor == null
                || found.entries().size() == limit
                || (since != null && since.isAfter(floor.at()))) {
            return found.entries();
        }
        Position below = new Position(floor.at(), floor.id() + 1);
        List<AuditEntry> all = new ArrayList<>(found.entries());
        all.addAll(
                older(
                        filter,
                        before != null && before.compareTo(below) < 0 ? before : below,
                        limit - all.size()));
        return all;
    }

    private List<AuditEntry> older(AuditFilter filter, Position before, int limit)
            throws StoreUnavailable {
        boolean entered = false;
        try {
            entered = readers.tryAcquire(READER_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (!entered) {
                throw new StoreUnavailable(
                        "too many others read the audit log from the database",
                        new IllegalStateException("no place for another reader"));
            }
            return store.newest(filter, before, limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("interrupted while waiting for other readers", e);
        } finally {
            if (entered) {
                readers.release();
            }
        }
    }

    @Override
    public List<AuditEntry> recent() {
        return recent.find(AuditFilter.ANY, null, settings.recent()).entries();
    }

    /** State of the audit log. */
    public AuditState state() {
        return writer.state();
    }

    /**
     * Writes due entries, for tests that did not start the thread.
     *
     * @return whether anything was due
     */
    public boolean writeDue() {
        return writer.writeDue();
    }

    /**
     * Waits until every entry of a durable change is durable itself.
     *
     * @return false if it is not within the time
     */
    public boolean flush(Duration patience) throws InterruptedException {
        return writer.flush(patience);
    }

    /** Writes due entries, as far as the database accepts them in time, and ends the thread. */
    public void stop(Duration patience) {
        writer.stop(patience);
    }
}
