package org.stillwater.ovirt.fleet;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmView;

/**
 * All data that the API shows, in memory. No method blocks, locks for long, or reads the database.
 * Thread-safe.
 */
public interface Fleet {

    /** The wall clock. */
    Instant now();

    /** Counter that shows whether anything changed; callers take it before they read. */
    Generation generation();

    /**
     * How often the content has changed; numbers that are equal mean that nothing did.
     *
     * @param revision states of VMs and hosts, and events
     * @param statistics numbers of VMs and hosts
     * @param definitions counter of changed definitions of VMs
     * @param clusters clusters and data centres
     * @param operations operations
     * @param pools pools and the users of their VMs
     * @param affinityGroups affinity groups and their VMs
     */
    record Generation(
            long revision,
            long statistics,
            long definitions,
            long clusters,
            long operations,
            long pools,
            long affinityGroups) {}

    /** Identities of all VMs, by name. */
    List<VmId> vms();

    /** A VM, or null. */
    @Nullable VmView vm(VmId id);

    /** A VM's numbers, or null. */
    @Nullable VmStatisticsView statistics(VmId id);

    /**
     * Specification that a VM is to be run with; null for a VM that was found on a host and that no
     * user has defined since, or if it is not in memory yet.
     */
    @Nullable VmSpecification specification(VmId id);

    /**
     * Definition of a VM's present run if its definition was changed since the run began; null if
     * it runs with its present definition, or does not run.
     */
    @Nullable RunDefinition running(VmView vm);

    /** When a VM was first recorded. */
    Instant created(VmId id);

    /** Which VMs start first: 0–100. */
    int priority(VmId id);

    /** The storage domain on which a VM has a lease; null for none, or if it is not read yet. */
    @Nullable UUID lease(VmId id);

    /** NUMA nodes with a VM's memory, as far as known. */
    List<VmNumaNode> numa(VmId id);

    /** Every host, by name. */
    List<HostView> hosts();

    /** A host, or null. */
    @Nullable HostView host(HostId id);

    /** Fence agents of a host, in the order in which they are tried; without secrets. */
    List<FenceAgent> fenceAgents(HostId id);

    /** Every cluster, by name. */
    List<Cluster> clusters();

    /** A cluster, or null. */
    @Nullable Cluster cluster(ClusterId id);

    /** Every data centre, by name. */
    List<DataCentre> dataCentres();

    /** The newest events, newest first; as many as memory keeps. */
    List<AuditEntry> events();

    /** Operations that are under way or ended lately, newest first. */
    List<Operation> operations();

    /** Such an operation, or null. */
    @Nullable Operation operation(UUID id);

    /** Every pool, by name. */
    List<VmPool> pools();

    /** The pool of a VM, or null. */
    @Nullable VmPool poolOf(VmId id);

    /** Tags, and which VMs and hosts have them. */
    TagRegistry tags();

    /** Every affinity group, by name. */
    List<AffinityGroup> affinityGroups();
}
