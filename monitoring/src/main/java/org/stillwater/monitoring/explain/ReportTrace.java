package org.stillwater.monitoring.explain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * The report that a value comes from, and when it passed each stage.
 *
 * @param kind which report
 * @param host the reporting host
 * @param hostName its name; null if the host was removed
 * @param hostStampMillis the host's own stamp: milliseconds of its monotonic clock, comparable
 *     within one boot of the host only; null without one
 * @param requestedAt when the engine requested it; null for an event
 * @param receivedAt when its message arrived; null if only the decoding is known
 * @param decodedAt when its message was decoded and applied
 */
public record ReportTrace(
        Kind kind,
        @Nullable HostId host,
        @Nullable String hostName,
        @Nullable Long hostStampMillis,
        @Nullable Instant requestedAt,
        @Nullable Instant receivedAt,
        Instant decodedAt) {

    /** Kinds of reports. */
    public enum Kind {
        /** The answer to a complete poll of a host's VMs. */
        POLL,
        /** An event that a host sent by itself. */
        EVENT,
        /** A poll or an event with statistics of the VM. */
        SAMPLE,
        /** The answer to a host's capabilities. */
        CAPABILITIES,
        /** The answer to a host's statistics. */
        STATISTICS
    }
}
