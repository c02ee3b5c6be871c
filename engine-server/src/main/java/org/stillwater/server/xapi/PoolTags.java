package org.stillwater.server.xapi;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.PoolVm;
import org.stillwater.xapi.host.XapiPool;

/**
 * Gives hosts and VMs the tags that they have in their pools, named {@code pool:tag}. They are in
 * memory only: a pool that is read brings them again. Used by the thread that keeps pools; any
 * thread reads {@link #leftOut}.
 */
final class PoolTags {

    private final FleetReader fleet;
    private final int most;
    private final Map<XapiPool, Told> pools = new ConcurrentHashMap<>();

    /**
     * The objects of a pool.
     *
     * @param hosts those that got its tags
     * @param incompleteHosts those that lack some of their tags
     * @param incompleteVms the same of VMs
     */
    private record Told(Set<HostId> hosts, Set<HostId> incompleteHosts, Set<VmId> incompleteVms) {
        Told() {
            this(new HashSet<>(), ConcurrentHashMap.newKeySet(), ConcurrentHashMap.newKeySet());
        }

        int incomplete() {
            return incompleteHosts.size() + incompleteVms.size();
        }
    }

    /**
     * Tags of no pool so far.
     *
     * @param most different tags that one pool may have; 0: tags of pools are not shown
     */
    PoolTags(FleetReader fleet, int most) {
        this.fleet = fleet;
        this.most = most;
    }

    /** Takes over the tags of a pool's hosts, and of these VMs. */
    void keep(XapiPool pool, ClusterId cluster, Collection<VmId> touched) {
        if (most == 0) {
            return;
        }
        Told told = pools.computeIfAbsent(pool, _ -> new Told());
        keepHosts(pool, told);
        keepVms(pool, cluster, told, touched);
        if (told.incomplete() > 0) { // others may have given up tags
            keepHosts(pool, told);
            keepVms(pool, cluster, told, Set.copyOf(told.incompleteVms()));
        }
    }

    private void keepVms(XapiPool pool, ClusterId cluster, Told told, Collection<VmId> touched) {
        for (VmId id : touched) {
            PoolVm vm = pool.vm(id);
            VmReading known = fleet.reading(id);
            boolean isComplete =
                    vm == null
                            || known == null
                            || !known.definition().cluster().equals(cluster)
                            || fleet.tags().told(id, pool.name(), vm.tags(), most);
            note(told.incompleteVms(), id, isComplete);
        }
    }

    private void keepHosts(XapiPool pool, Told told) {
        Set<HostId> present = new HashSet<>();
        for (PoolHost host : pool.hosts()) {
            if (fleet.host(host.id()) != null) {
                present.add(host.id());
                boolean isComplete = fleet.tags().told(host.id(), pool.name(), host.tags(), most);
                note(told.incompleteHosts(), host.id(), isComplete);
            }
        }
        for (HostId gone : told.hosts()) {
            if (!present.contains(gone)) {
                boolean _ = fleet.tags().told(gone, pool.name(), List.of(), most);
                told.incompleteHosts().remove(gone);
            }
        }
        told.hosts().clear();
        told.hosts().addAll(present);
    }

    private static <T> void note(Set<T> incomplete, T id, boolean isComplete) {
        if (isComplete) {
            incomplete.remove(id);
        } else {
            incomplete.add(id);
        }
    }

    /** A pool is watched no longer. */
    void forget(String pool) {
        pools.keySet().removeIf(each -> each.name().equals(pool));
    }

    /** Pools with more tags than are shown, each as a sentence. */
    List<String> leftOut() {
        return pools.entrySet().stream()
                .filter(each -> each.getValue().incomplete() > 0)
                .map(each ->
                        "pool %s has more than %d different tags (stillwater.xapi.most-tags): %d of its hosts and VMs lack some"
                                .formatted(
                                        each.getKey().name(), most, each.getValue().incomplete()))
                .sorted()
                .toList();
    }
}
