package org.stillwater.core.port;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.model.HistoryMetric;
import org.stillwater.core.model.HistoryPoint;
import org.stillwater.core.model.HistoryTier;

/**
 * Durable history of VMs and hosts. Its connections are its own: however slow it is, it delays
 * nothing else. Thread-safe; calls block.
 */
public interface HistoryStore {

    /**
     * One number over a time, oldest first. A time without a point is one of which nothing is
     * known.
     *
     * @param id the VM or host that the metric's subject names
     * @param from inclusive
     * @param to exclusive
     * @throws StoreUnavailable if the database cannot be asked now
     */
    List<HistoryPoint> read(
            HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
            throws StoreUnavailable;
}
