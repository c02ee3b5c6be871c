package org.stillwater.testkit.simulation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/**
 * The in-memory stores of one engine. They outlive the engine.
 *
 * @param hosts the hosts' table
 * @param vms the VMs' tables
 * @param devices the devices' tables
 * @param externalData data that VMs keep outside their disks
 * @param audit the audit log
 * @param jobs jobs of VMs
 * @param luns sizes of LUNs
 * @param numa NUMA nodes
 * @param statistics samples of VMs' numbers
 * @param clusters clusters and data centres
 * @param history history of VMs and hosts
 */
record SimulatedStores(
        InMemoryHostStore hosts,
        InMemoryVmStore vms,
        InMemoryDeviceStore devices,
        InMemoryExternalDataStore externalData,
        InMemoryAuditStore audit,
        InMemoryJobStore jobs,
        InMemoryLunStore luns,
        InMemoryNumaStore numa,
        InMemoryStatisticsStore statistics,
        InMemoryClusterStore clusters,
        InMemoryHistoryStore history) {

    static SimulatedStores fresh() {
        InMemoryVmStore vms = new InMemoryVmStore();
        InMemoryHostStore hosts = new InMemoryHostStore(vms);
        return new SimulatedStores(
                hosts,
                vms,
                new InMemoryDeviceStore(vms),
                new InMemoryExternalDataStore(vms),
                new InMemoryAuditStore(),
                new InMemoryJobStore(id -> savedStatus(vms, id)),
                new InMemoryLunStore(),
                new InMemoryNumaStore(),
                new InMemoryStatisticsStore(),
                new InMemoryClusterStore(hosts::refersTo),
                new InMemoryHistoryStore());
    }

    private static @Nullable VmStatus savedStatus(InMemoryVmStore vms, VmId id) {
        StoredVm stored = vms.vm(id);
        return stored == null ? null : stored.runtime().status();
    }

    /** As an engine takes them. */
    Stores ofEngine() {
        return new Stores(
                hosts,
                vms,
                devices,
                externalData,
                audit,
                jobs,
                luns,
                numa,
                statistics,
                clusters,
                history);
    }

    /** Statements so far, except those that keep house by the clock. */
    int calls() {
        return hosts.calls()
                + vms.calls()
                + devices.calls()
                + externalData.calls()
                + jobs.calls()
                + luns.calls()
                + numa.calls()
                + clusters.calls()
                + audit.calls()
                - audit.maintenances();
    }

    /** From now on no store can be reached; null ends it. */
    void unavailable(@Nullable String reason) {
        hosts.unavailable(reason);
        vms.unavailable(reason);
        audit.unavailable(reason);
        jobs.unavailable(reason);
        luns.unavailable(reason);
        numa.unavailable(reason);
        statistics.unavailable(reason);
        clusters.unavailable(reason);
        history.unavailable(reason);
    }
}
