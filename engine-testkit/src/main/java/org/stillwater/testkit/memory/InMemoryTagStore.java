package org.stillwater.testkit.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;

/** Tags in memory. Every VM and every host exists. Thread-safe. */
public final class InMemoryTagStore extends InMemoryStore implements TagStore {

    private final Map<UUID, Tag> tags = new HashMap<>();
    private final Map<VmId, Set<UUID>> vms = new HashMap<>();
    private final Map<HostId, Set<UUID>> hosts = new HashMap<>();

    /** An empty store. */
    public InMemoryTagStore() {}

    @Override
    public synchronized Kept load() throws StoreUnavailable {
        reach();
        return new Kept(List.copyOf(tags.values()), copy(vms), copy(hosts));
    }

    private static <T> Map<T, Set<UUID>> copy(Map<T, Set<UUID>> owners) {
        Map<T, Set<UUID>> copy = new HashMap<>();
        owners.forEach((owner, of) -> {
            if (!of.isEmpty()) {
                copy.put(owner, Set.copyOf(of));
            }
        });
        return copy;
    }

    @Override
    public synchronized Saved save(Tag tag) throws StoreUnavailable {
        reach();
        boolean taken =
                tags.values().stream()
                        .anyMatch(other ->
                                !other.id().equals(tag.id()) && other.name().equals(tag.name()));
        if (taken) {
            return Saved.TAKEN;
        }
        UUID parent = tag.parent();
        if (parent != null && !tags.containsKey(parent)) {
            return Saved.UNKNOWN;
        }
        tags.put(tag.id(), tag);
        return Saved.SAVED;
    }

    @Override
    public synchronized boolean remove(UUID tag) throws StoreUnavailable {
        reach();
        boolean removed = tags.remove(tag) != null;
        vms.values().forEach(of -> of.remove(tag));
        hosts.values().forEach(of -> of.remove(tag));
        for (Tag other : List.copyOf(tags.values())) {
            if (tag.equals(other.parent())) {
                boolean _ = remove(other.id());
            }
        }
        return removed;
    }

    @Override
    public synchronized boolean attach(UUID tag, VmId vm) throws StoreUnavailable {
        reach();
        return attach(tag, vm, vms);
    }

    @Override
    public synchronized boolean attach(UUID tag, HostId host) throws StoreUnavailable {
        reach();
        return attach(tag, host, hosts);
    }

    private <T> boolean attach(UUID tag, T owner, Map<T, Set<UUID>> owners) {
        if (!tags.containsKey(tag)) {
            return false;
        }
        boolean _ = owners.computeIfAbsent(owner, _ -> new HashSet<>()).add(tag);
        return true;
    }

    @Override
    public synchronized boolean detach(UUID tag, VmId vm) throws StoreUnavailable {
        reach();
        return vms.getOrDefault(vm, new HashSet<>()).remove(tag);
    }

    @Override
    public synchronized boolean detach(UUID tag, HostId host) throws StoreUnavailable {
        reach();
        return hosts.getOrDefault(host, new HashSet<>()).remove(tag);
    }
}
