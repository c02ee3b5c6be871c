package org.stillwater.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.Belief;

/** Transitions in memory. Thread-safe. */
public final class InMemoryBeliefStore extends InMemoryStore implements BeliefStore {

    private final Map<List<Object>, Row> stored = new LinkedHashMap<>();
    private Instant roomFrom = Instant.MAX;
    private Instant roomUntil = Instant.MIN;

    /** Every row, in the order of writing. */
    public synchronized List<Row> all() {
        return List.copyOf(stored.values());
    }

    /** Begin of the time that room was last made for. */
    public synchronized Instant roomFrom() {
        return roomFrom;
    }

    /** End of the time that room was last made for. */
    public synchronized Instant roomUntil() {
        return roomUntil;
    }

    @Override
    public synchronized WriteOutcome append(List<Row> added) {
        WriteOutcome.Unavailable refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int before = stored.size();
        for (Row row : added) {
            stored.putIfAbsent(
                    List.of(row.subject(), row.id(), row.belief().at(), row.revision()), row);
        }
        return touched(stored.size() - before);
    }

    @Override
    public synchronized List<Belief> newest(Subject subject, UUID id, Instant until, int limit)
            throws StoreUnavailable {
        reach();
        return stored.values().stream()
                .filter(row -> row.subject() == subject && row.id().equals(id))
                .filter(row -> !row.belief().at().isAfter(until))
                .sorted(
                        Comparator.comparing((Row row) -> row.belief().at())
                                .thenComparingLong(Row::revision)
                                .reversed())
                .limit(limit)
                .map(Row::belief)
                .toList();
    }

    @Override
    public synchronized Maintenance maintain(Instant from, Instant until, Duration retention)
            throws StoreUnavailable {
        reach();
        roomFrom = from;
        roomUntil = until;
        int before = stored.size();
        stored.values().removeIf(row -> row.belief().at().isBefore(from.minus(retention)));
        return new Maintenance(0, before - stored.size());
    }
}
