package org.stillwater.monitoring;

import java.util.List;
import org.stillwater.monitoring.audit.AuditState;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.write.WriterState;

/**
 * How monitoring fares, for health checks.
 *
 * @param running whether it was started and not stopped
 * @param hosts number of hosts
 * @param hostsUp how many of them are up
 * @param unwell the hosts with which something is wrong, by name
 * @param refusedHosts hosts of the settings whose address and port another host has, each as a
 *     sentence with the reason
 * @param writer how the batch writer fares
 * @param audit how the audit log fares
 */
public record MonitoringHealth(
        boolean running,
        int hosts,
        int hostsUp,
        List<HostHealth> unwell,
        List<String> refusedHosts,
        WriterState writer,
        AuditState audit) {

    public MonitoringHealth {
        unwell = List.copyOf(unwell);
        refusedHosts = List.copyOf(refusedHosts);
    }

    /** Whether changes reach the database. */
    public boolean isDurable() {
        return writer.notDurableSince() == null;
    }
}
