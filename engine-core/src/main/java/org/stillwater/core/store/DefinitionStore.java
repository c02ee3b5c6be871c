package org.stillwater.core.store;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;

/**
 * Durable definitions of VMs in full: the data that runs them, which monitoring never reads, and
 * the groups that they belong to. Every method is one transaction with a number of statements that
 * does not depend on the number of VMs. Thread-safe.
 */
public interface DefinitionStore {

    /**
     * A VM as it is to be run.
     *
     * @param definition the members that monitoring knows too
     * @param specification everything else; null for a VM that was found and not read from its host
     *     yet, or that was defined before specifications were kept
     * @param priority those with more are started first, 0–100
     * @param lease the storage domain of its lease, null for none
     * @param savedMemory where its memory is while it is suspended, as its host expects it: pool,
     *     domain, image and volume of memory and of configuration; null if it has none
     * @param unreadable why the stored specification cannot be read; null if it can, or if there is
     *     none
     */
    record Definition(
            VmStatic definition,
            @Nullable VmSpecification specification,
            int priority,
            @Nullable UUID lease,
            @Nullable String savedMemory,
            @Nullable String unreadable) {

        /** A definition that can be read. */
        public Definition(
                VmStatic definition,
                @Nullable VmSpecification specification,
                int priority,
                @Nullable UUID lease,
                @Nullable String savedMemory) {
            this(definition, specification, priority, lease, savedMemory, null);
        }

        /**
         * Everything else; null for a VM that was found, or that was defined before specifications
         * were kept.
         *
         * @throws Unreadable if there is one that cannot be read: no caller may take such a VM for
         *     one without devices
         */
        @Override
        public @Nullable VmSpecification specification() {
            if (unreadable != null) {
                throw new Unreadable(unreadable);
            }
            return specification;
        }

        /** Why operations that need the specification are refused, one sentence; null if not. */
        public @Nullable String problem() {
            return unreadable == null ? null : Unreadable.message(unreadable);
        }

        /** The same with other members of monitoring. */
        public Definition of(VmStatic other) {
            return new Definition(other, specification, priority, lease, savedMemory, unreadable);
        }
    }

    /** The stored specification of a VM cannot be read; nothing that needs it can be done. */
    final class Unreadable extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        /** With the reason, one clause. */
        public Unreadable(String reason) {
            super(message(reason));
        }

        private static String message(String reason) {
            return "the VM's stored specification cannot be read: " + reason;
        }
    }

    /**
     * The definitions of these VMs; those that do not exist are left out.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<VmId, Definition> load(Collection<VmId> vms) throws StoreUnavailable;

    /**
     * VMs with a stored specification that could not be read when it was read last, with the
     * reason.
     */
    default Map<VmId, String> unreadable() {
        return Map.of();
    }

    /**
     * Streams the priorities that are not 0.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadPriorities(BiConsumer<VmId, Integer> receiver) throws StoreUnavailable;

    /** Takes what {@link #loadRecords} reads of one VM. */
    @FunctionalInterface
    interface RecordReceiver {
        /**
         * One VM.
         *
         * @param created when it was first recorded, null if that is unknown
         * @param defined whether its specification is that of a user; false while it follows the
         *     host on which it was found, and if it has none
         */
        void accept(VmId vm, @Nullable Instant created, boolean defined);
    }

    /**
     * Streams when each VM was first recorded, and whether a user defined it.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadRecords(RecordReceiver receiver) throws StoreUnavailable;

    /**
     * Adds a VM that is down, with its interfaces.
     *
     * @return false, changing nothing, if its id is taken
     * @throws IllegalArgumentException if it cannot be kept as it is: its cluster is not there, or
     *     an interface has the identity of another VM's
     * @throws DefinitionTaken if its name or a MAC address belongs to another VM of its data centre
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean add(VmId vm, Definition definition) throws StoreUnavailable;

    /**
     * Replaces a VM's definition; its saved memory stays. The definition at the begin of a VM's
     * present run is kept for as long as that run, see {@link #loadRuns}.
     *
     * @return false if there is no such VM
     * @throws IllegalArgumentException if it cannot be kept as it is: its cluster is not there, or
     *     an interface has the identity of another VM's
     * @throws DefinitionTaken if its name or a MAC address belongs to another VM of its data centre
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean update(VmId vm, Definition definition) throws StoreUnavailable;

    /**
     * Run definitions of VMs that were changed since their run began. A VM that is down has none,
     * and neither has one with the definition of its run's begin.
     *
     * @param vms the VMs; null for all
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<VmId, RunDefinition> loadRuns(@Nullable Collection<VmId> vms) throws StoreUnavailable;

    /**
     * A VM that was suspended continues: its earlier run definition counts for its new run too.
     * Idempotent.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    void resumed(VmId vm) throws StoreUnavailable;

    /**
     * Value of a definition that belongs to another VM of the data centre: its name, or a MAC
     * address. VMs that were found on hosts own no value, and a VM may keep a value that it had
     * before this rule.
     *
     * @param vm the VM, which may be there or not
     * @return one clause for people; null if there is none
     * @throws StoreUnavailable if the database cannot be read now
     */
    @Nullable String taken(VmId vm, Definition definition) throws StoreUnavailable;

    /**
     * Removes a VM, with everything that is kept of it.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean remove(VmId vm) throws StoreUnavailable;

    /**
     * Saves the locations of VMs' saved memory, or that they no longer have any.
     *
     * @param volumes null values for none
     * @throws StoreUnavailable if the database cannot be written now
     */
    void saveMemory(Map<VmId, @Nullable String> volumes) throws StoreUnavailable;

    /**
     * Handles of memory volumes that exist or may exist: of suspended VMs, and of VMs with volumes
     * that are not known to be removed.
     *
     * @return by VM, as saved
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<VmId, String> loadMemory() throws StoreUnavailable;

    /**
     * Leases that exist on storage, or may exist: also those of removed VMs.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<VmLease> loadLeases() throws StoreUnavailable;

    /**
     * Adds the lease of a VM on a storage domain, or replaces it. The VM need not be there.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    void saveLease(VmLease lease) throws StoreUnavailable;

    /**
     * A lease is no longer on storage. Doing it again changes nothing.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    void removeLease(VmId vm, UUID domain) throws StoreUnavailable;

    /**
     * Every affinity group with its members.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<AffinityGroup> loadAffinityGroups() throws StoreUnavailable;

    /**
     * Adds an affinity group, or replaces the one of its id. Members that do not exist are left
     * out.
     *
     * @return {@link ClusterStore.Saved#TAKEN} if another one of its cluster has its name, {@link
     *     ClusterStore.Saved#UNKNOWN} if there is no such cluster
     * @throws StoreUnavailable if the database cannot be written now
     */
    ClusterStore.Saved save(AffinityGroup group) throws StoreUnavailable;

    /**
     * Removes an affinity group.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean removeAffinityGroup(UUID group) throws StoreUnavailable;

    /**
     * How a host's power is switched, in the order in which its agents are to be tried.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<FenceAgent> fenceAgents(HostId host) throws StoreUnavailable;

    /**
     * Replaces how a host's power is switched.
     *
     * @return false if there is no such host
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean saveFenceAgents(HostId host, List<FenceAgent> agents) throws StoreUnavailable;

    /**
     * Hosts with at least one fence agent.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    Set<HostId> hostsWithFenceAgents() throws StoreUnavailable;
}
