package org.stillwater.testkit.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.NumaStore;
import org.stillwater.core.store.WriteOutcome;

/** NUMA nodes in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryNumaStore extends InMemoryStore implements NumaStore {

    private final Map<HostId, Map<Integer, HostNumaNode>> hosts = new HashMap<>();

    /** The nodes of a host by number, as stored. */
    public synchronized List<HostNumaNode> nodes(HostId host) {
        return hosts.getOrDefault(host, Map.of()).values().stream()
                .sorted((a, b) -> Integer.compare(a.index(), b.index()))
                .toList();
    }

    @Override
    public synchronized WriteOutcome replace(List<HostNuma> changed) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (HostNuma host : changed) {
            Map<Integer, HostNumaNode> before = hosts.getOrDefault(host.host(), Map.of());
            Map<Integer, HostNumaNode> after =
                    host.nodes().stream()
                            .map(InMemoryNumaStore::stored)
                            .collect(Collectors.toMap(HostNumaNode::index, node -> node));
            for (HostNumaNode node : after.values()) {
                touched += node.equals(before.get(node.index())) ? 0 : 1;
            }
            for (Integer index : before.keySet()) {
                touched += after.containsKey(index) ? 0 : 1;
            }
            hosts.put(host.host(), after);
        }
        return touched(touched);
    }

    /** Numbers of pages have no column. */
    private static HostNumaNode stored(HostNumaNode node) {
        return new HostNumaNode(
                node.index(), node.memoryMebibytes(), node.cpus(), node.distances(), Map.of());
    }
}
