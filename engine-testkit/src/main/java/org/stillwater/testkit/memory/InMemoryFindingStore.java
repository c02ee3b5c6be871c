package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Findings in memory. Thread-safe. */
public final class InMemoryFindingStore extends InMemoryStore implements FindingStore {

    private final Map<UUID, Finding> stored = new LinkedHashMap<>();

    @Override
    public synchronized List<Finding> newest(int limit) throws StoreUnavailable {
        reach();
        return stored.values().stream()
                .sorted(
                        Comparator.comparing(Finding::isOpen)
                                .thenComparing(Finding::detectedAt)
                                .reversed()
                                .thenComparing(Finding::id))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized WriteOutcome save(List<Finding> findings) {
        WriteOutcome.Unavailable refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        findings.forEach(finding -> stored.put(finding.id(), finding));
        return touched(findings.size());
    }

    @Override
    public synchronized int removeEndedBefore(Instant time) throws StoreUnavailable {
        reach();
        int before = stored.size();
        stored.values()
                .removeIf(finding -> finding.endedAt() != null && finding.endedAt().isBefore(time));
        return before - stored.size();
    }
}
