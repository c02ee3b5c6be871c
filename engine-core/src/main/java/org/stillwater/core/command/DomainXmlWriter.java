package org.stillwater.core.command;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Locale;
import java.util.UUID;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
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
        DomainCpu processors = new DomainCpu(vm, specification, surroundings, xml);
        metadata(devices);
        memory(processors);
        xml.text("iothreads", 1); // also for disks that are plugged in later
        processors.tuning();
        sysinfo();
        os();
        features();
        processors.model();
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

    private void memory(DomainCpu processors) {
        long kibibytes = vm.memoryMebibytes() * KIBIBYTES;
        if (processors.isMemoryExtensible()) {
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
        int most = processors.most();
        xml.text("vcpu", most, "placement", "static", "current", Math.min(vm.cpus(), most));
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
