package org.stillwater.monitoring.host;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.monitoring.feed.HostState;

/**
 * Origin of the state of a host in memory. Times are on the engine's monotonic clock unless they
 * are instants or milliseconds since the epoch.
 *
 * @param state the known state
 * @param health the state of its monitoring
 * @param polledAt when its last complete poll was analysed; null before the first
 * @param pollRequestedNanos when that poll was requested; meaningless before the first
 * @param pollReceivedNanos when that poll arrived; meaningless before the first
 * @param statisticsAt when its statistics arrived; null before the first
 * @param capabilitiesEpochMillis when its capabilities were read; 0 before the first
 * @param waiting messages that wait for its thread
 * @param oldestReportNanos when the oldest of the waiting reports about VMs arrived; null for none
 * @param committedEpochMillis when the database took its newest change; 0 for none since the engine
 *     started
 * @param interval time between two complete polls
 * @param refresh time between two attempts while it is out of contact
 */
public record HostProvenance(
        HostState state,
        HostHealth health,
        @Nullable Instant polledAt,
        long pollRequestedNanos,
        long pollReceivedNanos,
        @Nullable Instant statisticsAt,
        long capabilitiesEpochMillis,
        int waiting,
        @Nullable Long oldestReportNanos,
        long committedEpochMillis,
        Duration interval,
        Duration refresh) {

    /** Its name. */
    public String name() {
        return state.definition().name();
    }
}
