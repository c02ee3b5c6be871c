package org.stillwater.ovirt.action;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmTraits;

/**
 * Specifications of VMs as the API writes them, applied to the present ones: elements that are not
 * in a body stay.
 */
final class VmHardware {

    private static final int MOST_CPU = 1 << 16;
    private static final String UTC = "Etc/GMT";

    private VmHardware() {}

    /**
     * The specification with the values of a body.
     *
     * @param memory the VM's memory, as the body leaves it, MiB
     * @throws Refused if an element is no possible value
     * @throws IllegalArgumentException if elements contradict each other or have a value of oVirt
     *     that the engine does not have
     */
    static VmSpecification with(VmSpecification before, Body body, int memory) {
        Boolean menu = body.flag("bios", "boot_menu", "enabled");
        Boolean ballooning = body.flag("memory_policy", "ballooning");
        Boolean serial = body.flag("console", "enabled");
        Boolean tpm = body.flag("tpm_enabled");
        String firmware = body.text("bios", "type");
        List<String> boot = body.texts("os", "boot", "devices", "device");
        return new VmSpecification(
                machine(body, before, firmware),
                before.architecture(),
                cpu(body, before.cpu()),
                before.maximumSockets(),
                maximum(body, before, memory),
                firmware == null ? before.firmware() : firmware(firmware, before.firmware()),
                boot.isEmpty() ? before.boot() : boot.stream().map(VmHardware::device).toList(),
                menu == null ? before.bootMenu() : menu,
                before.disks(),
                before.cdrom(),
                before.interfaces(),
                consoles(body, before.consoles()),
                video(body, before.video()),
                serial == null ? before.serialConsole() : serial,
                ballooning == null ? before.balloon() : ballooning,
                tpm == null ? before.tpm() : tpm,
                randomness(body, before.randomness()),
                before.watchdog(),
                numa(body, before.numaNodes()),
                pins(body, before.cpuPinning()),
                properties(body, before.customProperties()),
                zone(body, before.timeZone()),
                resume(body, before.resume()),
                words(body, "description", before.description()),
                words(body, "comment", before.comment()),
                traits(body, before.traits()),
                before.found());
    }

    // ------------------------------------------------------------------- machine and firmware

    /** Whether a machine type is of the family i440fx. */
    private static boolean isOld(@Nullable String machine) {
        return machine != null && (machine.equals("pc") || machine.startsWith("pc-i440fx"));
    }

    /** The machine type, of the family that goes with the firmware. */
    private static @Nullable String machine(
            Body body, VmSpecification before, @Nullable String firmware) {
        boolean named = body.has("custom_emulated_machine");
        String machine = named ? body.text("custom_emulated_machine") : before.machineType();
        if (firmware == null || firmware.equals("cluster_default")) {
            return machine;
        }
        boolean old = firmware.equals("i440fx_sea_bios");
        if (old == isOld(machine)) {
            return machine;
        }
        if (named && machine != null) {
            throw new IllegalArgumentException(
                    "bios/type %s does not go with custom_emulated_machine %s"
                            .formatted(Refused.shortened(firmware), Refused.shortened(machine)));
        }
        return old ? "pc" : "q35";
    }

    private static VmSpecification.Firmware firmware(String name, VmSpecification.Firmware before) {
        return switch (name) {
            case "i440fx_sea_bios", "q35_sea_bios" -> VmSpecification.Firmware.BIOS;
            case "q35_ovmf" -> VmSpecification.Firmware.UEFI;
            case "q35_secure_boot" -> VmSpecification.Firmware.UEFI_SECURE_BOOT;
            case "cluster_default" -> {
                if (before != VmSpecification.Firmware.BIOS) {
                    throw new IllegalArgumentException(
                            "bios/type cannot be cluster_default, because clusters"
                                    + " have no firmware of their own; name it");
                }
                yield before;
            }
            default ->
                    throw Refused.invalid(
                            "bios/type is cluster_default, i440fx_sea_bios, q35_sea_bios, q35_ovmf"
                                    + " or q35_secure_boot, not "
                                    + Refused.shortened(name));
        };
    }

    private static VmSpecification.BootDevice device(String name) {
        return switch (name) {
            case "hd" -> VmSpecification.BootDevice.DISK;
            case "cdrom" -> VmSpecification.BootDevice.CDROM;
            case "network" -> VmSpecification.BootDevice.NETWORK;
            default ->
                    throw Refused.invalid(
                            "A device to boot from is hd, cdrom or network, not "
                                    + Refused.shortened(name));
        };
    }

    // ----------------------------------------------------------------------------- processors

    private static VmCpu cpu(Body body, VmCpu before) {
        String mode = body.text("cpu", "mode");
        boolean named = body.has("custom_cpu_model");
        String model = body.text("custom_cpu_model");
        if (mode != null && !mode.equals("custom") && !mode.equals("host_passthrough")) {
            throw mode.equals("host_model")
                    ? new IllegalArgumentException(
                            "cpu/mode is custom or host_passthrough and cannot be" + " host_model")
                    : Refused.invalid(
                            "cpu/mode is custom or host_passthrough, not "
                                    + Refused.shortened(mode));
        }
        if ("host_passthrough".equals(mode)) {
            if (model != null) {
                throw new IllegalArgumentException(
                        "custom_cpu_model does not go with cpu/mode" + " host_passthrough");
            }
            return VmCpu.OF_HOST;
        }
        if (model != null) {
            return before instanceof VmCpu.Named known && known.model().equals(model)
                    ? known
                    : new VmCpu.Named(model, Set.of());
        }
        boolean ends =
                (named && before instanceof VmCpu.Named)
                        || (mode != null && before instanceof VmCpu.OfHost);
        return ends ? VmCpu.OF_CLUSTER : before;
    }

    /** Whether virtual CPUs are pinned once a body is applied to the specification. */
    static boolean isPinned(Body body, VmSpecification before) {
        return !pins(body, before.cpuPinning()).isEmpty();
    }

    /** All pins; an empty {@code cpu_tune} takes them away. */
    private static Map<Integer, String> pins(Body body, Map<Integer, String> before) {
        if (!body.has("cpu", "cpu_tune")) {
            return before;
        }
        Map<Integer, String> pins = new HashMap<>();
        for (Body pin : body.items("cpu", "cpu_tune", "vcpu_pins", "vcpu_pin")) {
            Long cpu = pin.number("vcpu");
            String set = pin.text("cpu_set");
            if (cpu == null || set == null || cpu < 0 || cpu > MOST_CPU) {
                throw Refused.incomplete(
                        "Vm [cpu.cpu_tune.vcpu_pins] requires vcpu, from 0, and cpu_set.");
            }
            if (pins.put(cpu.intValue(), set) != null) {
                throw Refused.invalid(
                        "cpu/cpu_tune/vcpu_pins pins virtual CPU %d twice.".formatted(cpu));
            }
        }
        return pins;
    }

    private static List<VmNumaPlan> numa(Body body, List<VmNumaPlan> before) {
        String name = body.text("numa_tune_mode");
        if (name == null) {
            return before;
        }
        VmNumaPlan.Mode mode =
                switch (name) {
                    case "strict" -> VmNumaPlan.Mode.STRICT;
                    case "interleave" -> VmNumaPlan.Mode.INTERLEAVE;
                    case "preferred" -> VmNumaPlan.Mode.PREFERRED;
                    default ->
                            throw Refused.invalid(
                                    "numa_tune_mode is strict, interleave or preferred, not "
                                            + Refused.shortened(name));
                };
        if (before.isEmpty()) {
            throw new IllegalArgumentException(
                    "numa_tune_mode cannot be kept, because the VM has no NUMA" + " nodes");
        }
        return before.stream()
                .map(node ->
                        new VmNumaPlan(node.cpus(), node.memoryMebibytes(), node.hostNodes(), mode))
                .toList();
    }

    /**
     * Maximal memory in MiB: more than the memory only if the body sets it, or the definition had
     * it.
     */
    private static int maximum(Body body, VmSpecification before, int memory) {
        int known = before.maximumMemoryMebibytes();
        int maximum = VmDefinitions.mebibytes(body, known, "memory_policy", "max");
        if (body.text("memory_policy", "max") != null) {
            return known == 0 && maximum == memory ? 0 : maximum;
        }
        return maximum != 0 && maximum < memory ? memory : maximum;
    }

    // -------------------------------------------------------------------------------- devices

    private static List<VmConsole> consoles(Body body, List<VmConsole> before) {
        String type = body.text("display", "type");
        List<VmConsole> next = before;
        if (type != null) {
            VmConsole.Protocol protocol = protocol(type);
            next = protocol == told(before) ? before : List.of(new VmConsole(protocol, null));
        }
        if (!body.has("display", "keyboard_layout")) {
            return next;
        }
        String keyboard = body.text("display", "keyboard_layout");
        boolean vnc = next.stream().anyMatch(VmHardware::isVnc);
        if (keyboard != null && !vnc) {
            throw new IllegalArgumentException(
                    "display/keyboard_layout cannot be kept, because only a VNC"
                            + " console has one");
        }
        return next.stream()
                .map(each -> isVnc(each) ? new VmConsole(each.protocol(), keyboard) : each)
                .toList();
    }

    private static boolean isVnc(VmConsole console) {
        return console.protocol() == VmConsole.Protocol.VNC;
    }

    /** The one that clients see as the VM's screen. */
    private static VmConsole.@Nullable Protocol told(List<VmConsole> consoles) {
        if (consoles.isEmpty()) {
            return null;
        }
        return consoles.stream().allMatch(VmHardware::isVnc)
                ? VmConsole.Protocol.VNC
                : VmConsole.Protocol.SPICE;
    }

    private static VmConsole.Protocol protocol(String name) {
        return switch (name) {
            case "vnc" -> VmConsole.Protocol.VNC;
            case "spice" -> VmConsole.Protocol.SPICE;
            default ->
                    throw Refused.invalid(
                            "display/type is vnc or spice, not " + Refused.shortened(name));
        };
    }

    private static VmSpecification.Video video(Body body, VmSpecification.Video before) {
        String name = body.text("display", "video_type");
        return switch (name == null ? "" : name) {
            case "" -> before;
            case "vga" -> VmSpecification.Video.VGA;
            case "qxl" -> VmSpecification.Video.QXL;
            case "virtio" -> VmSpecification.Video.VIRTIO;
            case "bochs" -> VmSpecification.Video.BOCHS;
            case "cirrus", "none" ->
                    throw new IllegalArgumentException(
                            "display/video_type is vga, qxl, virtio or bochs and"
                                    + " cannot be %s".formatted(name));
            default ->
                    throw Refused.invalid(
                            "display/video_type is vga, qxl, virtio or bochs, not "
                                    + Refused.shortened(name + ""));
        };
    }

    /** A present, empty element removes the device. */
    private static @Nullable VmRandomness randomness(Body body, @Nullable VmRandomness before) {
        if (!body.has("rng_device")) {
            return before;
        }
        String name = body.text("rng_device", "source");
        Long bytes = body.number("rng_device", "rate", "bytes");
        Long period = body.number("rng_device", "rate", "period");
        if (name == null) {
            if (bytes != null || period != null) {
                throw Refused.incomplete("Vm [rng_device.source] is required.");
            }
            return null;
        }
        VmRandomness.Source source =
                switch (name) {
                    case "urandom" -> VmRandomness.Source.URANDOM;
                    case "hwrng" -> VmRandomness.Source.HARDWARE;
                    case "random" ->
                            throw new IllegalArgumentException(
                                    "rng_device/source is urandom or hwrng and"
                                            + " cannot be random");
                    default ->
                            throw Refused.invalid(
                                    "rng_device/source is urandom or hwrng, not "
                                            + Refused.shortened(name));
                };
        boolean limited = body.has("rng_device", "rate");
        boolean same = !limited && before != null && before.source() == source;
        return same
                ? before
                : new VmRandomness(
                        source,
                        number(bytes, "rng_device/rate/bytes"),
                        number(period, "rng_device/rate/period"));
    }

    private static @Nullable Integer number(@Nullable Long number, String path) {
        if (number == null) {
            return null;
        }
        if (number < 1 || number > Integer.MAX_VALUE) {
            throw Refused.invalid(
                    "%s is 1 to %d, not %d".formatted(path, Integer.MAX_VALUE, number));
        }
        return number.intValue();
    }

    // ----------------------------------------------------------------------- words and policies

    private static Map<String, String> properties(Body body, Map<String, String> before) {
        if (!body.has("custom_properties")) {
            return before;
        }
        Map<String, String> properties = new TreeMap<>();
        for (Body each : body.items("custom_properties", "custom_property")) {
            String name = each.text("name");
            if (name == null) {
                if (each.raw("value") != null) {
                    throw Refused.incomplete("CustomProperty [name] is required.");
                }
                continue;
            }
            if (properties.put(name, Objects.requireNonNullElse(each.raw("value"), "")) != null) {
                throw Refused.invalid(
                        "custom_properties has %s twice.".formatted(Refused.shortened(name)));
            }
        }
        return properties;
    }

    /** The name that stands for a VM without a time zone leaves it so. */
    private static @Nullable String zone(Body body, @Nullable String before) {
        String name = body.text("time_zone", "name");
        return name == null || (before == null && name.equals(UTC)) ? before : name;
    }

    private static VmSpecification.ResumeBehaviour resume(
            Body body, VmSpecification.ResumeBehaviour before) {
        String name = body.text("storage_error_resume_behaviour");
        if (name == null) {
            return before;
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "auto_resume" -> VmSpecification.ResumeBehaviour.AUTO_RESUME;
            case "leave_paused" -> VmSpecification.ResumeBehaviour.LEAVE_PAUSED;
            case "kill" -> VmSpecification.ResumeBehaviour.KILL;
            default ->
                    throw Refused.invalid(
                            "storage_error_resume_behaviour is auto_resume, leave_paused or kill,"
                                    + " not "
                                    + Refused.shortened(name));
        };
    }

    private static VmTraits traits(Body body, VmTraits before) {
        String system = body.text("os", "type");
        String type = body.text("type");
        Boolean isProtected = body.flag("delete_protected");
        return new VmTraits(
                system == null ? before.guestSystem() : system,
                type == null ? before.workload() : workload(type),
                VmDefinitions.number(body, before.cpuShares(), 0, MOST_CPU, "cpu_shares"),
                isProtected == null ? before.deleteProtected() : isProtected);
    }

    private static VmTraits.Workload workload(String name) {
        return switch (name) {
            case "desktop" -> VmTraits.Workload.DESKTOP;
            case "server" -> VmTraits.Workload.SERVER;
            case "high_performance" -> VmTraits.Workload.HIGH_PERFORMANCE;
            default ->
                    throw Refused.invalid(
                            "type is desktop, server or high_performance, not "
                                    + Refused.shortened(name));
        };
    }

    /** An empty element removes the former text. */
    private static @Nullable String words(Body body, String member, @Nullable String before) {
        return body.has(member) ? body.raw(member) : before;
    }
}
