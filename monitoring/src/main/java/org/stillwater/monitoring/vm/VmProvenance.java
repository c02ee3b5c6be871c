package org.stillwater.monitoring.vm;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Origin of the state of a VM in memory. Times are on the engine's monotonic clock unless they are
 * milliseconds since the epoch.
 *
 * @param report the newest accepted report; null before the first since the engine started
 * @param decodedEpochMillis when its message was decoded; 0 before the first
 * @param everChanged whether the state changed since the engine started
 * @param changedNanos when it changed last, was published in memory
 * @param changedBy the host with the report that changed it; null for a command
 * @param confirmedNanos when the last complete poll was requested by which its host runs it; null
 *     for none at its present host
 * @param committedEpochMillis when the database took the newest change; 0 for none since the engine
 *     started
 * @param held whether a command holds the VM, so that reports wait
 * @param parked reports that wait until the command ends
 */
public record VmProvenance(
        @Nullable Report report,
        long decodedEpochMillis,
        boolean everChanged,
        long changedNanos,
        @Nullable HostId changedBy,
        @Nullable Long confirmedNanos,
        long committedEpochMillis,
        boolean held,
        List<ParkedReport> parked) {

    /**
     * An accepted report.
     *
     * @param host the reporting host
     * @param poll whether it is a complete poll, else an event
     * @param stampMillis the host's own stamp, {@code VmReport.NO_STAMP} without one
     * @param requestedNanos when the poll was requested; of an event, when it arrived
     * @param receivedNanos when its message arrived
     */
    public record Report(
            @Nullable HostId host,
            boolean poll,
            long stampMillis,
            long requestedNanos,
            long receivedNanos) {}

    /** Whether no report was accepted since it was read. */
    boolean isOf(long newestEpochMillis) {
        return decodedEpochMillis == newestEpochMillis;
    }
}
