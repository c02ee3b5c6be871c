package org.stillwater.monitoring;

import java.util.List;
import org.stillwater.monitoring.audit.AuditState;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.write.WriterState;

/**
 * State of monitoring, for health checks.
 *
 * @param running whether it was started and not stopped
 * @param hosts number of hosts
 * @param hostsUp how many of them are up
 * @param unwell the hosts with which something is wrong, by name
 * @param refusedHosts hosts of the settings with the address and port of another host, each as a
 *     sentence with the reason
 * @param writer state of the batch writer
 * @param audit state of the audit log
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
