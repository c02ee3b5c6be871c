package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.NumaNodeStatistics;

/**
 * Puts the numbers of a host's NUMA nodes together from one report: memory comes by node, processor
 * times come by processor and are averaged over the node's (monitoring specification §1.7). For one
 * report and one thread.
 */
public final class NumaStatistics {

    private final Map<Integer, Node> nodes = new TreeMap<>();

    private static final class Node {
        private @Nullable Long memoryFreeMebibytes;
        private @Nullable Integer memoryUsedPercent;
        private Map<Integer, Long> freePages = Map.of();
        private int processors;
        private double user;
        private double system;
        private double idle;

        private NumaNodeStatistics build(int index) {
            boolean busy = processors > 0;
            return new NumaNodeStatistics(
                    index,
                    memoryFreeMebibytes,
                    memoryUsedPercent,
                    busy ? mean(user) : null,
                    busy ? mean(system) : null,
                    busy ? mean(idle) : null,
                    busy ? (Integer) (int) Math.clamp((user + system) / processors, 0, 100) : null,
                    freePages);
        }

        private Double mean(double sum) {
            return Math.round(100 * sum / processors) / 100.0;
        }
    }

    /** One node's memory. */
    public void memory(
            int node,
            @Nullable Long freeMebibytes,
            @Nullable Integer usedPercent,
            Map<Integer, Long> freePages) {
        Node seen = node(node);
        seen.memoryFreeMebibytes = freeMebibytes;
        seen.memoryUsedPercent = usedPercent;
        seen.freePages = freePages;
    }

    /**
     * One processor's times, percent; one that lacks a number is left out, so that it cannot bend
     * the mean.
     */
    public void processor(int node, double user, double system, double idle) {
        if (Double.isFinite(user) && Double.isFinite(system) && Double.isFinite(idle)) {
            Node seen = node(node);
            seen.processors++;
            seen.user += user;
            seen.system += system;
            seen.idle += idle;
        }
    }

    private Node node(int index) {
        return nodes.computeIfAbsent(index, _ -> new Node());
    }

    /** Every node that was mentioned, by number. */
    public List<NumaNodeStatistics> build() {
        List<NumaNodeStatistics> built = new ArrayList<>(nodes.size());
        nodes.forEach((index, node) -> built.add(node.build(index)));
        return built;
    }
}
