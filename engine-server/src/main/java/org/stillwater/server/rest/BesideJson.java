package org.stillwater.server.rest;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostNumaNode;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmJob;
import org.stillwater.core.model.VmNumaNode;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.monitoring.host.HostView;
import tools.jackson.core.JsonGenerator;

/** What is kept beside VMs and hosts as JSON: jobs and NUMA nodes. */
final class BesideJson {

    private static final NumaNodeStatistics NO_NUMBERS =
            new NumaNodeStatistics(0, null, null, null, null, null, null, Map.of());

    private BesideJson() {}

    static void jobs(JsonGenerator json, VmId vmId, List<VmJob> jobs) {
        json.writeStartObject();
        json.writeStringProperty("vmId", vmId.toString());
        json.writeArrayPropertyStart("items");
        for (VmJob job : jobs) {
            json.writeStartObject();
            json.writeStringProperty("id", job.id().toString());
            json.writeStringProperty("state", Json.word(job.state()));
            json.writeStringProperty("type", Json.word(job.type()));
            json.writeStringProperty("blockType", Json.word(job.blockType()));
            Json.text(json, "imageGroupId", job.imageGroupId());
            json.writeNumberProperty(
                    "bandwidthMebibytesPerSecond", job.bandwidthMebibytesPerSecond());
            json.writeNumberProperty("doneBytes", job.cursorCurrent());
            json.writeNumberProperty("totalBytes", job.cursorEnd());
            number(json, "progressPercent", job.progressPercent());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberProperty("total", jobs.size());
        json.writeEndObject();
    }

    static void numa(JsonGenerator json, VmId vmId, @Nullable List<VmNumaNode> nodes) {
        json.writeStartObject();
        json.writeStringProperty("vmId", vmId.toString());
        json.writeBooleanProperty("reported", nodes != null);
        json.writeArrayPropertyStart("items");
        for (VmNumaNode node : Objects.requireNonNullElse(nodes, List.<VmNumaNode>of())) {
            json.writeStartObject();
            json.writeNumberProperty("index", node.index());
            numbers(json, "hostNodes", node.hostNodes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Every node that the host mentions, as a machine or in its numbers. */
    static void numa(JsonGenerator json, HostView host) {
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
        number(json, "memoryMebibytes", node.memoryMebibytes());
        numbers(json, "cpus", node.cpus());
        numbers(json, "distances", node.distances());
        pages(json, "pages", node.pages());
        number(json, "memoryFreeMebibytes", numbers.memoryFreeMebibytes());
        number(json, "memoryUsedPercent", numbers.memoryUsedPercent());
        number(json, "cpuUserPercent", numbers.cpuUserPercent());
        number(json, "cpuSystemPercent", numbers.cpuSystemPercent());
        number(json, "cpuIdlePercent", numbers.cpuIdlePercent());
        number(json, "cpuUsagePercent", numbers.cpuUsagePercent());
        pages(json, "freePages", numbers.freePages());
        json.writeEndObject();
    }

    private static void numbers(JsonGenerator json, String name, List<Integer> values) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeNumber);
        json.writeEndArray();
    }

    /** Numbers of pages by page size in KiB. */
    private static void pages(JsonGenerator json, String name, Map<Integer, Long> pages) {
        json.writeObjectPropertyStart(name);
        new TreeMap<>(pages)
                .forEach((size, count) -> json.writeNumberProperty(size.toString(), count));
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, @Nullable Number value) {
        switch (value) {
            case null -> json.writeNullProperty(name);
            case Double number -> json.writeNumberProperty(name, number);
            default -> json.writeNumberProperty(name, value.longValue());
        }
    }
}
