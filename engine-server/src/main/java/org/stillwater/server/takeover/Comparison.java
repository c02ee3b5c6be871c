package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.stillwater.core.text.SafeText;
import org.stillwater.server.takeover.OvirtReader.NotRead;
import tools.jackson.databind.JsonNode;

/**
 * Differences between two engines' beliefs about the same hosts and VMs, by identity. Both are read
 * over the same API, one after the other, so that a change in between differs for a moment: {@link
 * #lasting} keeps the differences that a second comparison finds too. Immutable.
 *
 * @param vms VMs that both know
 * @param differences the differences, sorted
 */
public record Comparison(int vms, List<Difference> differences) {

    /** Statuses that end by themselves: engines notice them at different times. */
    private static final Set<String> PASSING =
            Set.of(
                    "powering_up",
                    "powering_down",
                    "reboot_in_progress",
                    "wait_for_launch",
                    "migrating",
                    "saving_state",
                    "restoring_state");

    /**
     * One of them.
     *
     * @param kind {@code VM} or {@code host}
     * @param id identity
     * @param name name at the other engine, else here
     * @param what name of the value, such as {@code status}
     * @param there value of the other engine
     * @param here value of this engine
     * @param passing whether one of the two sees it in a status that ends by itself
     */
    public record Difference(
            String kind,
            String id,
            String name,
            String what,
            String there,
            String here,
            boolean passing)
            implements Comparable<Difference> {

        private static final int LONGEST = 2_000;

        private boolean isAbout(Difference other) {
            return kind.equals(other.kind) && id.equals(other.id) && what.equals(other.what);
        }

        @Override
        public int compareTo(Difference other) {
            int order = kind.compareTo(other.kind);
            order = order != 0 ? order : name.compareTo(other.name);
            order = order != 0 ? order : id.compareTo(other.id);
            return order != 0 ? order : what.compareTo(other.what);
        }

        @Override
        public String toString() {
            return SafeText.of(
                    "%s %s (%s): %s is %s there, %s here%s"
                            .formatted(
                                    kind, name, id, what, there, here, passing ? " (passing)" : ""),
                    LONGEST);
        }
    }

    public Comparison {
        differences = List.copyOf(new TreeSet<>(differences));
    }

    /**
     * Reads both and compares them.
     *
     * @param there the other engine
     * @param here this engine
     */
    public static Comparison of(OvirtReader there, OvirtReader here) throws NotRead {
        Map<String, String> clustersThere = names(there.all("/clusters", "cluster"));
        Map<String, String> clustersHere = names(here.all("/clusters", "cluster"));
        List<Difference> found = new ArrayList<>();
        Map<String, JsonNode> hostsThere = byId(there.pages("/hosts", "host", ""));
        Map<String, JsonNode> hostsHere = byId(here.pages("/hosts", "host", ""));
        for (String id : union(hostsThere, hostsHere)) {
            compare("host", id, hostsThere.get(id), hostsHere.get(id), found);
        }
        Map<String, JsonNode> vmsThere = byId(there.pages("/vms", "vm", ""));
        Map<String, JsonNode> vmsHere = byId(here.pages("/vms", "vm", ""));
        int both = 0;
        for (String id : union(vmsThere, vmsHere)) {
            JsonNode one = vmsThere.get(id);
            JsonNode other = vmsHere.get(id);
            compare("VM", id, one, other, found);
            if (one != null && other != null) {
                both++;
                Values values = new Values("VM", id, one, other, found);
                values.value("host", host(one, hostsThere), host(other, hostsHere));
                values.value(
                        "cluster",
                        clustersThere.getOrDefault(OvirtJson.text(one, "cluster", "id"), ""),
                        clustersHere.getOrDefault(OvirtJson.text(other, "cluster", "id"), ""));
                values.value(
                        "memory", OvirtJson.text(one, "memory"), OvirtJson.text(other, "memory"));
                values.value("CPUs", cpus(one), cpus(other));
                values.value(
                        "high availability",
                        String.valueOf(OvirtJson.flag(one, "high_availability", "enabled")),
                        String.valueOf(OvirtJson.flag(other, "high_availability", "enabled")));
            }
        }
        return new Comparison(both, found);
    }

    /** Differences that an earlier comparison has as well. */
    public Comparison lasting(Comparison earlier) {
        return new Comparison(
                vms,
                differences.stream()
                        .filter(each -> earlier.differences.stream().anyMatch(each::isAbout))
                        .toList());
    }

    private static void compare(
            String kind,
            String id,
            @org.jspecify.annotations.Nullable JsonNode one,
            @org.jspecify.annotations.Nullable JsonNode other,
            List<Difference> found) {
        if (one == null || other == null) {
            JsonNode known = Objects.requireNonNull(one == null ? other : one);
            found.add(
                    new Difference(
                            kind,
                            id,
                            OvirtJson.text(known, "name"),
                            "it",
                            one == null ? "unknown" : "known",
                            other == null ? "unknown" : "known",
                            false));
            return;
        }
        Values values = new Values(kind, id, one, other, found);
        values.value("name", OvirtJson.text(one, "name"), OvirtJson.text(other, "name"));
        values.value("status", OvirtJson.lower(one, "status"), OvirtJson.lower(other, "status"));
    }

    /** Compares values of one object. */
    private record Values(
            String kind, String id, JsonNode one, JsonNode other, List<Difference> found) {

        void value(String what, String there, String here) {
            if (!there.equals(here)) {
                boolean passing =
                        PASSING.contains(OvirtJson.lower(one, "status"))
                                || PASSING.contains(OvirtJson.lower(other, "status"));
                found.add(
                        new Difference(
                                kind,
                                id,
                                OvirtJson.text(one, "name"),
                                what,
                                there.isEmpty() ? "none" : there,
                                here.isEmpty() ? "none" : here,
                                passing));
            }
        }
    }

    private static String host(JsonNode vm, Map<String, JsonNode> hosts) {
        JsonNode host = hosts.get(OvirtJson.text(vm, "host", "id"));
        return host == null ? "" : OvirtJson.text(host, "name");
    }

    private static String cpus(JsonNode vm) {
        return String.valueOf(
                OvirtJson.number(vm, 1, "cpu", "topology", "sockets")
                        * OvirtJson.number(vm, 1, "cpu", "topology", "cores")
                        * OvirtJson.number(vm, 1, "cpu", "topology", "threads"));
    }

    private static Map<String, String> names(List<JsonNode> all) {
        Map<String, String> names = new TreeMap<>();
        all.forEach(each -> names.put(OvirtJson.text(each, "id"), OvirtJson.text(each, "name")));
        return names;
    }

    private static Map<String, JsonNode> byId(List<JsonNode> all) {
        Map<String, JsonNode> nodes = new TreeMap<>();
        all.forEach(each -> nodes.put(OvirtJson.text(each, "id"), each));
        return nodes;
    }

    private static Set<String> union(Map<String, JsonNode> one, Map<String, JsonNode> other) {
        Set<String> all = new TreeSet<>(one.keySet());
        all.addAll(other.keySet());
        return all;
    }
}
