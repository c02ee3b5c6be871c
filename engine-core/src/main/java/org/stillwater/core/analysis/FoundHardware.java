package org.stillwater.core.analysis;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;

/** Processors, memory and clock of a found VM as a definition has them. */
final class FoundHardware {

    private static final int MOST_CPUS = 4_096;
    private static final int HOUR_SECONDS = 3_600;

    /** Guests set their clocks; a difference up to this, in seconds, is no time zone. */
    private static final int DRIFT_SECONDS = 300;

    private static final Set<String> TIMERS = Set.of("rtc", "pit", "hpet", "kvmclock");
    private final DomainElement root;
    private final VmStatic vm;
    private final FoundNotes notes;
    private final int mostCpus;
    private final VmCpu cpu;
    private final List<VmNumaPlan> numaNodes;
    private final Map<Integer, String> pinning = new TreeMap<>();

    /**
     * Reads processors and memory.
     *
     * @param root the document
     * @param vm the part that monitoring reads
     * @param devices devices, some of which are memory
     */
    FoundHardware(DomainElement root, VmStatic vm, FoundDevices devices, FoundNotes notes) {
        this.root = root;
        this.vm = vm;
        this.notes = notes;
        DomainElement vcpu = root.part("vcpu");
        mostCpus = (int) DomainXmlReader.number(vcpu.text(), 1, MOST_CPUS);
        notes.changedIf(
                vcpu.hasAttribute("cpuset"), "CPUs of the host " + vcpu.attribute("cpuset"));
        int present =
                vcpu.hasAttribute("current") ? vcpu.number("current", 1, MOST_CPUS) : mostCpus;
        if (vm.cpus() != present) {
            notes.changed("virtual CPUs: %d; they become %d".formatted(present, vm.cpus()));
        }
        cpu = cpu(root.part("cpu"));
        numaNodes = numaNodes(devices.modules());
        pin();
    }

    VmCpu cpu() {
        return cpu;
    }

    List<VmNumaPlan> numaNodes() {
        return numaNodes;
    }

    Map<Integer, String> pinning() {
        return pinning;
    }

    /** Sockets that it can be extended to; 0 for those it has. */
    int maximumSockets() {
        int most = mostCpus / (vm.coresPerSocket() * vm.threadsPerCore());
        return most > vm.sockets() ? most : 0;
    }

    /** Memory that it can be extended to, in MiB; 0 for the memory that it has. */
    int maximumMemory() {
        int most = root.part("maxMemory").mebibytes();
        return most > vm.memoryMebibytes() ? most : 0;
    }

    /** Weight of its CPUs; 0 for the usual one. */
    int shares() {
        String text = root.part("cputune").textOf("shares");
        if (text.isEmpty()) {
            return 0;
        }
        int shares = (int) DomainXmlReader.number(text, 0, Integer.MAX_VALUE);
        try {
            return new VmTraits(
                            VmTraits.USUAL.guestSystem(), VmTraits.USUAL.workload(), shares, false)
                    .cpuShares();
        } catch (IllegalArgumentException _) {
            notes.changed("CPU shares " + text);
            return 0;
        }
    }

    private VmCpu cpu(DomainElement element) {
        DomainElement topology = element.child("topology");
        notes.changedIf(
                topology != null
                        && (topology.number("dies", 1, MOST_CPUS) > 1
                                || topology.number("clusters", 1, MOST_CPUS) > 1),
                "dies of the CPU");
        notes.others(
                "CPU",
                element,
                Set.of("model", "vendor", "topology", "feature", "numa", "maxphysaddr"));
        String model = element.textOf("model");
        return switch (element.attribute("mode")) {
            case "host-passthrough" -> VmCpu.OF_HOST;
            case "custom", "" -> model.isEmpty() ? ofCluster("none") : named(element, model);
            default -> ofCluster(element.attribute("mode"));
        };
    }

    private VmCpu ofCluster(String mode) {
        notes.changed("CPU model: %s; it becomes that of the cluster".formatted(mode));
        return VmCpu.OF_CLUSTER;
    }

    private VmCpu named(DomainElement element, String model) {
        Set<String> features = new HashSet<>();
        boolean running = element.is("check", "full");
        for (DomainElement feature : element.all("feature")) {
            String name = feature.attribute("name");
            switch (feature.attribute("policy", "require")) {
                case "require", "force" -> features.add(name);
                default -> {
                    if (!running) {
                        notes.changed(
                                "CPU feature %s: %s".formatted(name, feature.attribute("policy")));
                    }
                }
            }
        }
        try {
            return new VmCpu.Named(model, features);
        } catch (IllegalArgumentException e) {
            notes.changed("CPU model %s: %s".formatted(model, e.getMessage()));
            return VmCpu.OF_CLUSTER;
        }
    }

    /** A single node that has everything is there only for memory to be plugged in. */
    private List<VmNumaPlan> numaNodes(List<FoundDevices.Module> modules) {
        DomainElement numa = root.part("cpu").child("numa");
        List<DomainElement> cells = numa == null ? List.of() : numa.all("cell");
        List<DomainElement> policies = root.part("numatune").all("memnode");
        if (cells.isEmpty() || (cells.size() == 1 && policies.isEmpty())) {
            return List.of();
        }
        List<VmNumaPlan> nodes = new ArrayList<>();
        try {
            for (DomainElement cell : cells) {
                nodes.add(node(cell, policies, modules));
            }
            return nodes;
        } catch (IllegalArgumentException e) {
            notes.changed("NUMA nodes: " + e.getMessage());
            return List.of();
        }
    }

    private VmNumaPlan node(
            DomainElement cell, List<DomainElement> policies, List<FoundDevices.Module> modules) {
        int number = cell.number("id", 0, MOST_CPUS);
        notes.others("NUMA node " + number, cell, Set.of());
        int memory =
                (int)
                        Math.min(
                                Integer.MAX_VALUE,
                                DomainXmlReader.kibibytes(
                                                cell.attribute("memory"),
                                                cell.attribute("unit", "KiB"))
                                        >> 10);
        for (FoundDevices.Module module : modules) {
            memory += module.node() == number ? module.mebibytes() : 0;
        }
        DomainElement policy = null;
        for (DomainElement each : policies) {
            policy = each.number("cellid", 0, MOST_CPUS) == number ? each : policy;
        }
        return new VmNumaPlan(
                numbers(cell.attribute("cpus")),
                memory,
                policy == null ? List.of() : numbers(policy.attribute("nodeset")),
                mode(policy));
    }

    private static VmNumaPlan.Mode mode(@Nullable DomainElement policy) {
        return switch (policy == null ? "" : policy.attribute("mode")) {
            case "", "preferred" -> VmNumaPlan.Mode.PREFERRED;
            case "strict" -> VmNumaPlan.Mode.STRICT;
            case "interleave" -> VmNumaPlan.Mode.INTERLEAVE;
            default ->
                    throw new IllegalArgumentException(
                            "their policy is " + (policy == null ? "" : policy.attribute("mode")));
        };
    }

    /** Numbers of a set as libvirt writes it, without exclusions. */
    private static List<Integer> numbers(String set) {
        Set<Integer> numbers = new TreeSet<>();
        for (String part : set.isEmpty() ? new String[0] : set.split(",", MOST_CPUS)) {
            int dash = part.indexOf('-');
            try {
                int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
                int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
                if (first < 0 || last >= MOST_CPUS) {
                    throw new IllegalArgumentException("they have " + part);
                }
                for (int number = first; number <= last; number++) {
                    numbers.add(number);
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("they have " + part, e);
            }
        }
        return List.copyOf(numbers);
    }

    private void pin() {
        for (DomainElement pin : root.part("cputune").all("vcpupin")) {
            int cpu = pin.number("vcpu", 0, MOST_CPUS);
            try {
                VmSpecification.checkPinning(cpu, pin.attribute("cpuset"));
                pinning.put(cpu, pin.attribute("cpuset"));
            } catch (IllegalArgumentException e) {
                notes.changed("pinned CPU %d: %s".formatted(cpu, e.getMessage()));
            }
        }
    }

    /** The time zone that the hardware clock shows, null for UTC. */
    @Nullable String timeZone() {
        DomainElement clock = root.part("clock");
        for (DomainElement timer : clock.all("timer")) {
            String name = timer.attribute("name");
            notes.changedIf(!TIMERS.contains(name), "timer " + name);
        }
        return switch (clock.attribute("offset")) {
            case "variable" -> fixed(clock);
            case "timezone" -> zoned(clock.attribute("timezone"));
            case "", "utc" -> null;
            default -> {
                notes.changed("clock that shows " + clock.attribute("offset"));
                yield null;
            }
        };
    }

    private @Nullable String zoned(String zone) {
        try {
            return ZoneId.of(zone).getId();
        } catch (DateTimeException _) {
            notes.changed("clock of the time zone " + zone);
            return null;
        }
    }

    /** A host reports the distance from UTC only, from which no summer time is known. */
    private @Nullable String fixed(DomainElement clock) {
        int seconds = clock.number("adjustment", Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (!clock.hasAttribute("adjustment") || Math.abs((long) seconds) <= DRIFT_SECONDS) {
            return null;
        }
        long hours = Math.round((double) seconds / HOUR_SECONDS);
        boolean whole = Math.abs(seconds - hours * HOUR_SECONDS) <= DRIFT_SECONDS;
        if (!whole || hours < -12 || hours > 14) {
            notes.changed("clock %d s from UTC".formatted(seconds));
            return null;
        }
        String zone = "Etc/GMT%s%d".formatted(hours > 0 ? "-" : "+", Math.abs(hours));
        notes.changed(
                "time zone: %d h from UTC all year round, because its summer time is not known"
                        .formatted(hours));
        return zone;
    }
}
