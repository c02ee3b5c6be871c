package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmConsole;
import org.stillwater.core.model.VmInterface;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmSpecification;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmTraits;
import org.stillwater.core.port.DefinitionStore.Definition;

/**
 * Definitions of VMs as the API writes them, put over what is there already: what a body does not
 * say stays. Of a VM it says more than the engine keeps (icons, the number of screens); that is not
 * refused, because clients send it with everything else. What would change how the VM runs, and
 * cannot be kept, is refused unless it says what is so anyway.
 */
final class VmDefinitions {

    private static final String BLANK = "00000000-0000-0000-0000-000000000000";
    private static final int USUAL_MEBIBYTES = 1_024;
    private static final int MOST = 1 << 16;
    private static final int LONGEST_NAME = 255;

    /** What may differ for one run, in the order in which people are told of it. */
    private static final Set<String> OF_ONE_RUN =
            Collections.unmodifiableSet(
                    new LinkedHashSet<>(List.of("os", "bios", "display", "custom_properties")));

    private static final Set<String> TOLD_WITH_A_RUN =
            Set.of(
                    "id",
                    "href",
                    "name",
                    "placement_policy",
                    "stateless",
                    "os",
                    "bios",
                    "display",
                    "custom_properties");

    private final DefinitionDesk desk;

    VmDefinitions(DefinitionDesk desk) {
        this.desk = desk;
    }

    /** A new VM. */
    Definition read(Body body, ClusterId cluster) {
        if (body.text("name") == null) {
            throw Refused.incomplete("Vm [name] is required for add.");
        }
        template(body);
        VmStatic bare =
                new VmStatic(
                        "new",
                        VmOrigin.OVIRT,
                        false,
                        USUAL_MEBIBYTES,
                        USUAL_MEBIBYTES,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        cluster);
        return over(
                body,
                new Definition(
                        bare,
                        VmSpecification.BARE.withConsoles(
                                List.of(new VmConsole(VmConsole.Protocol.VNC, null)),
                                VmSpecification.BARE.video()),
                        0,
                        null,
                        null));
    }

    /** There is one template only: the one in which nothing is. */
    private static void template(Body body) {
        String id = body.text("template", "id");
        String name = body.text("template", "name");
        boolean blank =
                id != null ? id.equals(BLANK) : name == null || name.equalsIgnoreCase("blank");
        if (!blank) {
            throw Refused.notFound("Template", id != null ? id : String.valueOf(name));
        }
    }

    /** A VM that is there, changed. */
    Definition over(Body body, Definition before) {
        if (body.has("disk_attachments", "disk_attachment")) {
            throw Refused.conflict(
                    "Cannot attach disks here: their definition is changed with PUT"
                            + " /api/v1/vms/{id}/definition.");
        }
        refuseUnkept(body);
        try {
            VmSpecification specification = before.specification();
            List<Interface> interfaces = interfaces(body);
            VmStatic vm = vm(body, before.definition());
            VmSpecification next =
                    specification(
                            body,
                            specification == null ? VmSpecification.BARE : specification,
                            interfaces);
            if (interfaces != null) {
                vm = vm.withNics(interfaces.stream().map(Interface::nic).toList());
            }
            next.check(vm);
            return new Definition(
                    vm,
                    next,
                    number(body, before.priority(), 0, 100, "high_availability", "priority"),
                    before.lease(),
                    before.savedMemory());
        } catch (IllegalArgumentException e) {
            throw Refused.conflict("Cannot edit VM: " + Operations.sentence(e.getMessage() + ""));
        }
    }

    /** What would change how a VM runs, and cannot be kept. */
    private static void refuseUnkept(Body body) {
        if (Boolean.TRUE.equals(body.flag("stateless"))) {
            throw Refused.conflict(
                    "Cannot edit VM: stateless cannot be set for a VM; those of a pool that is not"
                            + " stateful are.");
        }
        if (Boolean.TRUE.equals(body.flag("start_paused"))) {
            throw Refused.conflict(
                    "Cannot edit VM: start_paused cannot be kept; give pause to the action start.");
        }
        String affinity = body.text("placement_policy", "affinity");
        if (affinity != null && !affinity.equals("migratable")) {
            throw Refused.conflict(
                    "Cannot edit VM: placement_policy/affinity is migratable, and cannot be %s; where"
                                    .formatted(Refused.shortened(affinity))
                            + " VMs run is said with affinity groups.");
        }
        boolean hasVersion =
                body.text("custom_compatibility_version") != null
                        || body.has("custom_compatibility_version", "major");
        if (hasVersion) {
            throw Refused.conflict(
                    "Cannot edit VM: custom_compatibility_version cannot be set; a VM has the"
                            + " version of its cluster.");
        }
    }

    /**
     * A definition for one run only: what it boots from, its screen and its properties may differ.
     *
     * @param body the VM that an action is given
     * @return null if nothing differs
     */
    @Nullable Definition once(Body body, Supplier<Definition> stored) {
        for (String each : body.names()) {
            if (!TOLD_WITH_A_RUN.contains(each)) {
                throw Refused.conflict(
                        "Cannot run VM: vm/%s cannot be overridden for one run, only %s; change the VM."
                                .formatted(Refused.shortened(each), String.join(", ", OF_ONE_RUN)));
            }
        }
        if (OF_ONE_RUN.stream().noneMatch(body::has)) {
            return null;
        }
        for (String each : List.of("kernel", "initrd", "cmdline")) {
            if (body.text("os", each) != null) {
                throw Refused.conflict(
                        "Cannot run VM: a VM boots from its devices, os/%s is not supported."
                                .formatted(each));
            }
        }
        Definition before = stored.get();
        // Its name is told with it, and is not another one for once.
        return new Definition(
                before.definition(),
                over(body, before).specification(),
                before.priority(),
                before.lease(),
                before.savedMemory());
    }

    private static VmStatic vm(Body body, VmStatic before) {
        int memory = mebibytes(body, before.memoryMebibytes(), "memory");
        boolean all = before.guaranteedMemoryMebibytes() == before.memoryMebibytes();
        int guaranteed =
                mebibytes(
                        body,
                        all ? memory : before.guaranteedMemoryMebibytes(),
                        "memory_policy",
                        "guaranteed");
        if (guaranteed > memory) {
            throw Refused.conflict(
                    "Cannot edit VM. Physical Memory Guaranteed cannot exceed Memory Size.");
        }
        Boolean available = body.flag("high_availability", "enabled");
        return new VmStatic(
                name(body, before.name()),
                before.origin(),
                available == null ? before.highlyAvailable() : available,
                memory,
                guaranteed,
                number(body, before.sockets(), 1, MOST, "cpu", "topology", "sockets"),
                number(body, before.coresPerSocket(), 1, MOST, "cpu", "topology", "cores"),
                number(
                        body,
                        before.threadsPerCore(),
                        1,
                        Short.MAX_VALUE,
                        "cpu",
                        "topology",
                        "threads"),
                before.nics(),
                before.leased(),
                before.cluster());
    }

    private static String name(Body body, String before) {
        String name = body.text("name");
        if (name == null) {
            return before;
        }
        if (name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw Refused.invalid(
                    "The name of a VM has 1 to 255 characters, none of them a control character.");
        }
        return name;
    }

    /** Bytes, down to a MiB. */
    private static int mebibytes(Body body, int before, String... path) {
        Long bytes = body.number(path);
        if (bytes == null) {
            return before;
        }
        long mebibytes = bytes >> 20;
        if (mebibytes < 1 || mebibytes > Integer.MAX_VALUE) {
            throw Refused.invalid(
                    "%s is a number of bytes, at least 1 MiB, not %d"
                            .formatted(String.join("/", path), bytes));
        }
        return (int) mebibytes;
    }

    private static int number(Body body, int before, int least, int most, String... path) {
        Long number = body.number(path);
        if (number == null) {
            return before;
        }
        if (number < least || number > most) {
            throw Refused.invalid(
                    "%s is %d to %d, not %d"
                            .formatted(String.join("/", path), least, most, number));
        }
        return number.intValue();
    }

    // ----------------------------------------------------------------------------- interfaces

    private record Interface(VmInterface device, VmNic nic) {}

    /** Those that a body names, in the place of all; null if it names none. */
    private @Nullable List<Interface> interfaces(Body body) {
        if (!body.has("nics", "nic")) {
            return null;
        }
        List<Interface> all = new ArrayList<>();
        for (Body nic : body.items("nics", "nic")) {
            String name = nic.text("name");
            String mac = nic.text("mac", "address");
            Boolean linked = nic.flag("linked");
            String model = nic.text("interface");
            String profile = nic.text("vnic_profile", "id");
            VmInterface device =
                    new VmInterface(
                            UUID.randomUUID(),
                            name == null ? "nic" + (all.size() + 1) : name,
                            mac == null ? desk.nextMac() : mac.toLowerCase(Locale.ROOT),
                            nic.text("network", "name"),
                            model == null ? VmInterface.Model.VIRTIO : model(model),
                            linked == null || linked,
                            null,
                            true);
            all.add(
                    new Interface(
                            device, device.nic(profile == null ? null : Access.uuid(profile))));
        }
        return all;
    }

    private static VmInterface.Model model(String name) {
        for (VmInterface.Model model : VmInterface.Model.values()) {
            if (model.label().equals(name)) {
                return model;
            }
        }
        throw Refused.invalid(
                "interface is virtio, e1000 or rtl8139, not " + Refused.shortened(name));
    }

    // -------------------------------------------------------------------------- specification

    private static VmSpecification specification(
            Body body, VmSpecification before, @Nullable List<Interface> interfaces) {
        VmSpecification named = with(before, body);
        return interfaces == null
                ? named
                : named.withDevices(
                        named.disks(),
                        named.cdrom(),
                        interfaces.stream().map(Interface::device).toList());
    }

    private static VmSpecification with(VmSpecification before, Body body) {
        Boolean menu = body.flag("bios", "boot_menu", "enabled");
        Boolean ballooning = body.flag("memory_policy", "ballooning");
        String zone = body.text("time_zone", "name");
        String display = body.text("display", "type");
        String firmware = body.text("bios", "type");
        List<String> boot = body.texts("os", "boot", "devices", "device");
        return new VmSpecification(
                before.machineType(),
                before.architecture(),
                before.cpu(),
                before.maximumSockets(),
                maximum(body, before),
                firmware == null ? before.firmware() : firmware(firmware, before.firmware()),
                boot.isEmpty() ? before.boot() : boot.stream().map(VmDefinitions::device).toList(),
                menu == null ? before.bootMenu() : menu,
                before.disks(),
                before.cdrom(),
                before.interfaces(),
                display == null ? before.consoles() : List.of(console(display)),
                before.video(),
                before.serialConsole(),
                ballooning == null ? before.balloon() : ballooning,
                before.tpm(),
                before.randomness(),
                before.watchdog(),
                before.numaNodes(),
                before.cpuPinning(),
                properties(body, before.customProperties()),
                zone == null ? before.timeZone() : zone,
                before.resume(),
                words(body, "description", before.description()),
                words(body, "comment", before.comment()),
                traits(body, before.traits()));
    }

    private static VmTraits traits(Body body, VmTraits before) {
        String system = body.text("os", "type");
        String type = body.text("type");
        Boolean isProtected = body.flag("delete_protected");
        return new VmTraits(
                system == null ? before.guestSystem() : system,
                type == null ? before.workload() : workload(type),
                number(body, before.cpuShares(), 0, MOST, "cpu_shares"),
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

    /** An element that is there and empty takes away what was said. */
    private static @Nullable String words(Body body, String member, @Nullable String before) {
        return body.has(member) ? body.raw(member) : before;
    }

    /** More than the memory only if it is said, or was. */
    private static int maximum(Body body, VmSpecification before) {
        int memory = mebibytes(body, 0, "memory");
        int maximum = mebibytes(body, before.maximumMemoryMebibytes(), "memory_policy", "max");
        boolean said = body.has("memory_policy", "max");
        return !said && maximum != 0 && maximum < memory ? memory : maximum;
    }

    private static VmSpecification.Firmware firmware(String name, VmSpecification.Firmware before) {
        return switch (name) {
            case "i440fx_sea_bios", "q35_sea_bios" -> VmSpecification.Firmware.BIOS;
            case "q35_ovmf" -> VmSpecification.Firmware.UEFI;
            case "q35_secure_boot" -> VmSpecification.Firmware.UEFI_SECURE_BOOT;
            case "cluster_default" -> before;
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

    private static VmConsole console(String name) {
        return switch (name) {
            case "vnc" -> new VmConsole(VmConsole.Protocol.VNC, null);
            case "spice" -> new VmConsole(VmConsole.Protocol.SPICE, null);
            default ->
                    throw Refused.invalid(
                            "display/type is vnc or spice, not " + Refused.shortened(name));
        };
    }

    private static Map<String, String> properties(Body body, Map<String, String> before) {
        if (!body.has("custom_properties")) {
            return before;
        }
        Map<String, String> properties = new TreeMap<>();
        for (Body each : body.items("custom_properties", "custom_property")) {
            String name = each.text("name");
            if (name != null) {
                properties.put(name, Objects.requireNonNullElse(each.raw("value"), ""));
            }
        }
        return properties;
    }
}
