package org.stillwater.core.command;

import java.util.Locale;
import java.util.Map;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;

/**
 * Writes the virtual CPUs and NUMA nodes of a VM into its domain XML. Pure: the same VM in the same
 * surroundings gives the same elements.
 */
final class DomainCpu {

    private static final long KIBIBYTES = 1_024;
    private static final String MODEL_FLAG = "model_";

    /** Flags of CPU types that are mitigations, and how libvirt names them. */
    private static final Map<String, String> MITIGATIONS =
            Map.of(
                    "spec_ctrl", "spec-ctrl",
                    "ssbd", "ssbd",
                    "md_clear", "md-clear",
                    "virt_ssbd", "virt-ssbd",
                    "ibpb", "ibpb");

    private final VmStatic vm;
    private final VmSpecification specification;
    private final StartEnvironment surroundings;
    private final XmlText xml;

    /**
     * The CPUs of a VM.
     *
     * @param xml receives the elements
     */
    DomainCpu(
            VmStatic vm,
            VmSpecification specification,
            StartEnvironment surroundings,
            XmlText xml) {
        this.vm = vm;
        this.specification = specification;
        this.surroundings = surroundings;
        this.xml = xml;
    }

    /** Whether memory can be plugged in while the VM runs. */
    boolean isMemoryExtensible() {
        return specification.maximumMemoryMebibytes() > vm.memoryMebibytes();
    }

    /** Virtual CPUs that the VM can have while it runs. */
    int most() {
        return specification.sockets(vm) * vm.coresPerSocket() * vm.threadsPerCore();
    }

    /**
     * The elements {@code cputune} and {@code numatune}, where the VM has any of their settings.
     */
    void tuning() {
        int shares = specification.traits().cpuShares();
        if (!specification.cpuPinning().isEmpty() || shares != 0) {
            xml.open("cputune");
            if (shares != 0) {
                xml.text("shares", shares);
            }
            specification
                    .cpuPinning()
                    .forEach((cpu, set) -> xml.empty("vcpupin", "vcpu", cpu, "cpuset", set));
            xml.close();
        }
        if (specification.numaNodes().stream().anyMatch(node -> !node.hostNodes().isEmpty())) {
            xml.open("numatune");
            for (int cell = 0; cell < specification.numaNodes().size(); cell++) {
                VmNumaPlan node = specification.numaNodes().get(cell);
                if (!node.hostNodes().isEmpty()) {
                    xml.empty(
                            "memnode",
                            "cellid",
                            cell,
                            "mode",
                            node.mode().name().toLowerCase(Locale.ROOT),
                            "nodeset",
                            list(node.hostNodes()));
                }
            }
            xml.close();
        }
    }

    private static String list(Iterable<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        numbers.forEach(number -> text.append(text.isEmpty() ? "" : ",").append(number));
        return text.toString();
    }

    /** The element {@code cpu}: model, topology and NUMA nodes. */
    void model() {
        switch (specification.cpu()) {
            case VmCpu.OfHost _ -> xml.open("cpu", "mode", "host-passthrough", "check", "none");
            case VmCpu.Named named -> {
                named(named.model());
                named.features().forEach(this::require);
            }
            case VmCpu.OfCluster _ -> {
                CpuType type = surroundings.cpuType();
                if (type == null) {
                    xml.open("cpu", "mode", "host-model");
                } else {
                    named(modelOf(type));
                    type.flags().stream()
                            .filter(MITIGATIONS::containsKey)
                            .forEach(flag -> require(MITIGATIONS.getOrDefault(flag, flag)));
                }
            }
        }
        xml.empty(
                "topology",
                "sockets",
                specification.sockets(vm),
                "cores",
                vm.coresPerSocket(),
                "threads",
                vm.threadsPerCore());
        numa();
        xml.close();
    }

    private void named(String model) {
        xml.open("cpu", "mode", "custom", "match", "exact").text("model", model);
    }

    private void require(String feature) {
        xml.empty("feature", "name", feature, "policy", "require");
    }

    private static String modelOf(CpuType type) {
        for (String flag : type.flags()) {
            if (flag.startsWith(MODEL_FLAG)) {
                return flag.substring(MODEL_FLAG.length());
            }
        }
        throw new IllegalArgumentException(
                "the CPU type "
                        + type.name()
                        + " of the cluster names no model: give it a flag that begins with model_");
    }

    /** Memory can only be plugged into a VM that has at least one node. */
    private void numa() {
        int cpus = most();
        if (specification.numaNodes().isEmpty()) {
            if (isMemoryExtensible()) {
                xml.open("numa");
                cell(0, cpus == 1 ? "0" : "0-" + (cpus - 1), vm.memoryMebibytes());
                xml.close();
            }
            return;
        }
        boolean[] placed = new boolean[cpus];
        specification.numaNodes().forEach(node -> node.cpus().forEach(cpu -> placed[cpu] = true));
        xml.open("numa");
        for (int number = 0; number < specification.numaNodes().size(); number++) {
            VmNumaPlan node = specification.numaNodes().get(number);
            StringBuilder own = new StringBuilder(list(node.cpus()));
            for (int cpu = 0; cpu < cpus && number == 0; cpu++) {
                if (!placed[cpu]) {
                    own.append(own.isEmpty() ? "" : ",").append(cpu);
                }
            }
            cell(number, own.toString(), node.memoryMebibytes());
        }
        xml.close();
    }

    private void cell(int number, String cpus, int mebibytes) {
        if (cpus.isEmpty()) {
            xml.empty("cell", "id", number, "memory", mebibytes * KIBIBYTES, "unit", "KiB");
        } else {
            xml.empty(
                    "cell",
                    "id",
                    number,
                    "cpus",
                    cpus,
                    "memory",
                    mebibytes * KIBIBYTES,
                    "unit",
                    "KiB");
        }
    }
}
