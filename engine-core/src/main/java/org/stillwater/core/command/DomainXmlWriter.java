package org.stillwater.core.command;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmSpecification.Firmware;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationParameters.DeviceType;

/**
 * Writes the libvirt domain XML that a host is to run, with the host agent's metadata (protocol
 * specification §3.7). Pure: the same VM in the same surroundings gives the same text.
 *
 * <p>Each device has the user alias {@code ua-<id>}. Disks, drive and interfaces have the identity
 * of their definition, all others one derived from the VM's. Bus addresses are left to libvirt.
 * Only x86_64 so far.
 */
public final class DomainXmlWriter {

    private static final long KIBIBYTES = 1_024;
    private static final int MEMORY_SLOTS = 16;
    private static final int BOOT_MENU_MILLIS = 30_000;
    private static final String MODEL_FLAG = "model_";

    /** Flags of CPU types that are mitigations, and how libvirt names them. */
    private static final Map<String, String> MITIGATIONS =
            Map.of(
                    "spec_ctrl", "spec-ctrl",
                    "ssbd", "ssbd",
                    "md_clear", "md-clear",
                    "virt_ssbd", "virt-ssbd",
                    "ibpb", "ibpb");

    private final VmId vmId;
    private final VmStatic vm;
    private final VmSpecification specification;
    private final StartEnvironment surroundings;
    private final String machine;
    private final XmlText xml = new XmlText();

    private DomainXmlWriter(
            VmId vmId, VmStatic vm, VmSpecification specification, StartEnvironment surroundings) {
        this.vmId = vmId;
        this.vm = vm;
        this.specification = specification;
        this.surroundings = surroundings;
        machine = machine(specification, surroundings);
    }

    /** The machine type of a VM. */
    static String machine(VmSpecification specification, StartEnvironment surroundings) {
        String own = specification.machineType();
        return own == null ? surroundings.machineType() : own;
    }

    /** Whether a machine is of the q35 family, with PCI Express and SATA. */
    static boolean isModern(String machine) {
        return machine.equals("q35") || machine.startsWith("pc-q35");
    }

    /**
     * The domain XML of a VM.
     *
     * @throws IllegalArgumentException with the reason as one sentence: values of the definition
     *     contradict each other, or it has characters that XML does not
     */
    public static String write(
            VmId vmId, VmStatic vm, VmSpecification specification, StartEnvironment surroundings) {
        specification.check(vm);
        return new DomainXmlWriter(vmId, vm, specification, surroundings).domain();
    }

    /**
     * The document by which a host plugs a device into a VM that runs, or out of it.
     *
     * @param type type of the device
     * @param device identity of the device in the definition
     * @param in whether it is plugged in
     * @throws IllegalArgumentException with the reason as one sentence: the definition has no such
     *     device, or it has characters that XML does not
     */
    public static String hotplug(
            VmId vmId,
            VmSpecification specification,
            StartEnvironment surroundings,
            DeviceType type,
            UUID device,
            boolean in) {
        XmlText xml = new XmlText();
        boolean modern = isModern(machine(specification, surroundings));
        DomainDevices devices = new DomainDevices(vmId, specification, surroundings, modern, xml);
        switch (type) {
            case INTERFACE -> {
                VmInterface nic =
                        specification.interfaces().stream()
                                .filter(each -> each.id().equals(device))
                                .findFirst()
                                .orElseThrow(() -> missing("interface"));
                if (in) {
                    devices.plug(nic);
                } else {
                    devices.unplug(nic);
                }
            }
            case DISK -> {
                VmDisk disk =
                        specification.disks().stream()
                                .filter(each -> each.id().equals(device))
                                .findFirst()
                                .orElseThrow(() -> missing("disk"));
                if (in) {
                    devices.plug(disk);
                } else {
                    devices.unplug(disk);
                }
            }
        }
        return xml.document();
    }

    private static IllegalArgumentException missing(String kind) {
        return new IllegalArgumentException(
                "the definition of the VM does not have the %s any more".formatted(kind));
    }

    /**
     * Identity of a device that has none in the definition.
     *
     * @param kind the XML's element
     * @param number its number among those of its kind, from 0
     */
    public static UUID deviceId(VmId vmId, String kind, int number) {
        String derived = vmId + "/device/" + kind + '/' + number;
        return UUID.nameUUIDFromBytes(derived.getBytes(StandardCharsets.UTF_8));
    }

    private String domain() {
        CpuArchitecture architecture =
                specification.architecture() == null
                        ? surroundings.architecture()
                        : specification.architecture();
        if (architecture != CpuArchitecture.X86_64) {
            throw new IllegalArgumentException(
                    "VMs of architecture " + architecture + " cannot be started yet, only x86_64");
        }
        boolean modern = isModern(machine);
        if (specification.firmware() != Firmware.BIOS && !modern) {
            throw new IllegalArgumentException(
                    "UEFI takes a machine type of the q35 family, not " + machine);
        }
        xml.open("domain", "type", "kvm")
                .declare(XmlText.Namespace.TUNE, XmlText.Namespace.VM)
                .text("name", name())
                .text("uuid", vmId);
        DomainDevices devices = new DomainDevices(vmId, specification, surroundings, modern, xml);
        metadata(devices);
        memory();
        xml.text("iothreads", 1); // also for disks that are plugged in later
        tuning();
        sysinfo();
        os();
        features();
        cpu();
        clock();
        xml.text("on_poweroff", "destroy")
                .text("on_reboot", surroundings.endsOnReboot() ? "destroy" : "restart")
                .text("on_crash", "destroy");
        devices.write();
        return xml.close().document();
    }

    /** libvirt makes files of it on the host. */
    private String name() {
        String name = vm.name();
        if (name.isBlank() || name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
            throw new IllegalArgumentException(
                    "the name of a VM that is to run is not blank and has no slash");
        }
        return name;
    }

    private void metadata(DomainDevices devices) {
        xml.open("metadata").empty(XmlText.Namespace.TUNE, "qos");
        xml.open(XmlText.Namespace.VM, "vm");
        property("clusterVersion", surroundings.version(), "");
        property("destroy_on_reboot", surroundings.endsOnReboot(), "bool");
        property("launchPaused", surroundings.paused(), "bool");
        property("memGuaranteedSize", vm.guaranteedMemoryMebibytes(), "int");
        property("minGuaranteedMemoryMb", vm.guaranteedMemoryMebibytes(), "int");
        property("resumeBehavior", specification.resume().name().toLowerCase(Locale.ROOT), "");
        xml.open(XmlText.Namespace.VM, "custom");
        specification.customProperties().forEach((key, value) -> property(key, value, ""));
        xml.close();
        devices.metadata();
        xml.close().close();
    }

    private void property(String name, Object value, String type) {
        if (type.isEmpty()) {
            xml.text(XmlText.Namespace.VM, name, value);
        } else {
            xml.text(XmlText.Namespace.VM, name, value, "type", type);
        }
    }

    private void memory() {
        long kibibytes = vm.memoryMebibytes() * KIBIBYTES;
        if (isExtensible()) {
            xml.text(
                    "maxMemory",
                    specification.maximumMemoryMebibytes() * KIBIBYTES,
                    "slots",
                    MEMORY_SLOTS,
                    "unit",
                    "KiB");
        }
        xml.text("memory", kibibytes, "unit", "KiB");
        xml.text("currentMemory", kibibytes, "unit", "KiB");
        int most = mostCpus();
        xml.text("vcpu", most, "placement", "static", "current", Math.min(vm.cpus(), most));
    }

    private boolean isExtensible() {
        return specification.maximumMemoryMebibytes() > vm.memoryMebibytes();
    }

    private int mostCpus() {
        return specification.sockets(vm) * vm.coresPerSocket() * vm.threadsPerCore();
    }

    private void tuning() {
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

    /** The host agent puts its own words in place of those that end with a colon. */
    private void sysinfo() {
        xml.open("sysinfo", "type", "smbios").open("system");
        xml.text("entry", "oVirt", "name", "manufacturer");
        xml.text("entry", "OS-NAME:", "name", "product");
        xml.text("entry", "OS-VERSION:", "name", "version");
        xml.text("entry", "HOST-SERIAL:", "name", "serial");
        xml.text("entry", vmId, "name", "uuid");
        xml.text("entry", "oVirt", "name", "family");
        xml.close().close();
    }

    private void os() {
        xml.open("os").text("type", "hvm", "arch", "x86_64", "machine", machine);
        if (specification.firmware() != Firmware.BIOS) {
            boolean secure = specification.firmware() == Firmware.UEFI_SECURE_BOOT;
            xml.text(
                    "loader",
                    "/usr/share/OVMF/OVMF_CODE.secboot.fd",
                    "readonly",
                    "yes",
                    "secure",
                    secure ? "yes" : "no",
                    "type",
                    "pflash");
            xml.text(
                    "nvram",
                    "/var/lib/libvirt/qemu/nvram/" + vmId + ".fd",
                    "template",
                    secure
                            ? "/usr/share/OVMF/OVMF_VARS.secboot.fd"
                            : "/usr/share/OVMF/OVMF_VARS.fd");
        }
        if (specification.bootMenu()) {
            xml.empty("bootmenu", "enable", "yes", "timeout", BOOT_MENU_MILLIS);
        }
        xml.empty("smbios", "mode", "sysinfo");
        if (specification.serialConsole() && specification.firmware() == Firmware.BIOS) {
            xml.empty("bios", "useserial", "yes");
        }
        xml.close();
    }

    private void features() {
        xml.open("features").empty("acpi");
        if (specification.firmware() == Firmware.UEFI_SECURE_BOOT) {
            xml.empty("smm", "state", "on");
        }
        xml.close();
    }

    private void cpu() {
        switch (specification.cpu()) {
            case VmCpu.OfHost _ -> xml.open("cpu", "mode", "host-passthrough", "check", "none");
            case VmCpu.Named named -> {
                model(named.model());
                named.features().forEach(this::require);
            }
            case VmCpu.OfCluster _ -> {
                CpuType type = surroundings.cpuType();
                if (type == null) {
                    xml.open("cpu", "mode", "host-model");
                } else {
                    model(modelOf(type));
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

    private void model(String model) {
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
        int cpus = mostCpus();
        if (specification.numaNodes().isEmpty()) {
            if (isExtensible()) {
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

    private void clock() {
        String zone = specification.timeZone();
        int seconds =
                zone == null
                        ? 0
                        : ZoneId.of(zone)
                                .getRules()
                                .getOffset(surroundings.now())
                                .getTotalSeconds();
        xml.open("clock", "offset", "variable", "adjustment", seconds)
                .empty("timer", "name", "rtc", "tickpolicy", "catchup")
                .empty("timer", "name", "pit", "tickpolicy", "delay")
                .empty("timer", "name", "hpet", "present", "no")
                .close();
    }
}
