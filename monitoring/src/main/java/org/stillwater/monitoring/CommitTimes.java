package org.stillwater.monitoring;

import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.host.Fleet;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.write.BatchWriter;

/** Notes at each VM and host when the database took its newest change. Thread-safe. */
final class CommitTimes implements BatchWriter.Commits {

    private final VmRegistry registry;
    private final Fleet fleet;

    CommitTimes(VmRegistry registry, Fleet fleet) {
        this.registry = registry;
        this.fleet = fleet;
    }

    @Override
    public void committed(VmId id, long epochMillis) {
        VmManager vm = registry.find(id);
        if (vm != null) {
            vm.committed(epochMillis);
        }
    }

    @Override
    public void committed(HostId id, long epochMillis) {
        HostMonitor monitor = fleet.monitor(id);
        if (monitor != null) {
            monitor.committed(epochMillis);
        }
    }
}
