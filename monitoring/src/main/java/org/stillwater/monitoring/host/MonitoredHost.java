package org.stillwater.monitoring.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.id.HostId;

/**
 * One host as the parts of its monitor share it.
 *
 * @param services services that the monitors of all hosts share
 * @param mailbox messages to the host's own thread
 * @param schedule times of calls to the host; used by its own thread only
 * @param cadence adapts its interval; null where intervals do not adapt
 */
record MonitoredHost(
        HostId id,
        HostServices services,
        HostLogs logs,
        Mailbox mailbox,
        PollSchedule schedule,
        @Nullable HostCadence cadence) {

    /** How hosts are watched. */
    HostMonitorSettings settings() {
        return services.settings();
    }

    /** The monotonic clock, in nanoseconds. */
    long nanoTime() {
        return services.clock().nanoTime();
    }

    /**
     * Sends a message to the thread of this host or of another host; has no effect for an unknown
     * host.
     */
    void send(HostId where, HostMessage message) {
        if (where.equals(id)) {
            mailbox.post(message);
            return;
        }
        HostMonitor monitor = services.fleet().monitor(where);
        if (monitor != null) {
            monitor.tell(message);
        }
    }

    /** Records the core's audit events, within the limit of this host. */
    void audit(Decision.Audit audit) {
        logs.audits().record(audit.event(), audit.vmId(), audit.host(), audit.details());
    }
}
