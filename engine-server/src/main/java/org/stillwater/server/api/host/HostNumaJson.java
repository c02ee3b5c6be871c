package org.stillwater.server.api.host;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** NUMA nodes of a host as JSON. */
final class HostNumaJson {

    private static final NumaNodeStatistics NO_NUMBERS =
            new NumaNodeStatistics(0, null, null, null, null, null, null, Map.of());

    private HostNumaJson() {}

    /** Every node that the host mentions, as a machine or in its numbers. */
    static void write(JsonGenerator json, HostView host) {
        HostCapabilities capabilities = host.state().capabilities();
        HostStatistics statistics = host.statistics();
        Map<Integer, HostNumaNode> nodes =
                byIndex(
                        capabilities == null ? List.of() : capabilities.numaNodes(),
                        HostNumaNode::index);
        Map<Integer, NumaNodeStatistics> numbers =
                byIndex(
                        statistics == null ? List.of() : statistics.numaNodes(),
                        NumaNodeStatistics::index);
        TreeSet<Integer> indexes = new TreeSet<>(nodes.keySet());
        indexes.addAll(numbers.keySet());
        json.writeStartObject();
        json.writeStringProperty("hostId", host.state().definition().id().toString());
        Json.text(json, "statisticsAt", host.statisticsAt());
        json.writeArrayPropertyStart("items");
        for (Integer index : indexes) {
            node(
                    json,
                    nodes.getOrDefault(
                            index, new HostNumaNode(index, null, List.of(), List.of(), Map.of())),
                    numbers.getOrDefault(index, NO_NUMBERS));
        }
        json.writeEndArray();
        json.writeNumberProperty("total", indexes.size());
        json.writeEndObject();
    }

    private static <T> Map<Integer, T> byIndex(List<T> nodes, Function<T, Integer> index) {
        return nodes.stream().collect(Collectors.toMap(index, node -> node));
    }

    private static void node(JsonGenerator json, HostNumaNode node, NumaNodeStatistics numbers) {
        json.writeStartObject();
        json.writeNumberProperty("index", node.index());
        Json.number(json, "memoryMebibytes", node.memoryMebibytes());
        Json.numbers(json, "cpus", node.cpus());
        Json.numbers(json, "distances", node.distances());
        pages(json, "pages", node.pages());
        Json.number(json, "memoryFreeMebibytes", numbers.memoryFreeMebibytes());
        Json.number(json, "memoryUsedPercent", numbers.memoryUsedPercent());
        Json.number(json, "cpuUserPercent", numbers.cpuUserPercent());
        Json.number(json, "cpuSystemPercent", numbers.cpuSystemPercent());
        Json.number(json, "cpuIdlePercent", numbers.cpuIdlePercent());
        Json.number(json, "cpuUsagePercent", numbers.cpuUsagePercent());
        pages(json, "freePages", numbers.freePages());
        json.writeEndObject();
    }

    /** Numbers of pages by page size in KiB. */
    private static void pages(JsonGenerator json, String name, Map<Integer, Long> pages) {
        json.writeObjectPropertyStart(name);
        new TreeMap<>(pages)
                .forEach((size, count) -> json.writeNumberProperty(size.toString(), count));
        json.writeEndObject();
    }
}
