package org.stillwater.monitoring;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;

/** The present names of VMs and hosts, for the audit log and log lines. Thread-safe. */
final class FleetNames implements AuditLog.Names {

    private final VmRegistry registry;
    private final WatchedHosts hosts;

    FleetNames(VmRegistry registry, WatchedHosts hosts) {
        this.registry = registry;
        this.hosts = hosts;
    }

    @Override
    public @Nullable String of(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? null : vm.definition().name();
    }

    @Override
    public @Nullable String of(HostId id) {
        HostState host = hosts.state(id);
        return host == null ? null : host.definition().name();
    }

    /** A VM's name and id; the id alone if the VM is unknown. */
    String label(VmId id) {
        String name = of(id);
        return name == null ? id.toString() : name + " (" + id + ")";
    }

    /** A host's name; its id if the host is unknown. */
    String label(HostId id) {
        String name = of(id);
        return name == null ? id.toString() : name;
    }
}
