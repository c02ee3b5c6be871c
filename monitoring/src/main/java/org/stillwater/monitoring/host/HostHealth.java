package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostStatus;

/**
 * How the watching of one host fares.
 *
 * @param definition the host
 * @param status its status
 * @param since since when
 * @param reason why it is not up, null when there is nothing to say
 * @param lastPollAt when its last complete poll arrived, null before the first
 * @param pollOverdue whether two intervals have passed since then
 * @param complaints what went wrong and how often since the engine started, by subject
 * @param lastStall why its watching was begun anew last, null if it never was
 */
public record HostHealth(
        HostDefinition definition,
        HostStatus status,
        Instant since,
        @Nullable String reason,
        @Nullable Instant lastPollAt,
        boolean pollOverdue,
        Map<String, Long> complaints,
        @Nullable Stall lastStall) {

    public HostHealth {
        complaints = Map.copyOf(complaints);
    }

    /** Whether nothing is wrong now. */
    public boolean isWell() {
        return status == HostStatus.UP && lastPollAt != null && !pollOverdue;
    }
}
