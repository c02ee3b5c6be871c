package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Compares messages by fields, order and JSON types, not by values. */
final class Shape {

    /** Objects whose keys are names of things: all values count as one. */
    private static final Set<String> KEYED_BY_THINGS =
            Set.of(
                    "network",
                    "disks",
                    "vmJobs",
                    "hugepages",
                    "diskStats",
                    "numaNodeMemFree",
                    "cpuStatistics",
                    "storageDomains",
                    "networks",
                    "bondings",
                    "bridges",
                    "nics",
                    "vlans",
                    "packages2",
                    "numaNodes",
                    "numaNodeDistance",
                    "kernelFeatures",
                    "supported_block_size",
                    "multipathHealth",
                    "hooks");

    private Shape() {}

    /** Every path in a message with the JSON types seen there. */
    static Map<String, Set<String>> of(JsonNode node) {
        Map<String, Set<String>> paths = new TreeMap<>();
        collect("", "", node, paths);
        return paths;
    }

    private static void collect(
            String path, String name, JsonNode node, Map<String, Set<String>> paths) {
        paths.computeIfAbsent(path, p -> new java.util.TreeSet<>()).add(type(node));
        if (node.isObject()) {
            boolean things = KEYED_BY_THINGS.contains(name);
            node.properties()
                    .forEach(entry ->
                            collect(
                                    path + "/" + (things ? "*" : entry.getKey()),
                                    things ? "" : entry.getKey(),
                                    entry.getValue(),
                                    paths));
        } else if (node.isArray()) {
            node.forEach(entry -> collect(path + "[]", "", entry, paths));
        }
    }

    static String type(JsonNode node) {
        if (node.isString()) {
            return "string";
        }
        if (node.isFloatingPointNumber()) {
            return "float";
        }
        if (node.isIntegralNumber()) {
            return "int";
        }
        if (node.isBoolean()) {
            return "bool";
        }
        return node.isObject() ? "object" : node.isArray() ? "array" : "null";
    }

    static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.properties().forEach(entry -> keys.add(entry.getKey()));
        return keys;
    }
}
