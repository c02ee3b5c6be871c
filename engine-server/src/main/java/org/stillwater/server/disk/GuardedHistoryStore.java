package org.stillwater.server.disk;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * A store that writes no history while the disk is too full, as if the database were away:
 * intervals wait and are left out by the recorder's own rules. Reads continue, and so does the
 * removal of old history, which makes room. Thread-safe.
 */
public final class GuardedHistoryStore implements HistoryStore {

    private final HistoryStore store;
    private final Supplier<@Nullable String> stop;

    /**
     * A guarded store.
     *
     * @param stop why nothing may be written, null while it may
     */
    public GuardedHistoryStore(HistoryStore store, Supplier<@Nullable String> stop) {
        this.store = store;
        this.stop = stop;
    }

    private void requireRoom() throws StoreUnavailable {
        String reason = stop.get();
        if (reason != null) {
            throw new StoreUnavailable(reason, new IllegalStateException(reason));
        }
    }

    @Override
    public List<HistoryPoint> read(
            HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
            throws StoreUnavailable {
        return store.read(metric, id, tier, from, to);
    }

    @Override
    public Recorded write(Interval interval, Samples vms, Samples hosts) throws StoreUnavailable {
        requireRoom();
        return store.write(interval, vms, hosts);
    }

    @Override
    public Recorded writeHour(Interval hour, RollUps vms, RollUps hosts) throws StoreUnavailable {
        requireRoom();
        return store.writeHour(hour, vms, hosts);
    }

    @Override
    public void rollUpHour(Instant hour) throws StoreUnavailable {
        requireRoom();
        store.rollUpHour(hour);
    }

    @Override
    public void readPart(Instant from, Instant before, PartSink sink) throws StoreUnavailable {
        store.readPart(from, before, sink);
    }

    @Override
    public RolledUp rollUp(Instant before) throws StoreUnavailable {
        requireRoom();
        return store.rollUp(before);
    }

    @Override
    public Maintenance maintain(Instant from, Instant until, Retention retention)
            throws StoreUnavailable {
        return store.maintain(from, until, retention);
    }
}
