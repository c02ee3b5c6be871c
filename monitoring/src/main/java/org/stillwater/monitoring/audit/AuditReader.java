package org.stillwater.monitoring.audit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.store.StoreUnavailable;

/** Reads the audit log. Thread-safe. */
public interface AuditReader {

    /**
     * Entries, newest first; from memory if memory has all of them.
     *
     * @param filter selects entries
     * @param before only entries older than this position, null for the newest
     * @param limit the largest number of entries
     * @throws StoreUnavailable if memory does not suffice and the database cannot be read now
     */
    List<AuditEntry> newest(AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
            throws StoreUnavailable;

    /** The entries in memory, newest first; never reads the database. */
    List<AuditEntry> recent();
}
