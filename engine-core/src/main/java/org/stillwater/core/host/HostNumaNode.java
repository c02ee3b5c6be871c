package org.stillwater.core.host;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Wire;

/**
 * A NUMA node of a host: its hardware, not its load (monitoring specification §1.7).
 *
 * @param index number of the node on its host
 * @param memoryMebibytes memory of the node, null when not reported
 * @param cpus numbers of its processors, in the order reported
 * @param distances distance to each node of the host, in the order of the nodes; empty when not
 *     reported
 * @param pages number of pages that the node has, by page size in KiB
 */
public record HostNumaNode(
        @Wire("(its key)") int index,
        @Wire(value = "totalMemory", unit = "MiB") @Nullable Long memoryMebibytes,
        @Wire("cpus") List<Integer> cpus,
        @Wire("(numaNodeDistance)") List<Integer> distances,
        @Wire(value = "hugepages.*.totalPages", unit = "pages") Map<Integer, Long> pages) {

    public HostNumaNode {
        if (index < 0) {
            throw new IllegalArgumentException("a NUMA node has a number from 0");
        }
        cpus = List.copyOf(cpus);
        distances = List.copyOf(distances);
        pages = Map.copyOf(pages);
    }
}
