package org.stillwater.ovirt.search;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.query.Reference;

/** A small data centre to search in; the clock of its tests stands at 2026-01-01T00:00Z. */
final class Catalogue {

    record Node(String name, String status, double cpuUsage) {}

    record Machine(
            String name,
            @Nullable String description,
            String status,
            @Nullable Node node,
            String cluster,
            long memoryMebibytes,
            @Nullable Duration uptime,
            @Nullable Instant created,
            boolean highlyAvailable,
            List<String> tags) {}

    record Happening(int id, String severity, Instant time, String message, @Nullable String vm) {}

    static final Node ONE = new Node("node-01", "up", 12.5);
    static final Node TWO = new Node("node-02", "non_responsive", 0);

    static final List<Machine> MACHINES =
            List.of(
                    machine("vm1", "first", "up", ONE, "a", 1024, "2025-12-31T10:00:00Z"),
                    machine("vm_2", null, "down", null, "a", 2048, "2025-12-30T23:59:59Z"),
                    machine("VM3", "the third", "powering_up", ONE, "b", 4096, null),
                    machine("web-01", "web", "migrating", TWO, "b", 8192, "2026-01-01T00:00:00Z"),
                    machine("db", "100% or=more", "up", TWO, "c", 512, "2024-02-29T12:30:15Z"));

    static final List<Happening> HAPPENINGS =
            List.of(
                    happening(4, "alert", "2026-01-01T00:00:00Z", "Power is gone", null),
                    happening(3, "error", "2025-12-31T23:00:00Z", "VM web-01 failed", "web-01"),
                    happening(2, "warning", "2025-12-31T01:00:00Z", "Memory is low", "web-01"),
                    happening(1, "normal", "2025-12-30T01:00:00Z", "VM db is up", "db"));

    static final Fields<Node> NODE_FIELDS =
            Fields.<Node>of()
                    .text("name", Node::name)
                    .word("status", Node::status)
                    .number("cpu_usage", Node::cpuUsage)
                    .reference(
                            new Reference<>(
                                    "vms",
                                    node ->
                                            MACHINES.stream()
                                                    .filter(each -> node.equals(each.node()))
                                                    .toList(),
                                    () -> Catalogue.MACHINE_FIELDS))
                    .build();

    static final Fields<Machine> MACHINE_FIELDS =
            Fields.<Machine>of()
                    .id("id", vm -> "ID-" + vm.name())
                    .text("name", Machine::name)
                    .text("description", Machine::description)
                    .text("cluster", Machine::cluster)
                    .texts("tag", Machine::tags)
                    .words(
                            "status",
                            vm ->
                                    vm.status().equals("migrating")
                                            ? List.of("migrating", "migrating_from")
                                            : List.of(vm.status()))
                    .number("memory", Machine::memoryMebibytes)
                    .span("uptime", Machine::uptime)
                    .time("creationdate", Machine::created)
                    .flag("ha", Machine::highlyAvailable)
                    .reference(new Reference<>("hosts", Catalogue::host, () -> NODE_FIELDS))
                    .reference(new Reference<>("host", Catalogue::host, () -> NODE_FIELDS))
                    .build();

    static final Fields<Happening> HAPPENING_FIELDS =
            Fields.<Happening>of()
                    .text("message", Happening::message)
                    .text("event_vm", Happening::vm)
                    .ranked(
                            "severity",
                            Happening::severity,
                            List.of("normal", "warning", "error", "alert"))
                    .time("time", Happening::time)
                    .build();

    private static List<Node> host(Machine vm) {
        Node node = vm.node();
        return node == null ? List.of() : List.of(node);
    }

    private Catalogue() {}

    private static Machine machine(
            String name,
            @Nullable String description,
            String status,
            @Nullable Node node,
            String cluster,
            long memory,
            @Nullable String created) {
        boolean up = status.equals("up");
        return new Machine(
                name,
                description,
                status,
                node,
                cluster,
                memory,
                up ? Duration.ofHours(memory / 256) : null,
                created == null ? null : Instant.parse(created),
                up,
                up ? List.of("prod", "tier-" + cluster) : List.of());
    }

    private static Happening happening(
            int id, String severity, String time, String message, @Nullable String vm) {
        return new Happening(id, severity, Instant.parse(time), message, vm);
    }
}
