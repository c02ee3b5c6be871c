package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/** Definitions in memory, beside the VMs that they are of. Thread-safe. */
public final class InMemoryDefinitionStore extends InMemoryStore implements DefinitionStore {

    /** When every VM was recorded. */
    public static final Instant CREATED = Instant.parse("2026-01-15T08:30:00Z");

    private final InMemoryVmStore vms;
    private final BiPredicate<ClusterId, ClusterId> oneDataCentre;
    private final Map<VmId, Definition> definitions = new HashMap<>();
    private final Map<VmId, RunDefinition> runs = new HashMap<>();
    private final Map<LeaseKey, VmLease> leases = new TreeMap<>();
    private final Map<UUID, AffinityGroup> groups = new TreeMap<>();
    private final Map<HostId, List<FenceAgent>> agents = new HashMap<>();

    /** Definitions of these VMs; all clusters are of one data centre. */
    public InMemoryDefinitionStore(InMemoryVmStore vms) {
        this(vms, (_, _) -> true);
    }

    /**
     * Definitions of these VMs.
     *
     * @param oneDataCentre whether two clusters are of one data centre
     */
    public InMemoryDefinitionStore(
            InMemoryVmStore vms, BiPredicate<ClusterId, ClusterId> oneDataCentre) {
        this.vms = vms;
        this.oneDataCentre = oneDataCentre;
    }

    /** Inserts a definition without counting it. */
    public synchronized void put(VmId vm, Definition definition) {
        definitions.put(vm, definition);
        vms.specifications()
                .define(vm, definition.problem() == null ? definition.specification() : null);
    }

    private @Nullable Definition definition(VmId vm) {
        StoredVm stored = vms.vm(vm);
        Definition known = definitions.get(vm);
        return stored == null
                ? null
                : known == null
                        ? new Definition(
                                stored.definition(), vms.specifications().of(vm), 0, null, null)
                        : known.problem() != null
                                ? known.of(stored.definition())
                                : new Definition(
                                        stored.definition(),
                                        vms.specifications().of(vm),
                                        known.priority(),
                                        known.lease(),
                                        known.savedMemory());
    }

    @Override
    public synchronized Map<VmId, Definition> load(Collection<VmId> wanted)
            throws StoreUnavailable {
        reach();
        Map<VmId, Definition> found = new HashMap<>();
        for (VmId vm : wanted) {
            Definition definition = definition(vm);
            if (definition != null) {
                found.put(vm, definition);
            }
        }
        return found;
    }

    @Override
    public synchronized void loadPriorities(BiConsumer<VmId, Integer> receiver)
            throws StoreUnavailable {
        reach();
        definitions.forEach((vm, definition) -> {
            if (definition.priority() != 0) {
                receiver.accept(vm, definition.priority());
            }
        });
    }

    @Override
    public synchronized void loadRecords(RecordReceiver receiver) throws StoreUnavailable {
        reach();
        Set<VmId> defined = vms.specifications().defined();
        definitions
                .keySet()
                .forEach(vm -> {
                    StoredVm stored = vms.vm(vm);
                    boolean found = stored != null && stored.definition().origin().isFound();
                    receiver.accept(vm, CREATED, !found || defined.contains(vm));
                });
    }

    @Override
    public synchronized boolean add(VmId vm, Definition definition) throws StoreUnavailable {
        reach();
        if (vms.vm(vm) != null) {
            return false;
        }
        refuseTaken(vm, definition);
        vms.put(new StoredVm(vm, definition.definition(), VmRuntime.INITIAL, VmPlacement.NOWHERE));
        definitions.put(vm, definition);
        vms.specifications().define(vm, definition.specification());
        return true;
    }

    @Override
    public synchronized boolean update(VmId vm, Definition definition) throws StoreUnavailable {
        reach();
        StoredVm stored = vms.vm(vm);
        if (stored == null) {
            return false;
        }
        refuseTaken(vm, definition);
        Definition before = definitions.get(vm);
        long generation = stored.placement().run().generation();
        if (run(stored) == null && stored.runtime().status().isInRun()) {
            runs.put(
                    vm,
                    RunDefinition.of(generation, stored.definition(), vms.specifications().of(vm)));
        }
        vms.specifications().define(vm, definition.specification());
        vms.put(new StoredVm(vm, definition.definition(), stored.runtime(), stored.placement()));
        definitions.put(
                vm,
                new Definition(
                        definition.definition(),
                        definition.specification(),
                        definition.priority(),
                        definition.lease(),
                        before == null ? null : before.savedMemory()));
        return true;
    }

    /** Run definition of a VM's present run. */
    private @Nullable RunDefinition run(StoredVm vm) {
        RunDefinition run = runs.get(vm.id());
        boolean counts =
                run != null
                        && vm.runtime().status().isInRun()
                        && vm.placement().run().generation() == run.generation();
        return counts ? run : null;
    }

    @Override
    public synchronized Map<VmId, RunDefinition> loadRuns(@Nullable Collection<VmId> wanted)
            throws StoreUnavailable {
        reach();
        Map<VmId, RunDefinition> found = new HashMap<>();
        for (VmId vm : wanted == null ? runs.keySet() : wanted) {
            StoredVm stored = vms.vm(vm);
            RunDefinition run = stored == null ? null : run(stored);
            if (run != null) {
                found.put(vm, run);
            }
        }
        return found;
    }

    @Override
    public synchronized void resumed(VmId vm) throws StoreUnavailable {
        reach();
        StoredVm stored = vms.vm(vm);
        RunDefinition run = runs.get(vm);
        if (stored != null && run != null) {
            long generation = stored.placement().run().generation();
            runs.put(vm, run.generation() == generation - 1 ? run.inRun(generation) : run);
        }
    }

    private void refuseTaken(VmId vm, Definition definition) {
        List<UUID> nics = definition.definition().nics().stream().map(VmNic::id).sorted().toList();
        for (UUID nic : nics) {
            VmId owner = vms.owner(nic);
            StoredVm other = owner == null || owner.equals(vm) ? null : vms.vm(owner);
            if (other != null) {
                throw new DefinitionTaken(
                        "the interface %s belongs to the VM %s"
                                .formatted(nic, other.definition().name()));
            }
        }
        String reason = owned(vm, definition);
        if (reason != null) {
            throw new DefinitionTaken(reason);
        }
    }

    @Override
    public synchronized @Nullable String taken(VmId vm, Definition definition)
            throws StoreUnavailable {
        reach();
        return owned(vm, definition);
    }

    /** A defined VM owns its name and addresses in its data centre. */
    private @Nullable String owned(VmId vm, Definition definition) {
        StoredVm before = vms.vm(vm);
        VmStatic next = definition.definition();
        for (VmId other : definitions.keySet()) {
            StoredVm owner = vms.vm(other);
            if (owner == null || other.equals(vm)) {
                continue;
            }
            VmStatic theirs = owner.definition();
            if (!oneDataCentre.test(theirs.cluster(), next.cluster())) {
                continue;
            }
            boolean renamed = before == null || !before.definition().name().equals(next.name());
            if (renamed && theirs.name().equals(next.name())) {
                return "there is already a VM " + next.name();
            }
            for (VmNic nic : next.nics()) {
                boolean had = before != null && before.definition().nicWithMac(nic.mac()) != null;
                if (!had && theirs.nicWithMac(nic.mac()) != null) {
                    return "the MAC address %s belongs to the VM %s"
                            .formatted(nic.mac(), theirs.name());
                }
            }
        }
        return null;
    }

    @Override
    public synchronized boolean remove(VmId vm) throws StoreUnavailable {
        reach();
        definitions.remove(vm);
        runs.remove(vm);
        return vms.remove(vm);
    }

    @Override
    public synchronized void saveMemory(Map<VmId, @Nullable String> volumes)
            throws StoreUnavailable {
        reach();
        volumes.forEach((vm, handle) -> {
            Definition known = definition(vm);
            if (known != null) {
                definitions.put(
                        vm,
                        new Definition(
                                known.definition(),
                                known.specification(),
                                known.priority(),
                                known.lease(),
                                handle));
            }
        });
    }

    @Override
    public synchronized Map<VmId, String> loadMemory() throws StoreUnavailable {
        reach();
        Map<VmId, String> found = new HashMap<>();
        definitions.forEach((vm, definition) -> {
            String handle = definition.savedMemory();
            if (handle != null && vms.vm(vm) != null) {
                found.put(vm, handle);
            }
        });
        return found;
    }

    /** A lease of a VM on a storage domain. */
    private record LeaseKey(VmId vm, UUID domain) implements Comparable<LeaseKey> {
        @Override
        public int compareTo(LeaseKey other) {
            int byVm = vm.compareTo(other.vm);
            return byVm == 0 ? domain.compareTo(other.domain) : byVm;
        }
    }

    @Override
    public synchronized List<VmLease> loadLeases() throws StoreUnavailable {
        reach();
        return List.copyOf(leases.values());
    }

    @Override
    public synchronized void saveLease(VmLease lease) throws StoreUnavailable {
        reach();
        leases.put(new LeaseKey(lease.vm(), lease.domain()), lease);
    }

    @Override
    public synchronized void removeLease(VmId vm, UUID domain) throws StoreUnavailable {
        reach();
        leases.remove(new LeaseKey(vm, domain));
    }

    @Override
    public synchronized List<AffinityGroup> loadAffinityGroups() throws StoreUnavailable {
        reach();
        return groups.values().stream().map(this::withPresentMembers).toList();
    }

    private AffinityGroup withPresentMembers(AffinityGroup group) {
        return group.withMembers(
                group.members().stream()
                        .filter(vm -> vms.vm(vm) != null)
                        .collect(Collectors.toSet()));
    }

    @Override
    public synchronized Saved save(AffinityGroup group) throws StoreUnavailable {
        reach();
        boolean taken =
                groups.values().stream()
                        .anyMatch(other ->
                                !other.id().equals(group.id())
                                        && other.cluster().equals(group.cluster())
                                        && other.name().equals(group.name()));
        if (taken) {
            return Saved.TAKEN;
        }
        groups.put(group.id(), withPresentMembers(group));
        return Saved.SAVED;
    }

    @Override
    public synchronized boolean removeAffinityGroup(UUID group) throws StoreUnavailable {
        reach();
        return groups.remove(group) != null;
    }

    @Override
    public synchronized List<FenceAgent> fenceAgents(HostId host) throws StoreUnavailable {
        reach();
        return agents.getOrDefault(host, List.of());
    }

    @Override
    public synchronized boolean saveFenceAgents(HostId host, List<FenceAgent> next)
            throws StoreUnavailable {
        reach();
        if (next.isEmpty()) {
            agents.remove(host);
        } else {
            agents.put(host, List.copyOf(next));
        }
        return true;
    }

    @Override
    public synchronized Set<HostId> hostsWithFenceAgents() throws StoreUnavailable {
        reach();
        return Set.copyOf(agents.keySet());
    }
}
