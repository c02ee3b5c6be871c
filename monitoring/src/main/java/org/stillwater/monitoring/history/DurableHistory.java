package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Durable history as questions see it.
 *
 * @param reader reads it; blocks
 * @param minute time between two samples of the finest tier
 * @param minutes how long these are kept
 * @param hours how long hours are kept
 * @param days how long days are kept
 */
public record DurableHistory(
        Reader reader, Duration minute, Duration minutes, Duration hours, Duration days) {

    /** The reading side of {@link org.stillwater.core.store.HistoryStore}. */
    @FunctionalInterface
    public interface Reader {

        /** As {@link org.stillwater.core.store.HistoryStore#read}. */
        List<HistoryPoint> read(
                HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
                throws StoreUnavailable;
    }

    Duration width(HistoryTier tier) {
        return tier == HistoryTier.MINUTE ? minute : tier.width();
    }

    Duration kept(HistoryTier tier) {
        return switch (tier) {
            case MINUTE -> minutes;
            case HOUR -> hours;
            case DAY -> days;
        };
    }
}
