package org.stillwater.core.analysis.host;

import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;

/**
 * Further inputs of a decision about a host.
 *
 * @param nowNanos monotonic time
 * @param policy how patient the engine is
 * @param sinceEngineStartNanos how long the engine has been watching
 * @param vms VMs that the host is responsible for
 * @param leaseVms whether some of them have a storage lease
 * @param drained whether the host runs no VM, by its report with this very fact and by the engine's
 *     own state
 * @param storagePoolManager whether it manages the storage pool
 * @param powerManagement whether its power can be managed
 * @param fencing when hosts of its cluster may be fenced
 * @param silentPercent share of its cluster's watched hosts that are silent, this one included if
 *     it is, 0–100
 * @param migrateOnError which VMs leave a host of its cluster that becomes non-operational
 */
public record HostContext(
        long nowNanos,
        HostPolicy policy,
        long sinceEngineStartNanos,
        int vms,
        boolean leaseVms,
        boolean drained,
        boolean storagePoolManager,
        boolean powerManagement,
        FencingPolicy fencing,
        int silentPercent,
        MigrateOnError migrateOnError) {}
