package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.core.store.StoreUnavailable;

/** Benchmark runs in memory. Thread-safe. */
public final class InMemoryBenchmarkStore extends InMemoryStore implements BenchmarkStore {

    private final Map<UUID, BenchmarkRun> stored = new LinkedHashMap<>();

    @Override
    public synchronized List<BenchmarkRun> newest(int limit) throws StoreUnavailable {
        reach();
        return stored.values().stream()
                .sorted(BenchmarkRun.OLDEST_FIRST.reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized @Nullable BenchmarkRun find(UUID id) throws StoreUnavailable {
        reach();
        return stored.get(id);
    }

    @Override
    public synchronized boolean add(BenchmarkRun run) throws StoreUnavailable {
        reach();
        return stored.putIfAbsent(run.id(), run) == null;
    }

    @Override
    public synchronized boolean remove(UUID id) throws StoreUnavailable {
        reach();
        return stored.remove(id) != null;
    }

    @Override
    public synchronized int removeBefore(Instant time) throws StoreUnavailable {
        reach();
        int before = stored.size();
        stored.values().removeIf(run -> run.startedAt().isBefore(time));
        return before - stored.size();
    }
}
