package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The libvirt XML of a VM with a given definition: the definition, with the additions of VDSM and
 * libvirt. VDSM fills its place-holders and notes the start; libvirt resolves the machine, converts
 * units, adds devices that every machine has, names and addresses devices without a name or an
 * address, and orders them by their kind. One object makes one document; the caller holds the
 * monitor of the host.
 */
final class DefinedDomainXml {

    /** The order of devices in libvirt's documents; kinds that are not here come last. */
    private static final List<String> ORDER =
            List.of(
                    "emulator",
                    "disk",
                    "controller",
                    "lease",
                    "filesystem",
                    "interface",
                    "smartcard",
                    "serial",
                    "console",
                    "parallel",
                    "channel",
                    "input",
                    "tpm",
                    "graphics",
                    "audio",
                    "sound",
                    "video",
                    "hostdev",
                    "redirdev",
                    "hub",
                    "watchdog",
                    "memballoon",
                    "rng",
                    "panic",
                    "shmem",
                    "memory",
                    "iommu",
                    "vsock");

    /** Kinds without a name of libvirt's. */
    private static final Set<String> NAMELESS =
            Set.of("emulator", "lease", "graphics", "audio", "seclabel");

    private static final Set<String> ON_PCI =
            Set.of("interface", "sound", "hostdev", "watchdog", "memballoon", "rng", "video");
    private static final Set<String> CONTROLLERS_ON_PCI = Set.of("usb", "scsi", "virtio-serial");

    private final Domain domain;
    private final Machine machine;
    private final Set<String> takenBuses = new HashSet<>();
    private final Map<String, Integer> counted = new HashMap<>();

    private DefinedDomainXml(Domain domain) {
        this.domain = domain;
        this.machine = domain.machine;
    }

    /** The document of a VM with a definition. */
    static String of(Domain domain, XmlElement definition) {
        return new DefinedDomainXml(domain).domain(definition).document();
    }

    /** A definition without NICs and disks, which a machine keeps individually. */
    static XmlElement withoutNicsAndDisks(XmlElement definition) {
        return definition.changing(
                "devices",
                devices ->
                        devices.minus(device ->
                                device.name().equals("interface") || device.name().equals("disk")));
    }

    private XmlElement domain(XmlElement definition) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("type", "kvm");
        attributes.put("id", Integer.toString(machine.serial + 1));
        definition.attributes().forEach(attributes::putIfAbsent);
        XmlElement xml = new XmlElement("domain", attributes, definition.children(), "");
        XmlElement memory =
                XmlElement.of("memory", "unit", "KiB").withText(Long.toString(machine.memoryKib()));
        if (definition.child("vcpu") == null) {
            xml = xml.withChild(XmlElement.of("vcpu").withText(Integer.toString(machine.vcpus)));
        }
        XmlElement devices = definition.child("devices");
        return xml.withChild(memory)
                .withChild(
                        XmlElement.of("currentMemory", "unit", "KiB")
                                .withText(Long.toString(currentKib(definition))))
                .changing("vcpu", vcpu -> vcpu.with("placement", "static"))
                .changing("metadata", this::metadata)
                .changing("sysinfo", this::systemInformation)
                .changing("os", DefinedDomainXml::operatingSystem)
                // VDSM takes the wish for itself: libvirt restarts every guest.
                .changing("on_reboot", action -> action.withText("restart"))
                .withChild(devices(devices == null ? XmlElement.of("devices") : devices));
    }

    private long currentKib(XmlElement definition) {
        XmlElement current = definition.child("currentMemory");
        return current == null
                ? machine.memoryKib()
                : Math.min(machine.memoryKib(), DomainDefinition.kibibytes(current));
    }

    private XmlElement metadata(XmlElement metadata) {
        return metadata.changing(
                "vm",
                vm ->
                        vm.withChild(
                                XmlElement.of("startTime", "type", "float")
                                        .withText(domain.startEpochSeconds() + ".4")
                                        .withPrefix(vm.prefix())));
    }

    private XmlElement systemInformation(XmlElement sysinfo) {
        return sysinfo.changing(
                "system",
                system ->
                        system.changing(
                                "entry",
                                entry -> {
                                    String text = entry.text().strip();
                                    return switch (text) {
                                        case "OS-NAME:" -> entry.withText("RHEL");
                                        case "OS-VERSION:" -> entry.withText("9.4-1.el9");
                                        case "HOST-SERIAL:" -> entry.withText(domain.host.uuid);
                                        default -> entry;
                                    };
                                }));
    }

    private static XmlElement operatingSystem(XmlElement os) {
        return os.changing(
                "type",
                type -> type.with("machine", Capabilities.machine(type.attribute("machine"))));
    }

    // ---- devices

    private XmlElement devices(XmlElement defined) {
        List<XmlElement> all = new ArrayList<>(defined.children());
        for (int i = 0; i < machine.nics.size(); i++) {
            all.add(nic(machine.nics.get(i), domain.tap(i)));
        }
        int index = 1;
        for (Disk disk : machine.disks) {
            all.add(disk(disk, index++));
        }
        addImplicit(all);
        all.sort(Comparator.comparingInt(DefinedDomainXml::order));
        for (XmlElement device : all) {
            String bus = device.childAttribute("address", "bus");
            if (device.childAttribute("address", "type").equals("pci")) {
                takenBuses.add(bus);
            }
        }
        return defined.withChildren(all.stream().map(this::finished).toList());
    }

    private static int order(XmlElement device) {
        int order = ORDER.indexOf(device.name());
        return order < 0 ? ORDER.size() : order;
    }

    private void addImplicit(List<XmlElement> all) {
        if (none(all, "emulator")) {
            all.add(XmlElement.of("emulator").withText("/usr/libexec/qemu-kvm"));
        }
        if (!none(all, "graphics") && none(all, "input")) {
            all.add(XmlElement.of("input", "type", "mouse", "bus", "ps2"));
            all.add(XmlElement.of("input", "type", "keyboard", "bus", "ps2"));
        }
        if (none(all, "memballoon")) {
            all.add(XmlElement.of("memballoon", "model", "virtio"));
        }
    }

    private static boolean none(List<XmlElement> devices, String kind) {
        return devices.stream().noneMatch(device -> device.name().equals(kind));
    }

    private XmlElement nic(Nic nic, int tap) {
        XmlElement xml = nic.xml();
        if (xml == null) {
            return DomainXml.nic(nic, tap);
        }
        return xml.withChild(XmlElement.of("mac", "address", nic.macText()))
                .withChild(XmlElement.of("target", "dev", "vnet" + tap));
    }

    private XmlElement disk(Disk disk, int index) {
        XmlElement xml = disk.xml();
        if (xml == null) {
            return DomainXml.disk(disk, index);
        }
        return xml.changing("source", source -> source.with("index", Integer.toString(index)));
    }

    private XmlElement finished(XmlElement device) {
        XmlElement finished =
                switch (device.name()) {
                    case "graphics" -> graphics(device);
                    case "channel" -> channel(device);
                    default -> device;
                };
        XmlElement named =
                finished.child("alias") != null || NAMELESS.contains(finished.name())
                        ? finished
                        : finished.plus(XmlElement.of("alias", "name", alias(finished)));
        XmlElement address = named.child("address") == null ? address(named) : null;
        return address == null ? named : named.plus(address);
    }

    private XmlElement graphics(XmlElement graphics) {
        String address = domain.host.displayAddress();
        boolean spice = graphics.attribute("type").equals("spice");
        XmlElement shown =
                graphics.without("passwd")
                        .with("port", Integer.toString(spice ? domain.spicePort : domain.vncPort))
                        .with("listen", address);
        if (spice) {
            shown = shown.with("tlsPort", Integer.toString(domain.spicePort + 1));
        }
        return shown.changing("listen", listen -> listen.with("address", address));
    }

    private XmlElement channel(XmlElement channel) {
        boolean connected =
                domain.agent == Domain.Agent.ACTIVE
                        && channel.childAttribute("target", "name")
                                .equals("org.qemu.guest_agent.0");
        return channel.changing(
                "target", target -> target.with("state", connected ? "connected" : "disconnected"));
    }

    // ---- names and addresses

    private int next(String kind) {
        return counted.merge(kind, 1, Integer::sum) - 1;
    }

    private String alias(XmlElement device) {
        return switch (device.name()) {
            case "disk" -> diskAlias(device);
            case "controller" -> controllerAlias(device);
            case "interface" -> "net" + next("net");
            case "memballoon" -> "balloon" + next("balloon");
            case "redirdev" -> "redir" + next("redir");
            case "memory" -> "dimm" + next("dimm");
            default -> device.name() + next(device.name());
        };
    }

    private String diskAlias(XmlElement disk) {
        String bus = disk.childAttribute("target", "bus");
        int number = next("disk on " + bus);
        return bus.equals("virtio") ? "virtio-disk" + number : bus + "0-0-0-" + number;
    }

    private String controllerAlias(XmlElement controller) {
        String type = controller.attribute("type");
        String index = controller.attribute("index");
        String number = index.isEmpty() ? Integer.toString(next("controller " + type)) : index;
        return switch (type) {
            case "usb" -> number.equals("0") ? "usb" : "usb" + number;
            case "pci" ->
                    controller.attribute("model").equals("pcie-root")
                            ? "pcie." + number
                            : "pci." + number;
            default -> type + number;
        };
    }

    private @Nullable XmlElement address(XmlElement device) {
        return switch (device.name()) {
            case "disk" -> diskAddress(device.childAttribute("target", "bus"));
            case "controller" -> controllerAddress(device);
            case "channel" ->
                    XmlElement.of(
                            "address",
                            "type",
                            "virtio-serial",
                            "controller",
                            "0",
                            "bus",
                            "0",
                            "port",
                            Integer.toString(1 + next("port of virtio-serial")));
            default -> ON_PCI.contains(device.name()) && hasAddress(device) ? pci() : null;
        };
    }

    private static boolean hasAddress(XmlElement device) {
        return !device.attribute("model").equals("none");
    }

    private XmlElement diskAddress(String bus) {
        return bus.equals("virtio")
                ? pci()
                : XmlElement.of(
                        "address",
                        "type",
                        "drive",
                        "controller",
                        "0",
                        "bus",
                        "0",
                        "target",
                        "0",
                        "unit",
                        Integer.toString(next("unit of " + bus)));
    }

    private @Nullable XmlElement controllerAddress(XmlElement controller) {
        if (CONTROLLERS_ON_PCI.contains(controller.attribute("type"))) {
            return pci();
        }
        if (controller.attribute("model").equals("pcie-root-port")) {
            int port = next("root port");
            return pci("0x00", "0x%02x".formatted(2 + port / 8), "0x%x".formatted(port % 8));
        }
        return null;
    }

    /** The next root port without a device. */
    private XmlElement pci() {
        while (true) {
            String bus = "0x%02x".formatted(1 + next("bus"));
            if (takenBuses.add(bus)) {
                return pci(bus, "0x00", "0x0");
            }
        }
    }

    private static XmlElement pci(String bus, String slot, String function) {
        return XmlElement.of(
                "address",
                "type",
                "pci",
                "domain",
                "0x0000",
                "bus",
                bus,
                "slot",
                slot,
                "function",
                function);
    }
}
