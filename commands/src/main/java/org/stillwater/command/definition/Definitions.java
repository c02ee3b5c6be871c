package org.stillwater.command.definition;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;

/**
 * Data of definitions that commands keep in memory: priorities of VMs that have one, run
 * definitions of VMs with a definition changed since the start of the run, and affinity groups.
 * Other data is read when a VM starts. Thread-safe.
 */
public final class Definitions {

    private final DefinitionStore store;
    private final Map<VmId, Integer> priorities = new ConcurrentHashMap<>();
    private final Map<VmId, RunDefinition> runs = new ConcurrentHashMap<>();
    private final List<BiConsumer<VmId, DefinitionStore.Definition>> followers =
            new CopyOnWriteArrayList<>();
    private volatile Map<UUID, AffinityGroup> groups = Map.of();
    private final AtomicLong groupChanges = new AtomicLong();

    /** Empty before {@link #recover}. */
    public Definitions(DefinitionStore store) {
        this.store = store;
    }

    /** Reads the definitions that memory keeps. */
    public void recover() throws StoreUnavailable {
        Map<VmId, Integer> found = new HashMap<>();
        store.loadPriorities(found::put);
        priorities.putAll(found);
        runs.putAll(store.loadRuns(null));
        Map<UUID, AffinityGroup> all = new HashMap<>();
        store.loadAffinityGroups().forEach(group -> all.put(group.id(), group));
        replaceGroups(all);
    }

    /** Those with more are started first. */
    public int priority(VmId vm) {
        return priorities.getOrDefault(vm, 0);
    }

    /**
     * Definition of a VM's present run if the VM's definition was changed since the run began; null
     * if it runs with its present definition, or does not run.
     */
    public @Nullable RunDefinition running(VmId vm, VmState state) {
        RunDefinition run = runs.get(vm);
        if (run == null) {
            return null;
        }
        long generation = state.placement().run().generation();
        if (state.runtime().status().isInRun()) {
            return generation == run.generation() ? run : null;
        }
        if (generation >= run.generation()) {
            runs.remove(vm, run); // its run is over: it does not come again
        }
        return null;
    }

    /** A VM's definition with the memory and CPUs that it has while it runs. */
    public VmStatic asItRuns(VmView vm) {
        RunDefinition run = running(vm.id(), vm.state());
        return run == null ? vm.definition() : run.over(vm.definition());
    }

    /** VMs with a definition changed since their run began, and perhaps a few others. */
    public Set<VmId> changedInRun() {
        return Set.copyOf(runs.keySet());
    }

    /**
     * Reads a VM's run definition again, which may have changed in the database; waits for the
     * database.
     */
    void readRun(VmId vm) throws StoreUnavailable {
        RunDefinition run = store.loadRuns(List.of(vm)).get(vm);
        if (run == null) {
            runs.remove(vm);
        } else {
            runs.put(vm, run);
        }
    }

    /** A suspended VM continues with its earlier run definition; waits for the database. */
    public void resumed(VmId vm) throws StoreUnavailable {
        store.resumed(vm);
        readRun(vm);
    }

    /** Every affinity group, in no order. */
    public List<AffinityGroup> groups() {
        return List.copyOf(groups.values());
    }

    /** The groups to which one of these VMs belongs. */
    public List<AffinityGroup> groupsOf(Set<VmId> vms) {
        return groups.values().stream()
                .filter(group -> group.members().stream().anyMatch(vms::contains))
                .toList();
    }

    /** Adds a group or replaces the one of its id. */
    public synchronized Saved save(AffinityGroup group) throws StoreUnavailable {
        Saved saved = store.save(group);
        if (saved == Saved.SAVED) {
            Map<UUID, AffinityGroup> next = new HashMap<>(groups);
            next.put(group.id(), group);
            replaceGroups(next);
        }
        return saved;
    }

    private void replaceGroups(Map<UUID, AffinityGroup> next) {
        groups = Map.copyOf(next);
        groupChanges.incrementAndGet(); // after the change: readers take the number first
    }

    /** Grows with every change of affinity groups. */
    public long groupChanges() {
        return groupChanges.get();
    }

    /** Removes a group; whether there was one. */
    public synchronized boolean removeGroup(UUID id) throws StoreUnavailable {
        boolean removed = store.removeAffinityGroup(id);
        Map<UUID, AffinityGroup> next = new HashMap<>(groups);
        next.remove(id);
        replaceGroups(next);
        return removed;
    }

    /**
     * From now on this follower receives each definition that an operation has recorded, before the
     * operation ends: a client that has seen the end finds the definition. It is called on the
     * deciding thread; it must not block or throw.
     */
    public void follow(BiConsumer<VmId, DefinitionStore.Definition> follower) {
        followers.add(follower);
    }

    /** Removes the follower. */
    public void unfollow(BiConsumer<VmId, DefinitionStore.Definition> follower) {
        followers.remove(follower);
    }

    /** The database has a VM's new definition. */
    void recorded(VmId vm, DefinitionStore.Definition definition) {
        int priority = definition.priority();
        if (priority == 0) {
            priorities.remove(vm);
        } else {
            priorities.put(vm, priority);
        }
        followers.forEach(follower -> follower.accept(vm, definition));
    }

    /** A VM was removed. */
    public synchronized void forget(VmId vm) {
        priorities.remove(vm);
        runs.remove(vm);
        if (groups.values().stream().noneMatch(group -> group.members().contains(vm))) {
            return;
        }
        Map<UUID, AffinityGroup> next = new HashMap<>(groups);
        next.replaceAll((_, group) -> {
            Set<VmId> members = new HashSet<>(group.members());
            members.remove(vm);
            return group.withMembers(members);
        });
        replaceGroups(next);
    }

    /** The definitions of these VMs in full; waits for the database. */
    public Map<VmId, DefinitionStore.Definition> load(Collection<VmId> vms)
            throws StoreUnavailable {
        return store.load(vms);
    }

    public DefinitionStore store() {
        return store;
    }
}
