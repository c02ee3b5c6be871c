package org.stillwater.core.host;

import org.jspecify.annotations.Nullable;

/**
 * Decided state of a host, which survives a restart of the engine.
 *
 * @param status present status
 * @param previous the status before it
 * @param nonOperational why it is {@link HostStatus#NON_OPERATIONAL}; {@link
 *     NonOperationalReason#NONE} in every other status
 * @param maintenanceReason reason given with the order of maintenance, null for none
 * @param episode grows each time the host becomes up, so that all trouble until then is one
 *     episode: with the host it is the idempotency key of the work left to commands
 * @param attempts how much repeated work was queued in this episode
 */
public record HostCondition(
        HostStatus status,
        HostStatus previous,
        NonOperationalReason nonOperational,
        @Nullable String maintenanceReason,
        long episode,
        int attempts) {

    /** A host that was just added. */
    public static final HostCondition NEW = of(HostStatus.UNASSIGNED);

    /** A host about which nothing but its status is known. */
    public static HostCondition of(HostStatus status) {
        return new HostCondition(status, status, NonOperationalReason.NONE, null, 0, 0);
    }

    /** The same in another status, for no reason but the status. */
    public HostCondition with(HostStatus next) {
        return new HostCondition(
                next, status, NonOperationalReason.NONE, maintenanceReason, episode, attempts);
    }

    /** The same, non-operational for this reason. */
    public HostCondition nonOperational(NonOperationalReason reason) {
        return new HostCondition(
                HostStatus.NON_OPERATIONAL,
                status == HostStatus.NON_OPERATIONAL ? previous : status,
                reason,
                maintenanceReason,
                episode,
                attempts);
    }

    /** The same with another reason for maintenance. */
    public HostCondition withMaintenanceReason(@Nullable String reason) {
        return new HostCondition(status, previous, nonOperational, reason, episode, attempts);
    }

    /** The same in a new episode, in which nothing was attempted yet. */
    public HostCondition inNextEpisode() {
        return new HostCondition(
                status, previous, nonOperational, maintenanceReason, episode + 1, 0);
    }

    /** The same after one more attempt. */
    public HostCondition withAttempt() {
        return new HostCondition(
                status, previous, nonOperational, maintenanceReason, episode, attempts + 1);
    }
}
