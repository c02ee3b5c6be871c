package org.stillwater.monitoring.host;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.trust.HostTrust;

/**
 * One host as a reader sees it.
 *
 * @param state the known state
 * @param connected whether a connection stands
 * @param statistics its last numbers, null before the first
 * @param statisticsAt when they arrived
 * @param usage how busy they show it to be
 * @param lastPollAt when its last complete poll arrived, null before the first
 * @param vms number of VMs it is responsible for
 * @param committedMemoryMebibytes memory of its VMs when they use all they have, its own overhead
 *     included (monitoring specification §3.3)
 * @param trust the known data of its certificate
 */
public record HostView(
        HostState state,
        boolean connected,
        @Nullable HostStatistics statistics,
        @Nullable Instant statisticsAt,
        HostUsage usage,
        @Nullable Instant lastPollAt,
        int vms,
        long committedMemoryMebibytes,
        HostTrust trust) {

    /** The same host, defined otherwise since. */
    public HostView redefined(HostDefinition next) {
        return new HostView(
                state.withDefinition(next),
                connected,
                statistics,
                statisticsAt,
                usage,
                lastPollAt,
                vms,
                committedMemoryMebibytes,
                trust);
    }
}
