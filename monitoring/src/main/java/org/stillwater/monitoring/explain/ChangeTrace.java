package org.stillwater.monitoring.explain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * The newest change of a state, and when it passed each stage. Applying and publishing are one step
 * under one lock.
 *
 * @param cause its cause
 * @param host the host with the report that led to it; null for none
 * @param hostName its name; null if it was removed, and for none
 * @param revision the revision of the change feed
 * @param observedAt when its cause arrived
 * @param appliedAt when it was applied; null for a state of the database
 * @param publishedAt when readers could see it
 * @param committedAt when the database took it; null until then, and for a state of the database
 * @param durable whether the database has it
 */
public record ChangeTrace(
        Cause cause,
        @Nullable HostId host,
        @Nullable String hostName,
        long revision,
        Instant observedAt,
        @Nullable Instant appliedAt,
        Instant publishedAt,
        @Nullable Instant committedAt,
        boolean durable) {

    /** Cause of changes. */
    public enum Cause {
        /** A report, or the silence, of a host. */
        HOST,
        /** A command or an operation. */
        COMMAND,
        /** The database at the start of the engine, or the definition of the object. */
        DATABASE
    }
}
