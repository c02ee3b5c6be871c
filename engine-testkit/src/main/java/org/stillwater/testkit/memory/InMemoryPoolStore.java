package org.stillwater.testkit.memory;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;

/** Pools in memory, beside the VMs that are in them. Knows no clusters. Thread-safe. */
public final class InMemoryPoolStore extends InMemoryStore implements PoolStore {

    private final InMemoryVmStore vms;
    private final Map<UUID, VmPool> pools = new TreeMap<>();

    /** Pools of these VMs. */
    public InMemoryPoolStore(InMemoryVmStore vms) {
        this.vms = vms;
    }

    @Override
    public synchronized List<VmPool> load() throws StoreUnavailable {
        reach();
        return pools.values().stream().map(pool -> pool.with(present(pool))).toList();
    }

    private NavigableMap<VmId, @Nullable String> present(VmPool pool) {
        NavigableMap<VmId, @Nullable String> members = new TreeMap<>(pool.members());
        members.keySet().removeIf(vm -> vms.vm(vm) == null);
        return members;
    }

    @Override
    public synchronized Saved save(VmPool pool, @Nullable List<VmId> members)
            throws StoreUnavailable {
        reach();
        boolean taken =
                pools.values().stream()
                        .anyMatch(other ->
                                !other.id().equals(pool.id()) && other.name().equals(pool.name()));
        if (taken) {
            return Saved.TAKEN;
        }
        VmPool before = pools.get(pool.id());
        NavigableMap<VmId, @Nullable String> kept =
                new TreeMap<>(before == null ? new TreeMap<>() : before.members());
        if (members != null) {
            kept.keySet().retainAll(members);
        }
        pools.put(pool.id(), pool.with(kept));
        if (members != null) {
            put(pool.id(), members);
        }
        return Saved.SAVED;
    }

    @Override
    public synchronized boolean remove(UUID pool) throws StoreUnavailable {
        reach();
        return pools.remove(pool) != null;
    }

    @Override
    public synchronized int addMembers(UUID pool, List<VmId> added) throws StoreUnavailable {
        reach();
        return put(pool, added);
    }

    private int put(UUID pool, List<VmId> added) {
        VmPool to = pools.get(pool);
        if (to == null) {
            return 0;
        }
        NavigableMap<VmId, @Nullable String> members = new TreeMap<>(to.members());
        for (VmId vm : added) {
            if (vms.vm(vm) != null && poolOf(vm) == null) {
                members.put(vm, null);
            }
        }
        pools.put(pool, to.with(members));
        return members.size() - to.members().size();
    }

    private @Nullable VmPool poolOf(VmId vm) {
        return pools.values().stream()
                .filter(pool -> pool.members().containsKey(vm))
                .findFirst()
                .orElse(null);
    }

    @Override
    public synchronized void removeMembers(UUID pool, List<VmId> removed) throws StoreUnavailable {
        reach();
        VmPool from = pools.get(pool);
        if (from != null) {
            NavigableMap<VmId, @Nullable String> members = new TreeMap<>(from.members());
            removed.forEach(members::remove);
            pools.put(pool, from.with(members));
        }
    }

    @Override
    public synchronized boolean assign(VmId vm, @Nullable String user) throws StoreUnavailable {
        reach();
        VmPool pool = poolOf(vm);
        if (pool == null || vms.vm(vm) == null) {
            return false;
        }
        String owner = pool.members().get(vm);
        if (owner != null && user != null && !owner.equals(user)) {
            return false;
        }
        NavigableMap<VmId, @Nullable String> members = new TreeMap<>(pool.members());
        members.put(vm, user);
        pools.put(pool.id(), pool.with(members));
        return true;
    }
}
