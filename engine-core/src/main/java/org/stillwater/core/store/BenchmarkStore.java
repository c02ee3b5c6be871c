package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkRun;

/** Runs of the benchmark, durable. Thread-safe. */
public interface BenchmarkStore {

    /**
     * The newest runs by the time at which they began, the newest first.
     *
     * @param limit how many at most
     * @throws StoreUnavailable if the database does not answer now
     */
    List<BenchmarkRun> newest(int limit) throws StoreUnavailable;

    /**
     * The run of an identity, or null.
     *
     * @throws StoreUnavailable if the database does not answer now
     */
    @Nullable BenchmarkRun find(UUID id) throws StoreUnavailable;

    /**
     * Adds a run.
     *
     * @return false if there is one of this identity, which stays unchanged
     * @throws StoreUnavailable if the database does not answer now; nothing is added then
     */
    boolean add(BenchmarkRun run) throws StoreUnavailable;

    /**
     * Removes a run.
     *
     * @return false if there is none of this identity
     * @throws StoreUnavailable if the database does not answer now
     */
    boolean remove(UUID id) throws StoreUnavailable;

    /**
     * Removes runs that began before a time.
     *
     * @return how many were removed
     * @throws StoreUnavailable if the database does not answer now
     */
    int removeBefore(Instant time) throws StoreUnavailable;
}
