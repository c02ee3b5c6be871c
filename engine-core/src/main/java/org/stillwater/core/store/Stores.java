package org.stillwater.core.store;

/**
 * Everything that is durable, one store per subject.
 *
 * @param hosts hosts
 * @param vms VMs
 * @param devices devices of VMs
 * @param externalData TPM and NVRAM data of VMs
 * @param audit audit events
 * @param jobs jobs of VMs
 * @param luns LUNs that VMs use directly
 * @param numa NUMA nodes of hosts
 * @param statistics samples of VM statistics
 * @param clusters clusters and data centres
 * @param history history of VMs and hosts
 * @param tags tags of VMs and hosts
 */
public record Stores(
        HostStore hosts,
        VmStore vms,
        DeviceStore devices,
        ExternalDataStore externalData,
        AuditStore audit,
        JobStore jobs,
        LunStore luns,
        NumaStore numa,
        StatisticsStore statistics,
        ClusterStore clusters,
        HistoryStore history,
        TagStore tags) {

    /** Stores of an engine without tags. */
    public Stores(
            HostStore hosts,
            VmStore vms,
            DeviceStore devices,
            ExternalDataStore externalData,
            AuditStore audit,
            JobStore jobs,
            LunStore luns,
            NumaStore numa,
            StatisticsStore statistics,
            ClusterStore clusters,
            HistoryStore history) {
        this(
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
                history,
                NoTags.INSTANCE);
    }

    /** The same with another store of history. */
    public Stores withHistory(HistoryStore other) {
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
                other,
                tags);
    }
}
