package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditFilter;

/** The durable audit log: appended to, read newest first, never changed. Thread-safe. */
public interface AuditStore {

    /**
     * Appends entries in one transaction. An entry that already exists is left unchanged, so a
     * batch with an unknown outcome may be handed in again.
     *
     * @param entries sorted by position, each once
     */
    WriteOutcome append(List<AuditEntry> entries);

    /**
     * Reads entries, newest first.
     *
     * @param filter which ones
     * @param before position before which entries are read, null for the newest
     * @param limit how many at most
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<AuditEntry> newest(AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
            throws StoreUnavailable;

    /**
     * Prepares storage for entries of a future time and drops entries that are too old. Entries of
     * other times are stored as well, only less efficiently; old entries may stay a little longer.
     *
     * @param from start of the time to make ready for
     * @param until its end
     * @param keepFrom entries from then on are kept, and those of as long a time before the
     *     database's own clock if that one is slower
     * @return the result
     * @throws StoreUnavailable if it cannot be done now
     */
    Maintenance maintain(Instant from, Instant until, Instant keepFrom) throws StoreUnavailable;

    /**
     * Result of maintenance.
     *
     * @param created partitions that were made
     * @param dropped partitions that were dropped with all their entries
     */
    record Maintenance(int created, int dropped) {}
}
