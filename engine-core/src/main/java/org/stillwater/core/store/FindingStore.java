package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import org.stillwater.core.regression.Finding;

/** Findings of regressions, durable. Thread-safe. */
public interface FindingStore {

    /**
     * The findings that last, then those that ended; each by the time of detection, the newest
     * first.
     *
     * @param limit how many at most
     * @throws StoreUnavailable if the database does not answer now
     */
    List<Finding> newest(int limit) throws StoreUnavailable;

    /** Adds findings, or replaces those of the same identity. */
    WriteOutcome save(List<Finding> findings);

    /**
     * Removes findings that ended before a time; those that last stay.
     *
     * @return how many were removed
     * @throws StoreUnavailable if the database does not answer now
     */
    int removeEndedBefore(Instant time) throws StoreUnavailable;
}
