package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DomainXmlReader.Domain;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification.BootDevice;
import org.stillwater.core.definition.VmSpecification.Video;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.report.ReportedDevice;

/**
 * Devices of a found VM as a definition has them. A device without which the guest lacks data, a
 * connection or a secret, and that no definition has, is missing; any other such device is changed.
 *
 * <p>It is long because it has a method for each kind of device.
 */
final class FoundDevices {

    /** A bridge that leads nowhere, of interfaces without a network. */
    private static final String NO_BRIDGE = ";vdsmdummy;";

    private static final String NO_SPOOFING = "vdsm-no-mac-spoofing";
    private static final Set<String> KNOWN_OF_INTERFACES =
            Set.of(
                    "mac",
                    "source",
                    "target",
                    "model",
                    "filterref",
                    "link",
                    "mtu",
                    "boot",
                    "alias",
                    "address");

    /** Channels that each definition has, and that of SPICE. */
    private static final Set<String> CHANNELS =
            Set.of("org.qemu.guest_agent.0", "com.redhat.spice.0");

    /** Every machine has such controllers, with as many ports as its devices take. */
    private static final Set<String> CONTROLLERS =
            Set.of("pci", "virtio-serial", "scsi", "sata", "ide", "fdc", "usb");

    private final Domain domain;
    private final FoundNotes notes;
    private final FoundDisks disks;
    private final FoundBoot boot = new FoundBoot();
    private final List<DomainElement> agentNotes;
    private final Set<UUID> identities = new HashSet<>();
    private final List<VmInterface> interfaces = new ArrayList<>();
    private final List<VmConsole> consoles = new ArrayList<>();
    private @Nullable Video video;
    private boolean serialConsole;
    private boolean balloon = true;
    private boolean tpm;
    private @Nullable VmRandomness randomness;
    private @Nullable VmWatchdog watchdog;

    /** Memory modules that were plugged in, in MiB, with the NUMA node of each. */
    private final List<Module> modules = new ArrayList<>();

    /** A memory module. */
    record Module(int node, int mebibytes) {}

    /**
     * Reads the devices.
     *
     * @param devices the element with all devices
     * @param agentNotes what the host agent keeps about devices
     * @param domain the same document as monitoring reads it
     */
    FoundDevices(
            DomainElement devices,
            List<DomainElement> agentNotes,
            Domain domain,
            FoundNotes notes) {
        this.domain = domain;
        this.notes = notes;
        this.agentNotes = agentNotes;
        this.disks = new FoundDisks(notes, devices.all("controller"), agentNotes);
        // Monitoring keeps the devices in the order of the document.
        Iterator<ReportedDevice> known = domain.devices().devices().iterator();
        for (DomainElement device : devices.children()) {
            if (device.namespace() != null) {
                notes.missing(device.name() + " of QEMU");
            } else if (!device.name().equals("emulator") && known.hasNext()) {
                device(device, known.next());
            }
        }
        boot.check(interfaces, notes);
    }

    FoundDisks disks() {
        return disks;
    }

    FoundBoot boot() {
        return boot;
    }

    List<VmInterface> interfaces() {
        return interfaces;
    }

    List<VmConsole> consoles() {
        return consoles;
    }

    Video video() {
        return video == null ? Video.VGA : video;
    }

    boolean hasSerialConsole() {
        return serialConsole;
    }

    boolean hasBalloon() {
        return balloon;
    }

    boolean hasTpm() {
        return tpm;
    }

    @Nullable VmRandomness randomness() {
        return randomness;
    }

    @Nullable VmWatchdog watchdog() {
        return watchdog;
    }

    List<Module> modules() {
        return modules;
    }

    private void device(DomainElement device, ReportedDevice known) {
        String type = device.attribute("type");
        String model = device.attribute("model");
        switch (device.name()) {
            case "disk" -> disk(device, known);
            case "interface" -> nic(device);
            case "graphics" -> console(device);
            case "video" -> video(device);
            case "serial" -> serial(device, "isa-serial");
            case "console" -> serial(device, "serial");
            case "watchdog" -> watchdog(device);
            case "rng" -> randomness(device);
            case "tpm" -> tpm(device);
            case "memory" -> memory(device);
            case "memballoon" -> balloon = !model.equals("none");
            case "controller" -> controller(device);
            case "channel" ->
                    notes.changedIf(
                            !CHANNELS.contains(device.of("target", "name")),
                            "channel " + device.of("target", "name"));
            case "input" ->
                    notes.changedIf(
                            !device.is("bus", "ps2"),
                            "input device: " + type + " on " + device.attribute("bus"));
            case "audio" -> {} // the host's end of a sound card
            case "hostdev" ->
                    notes.missing("device of the host, %s: %s".formatted(type, known.hostDevice()));
            case "filesystem" ->
                    notes.missing("file system of the host " + device.of("source", "dir"));
            case "lease" ->
                    notes.missing(
                            "lease %s on storage domain %s"
                                    .formatted(device.textOf("key"), device.textOf("lockspace")));
            case "shmem", "nvram", "pstore", "crypto" -> notes.missing("device " + device.name());
            default ->
                    notes.changed(
                            "device %s %s"
                                    .formatted(device.name(), type.isEmpty() ? model : type)
                                    .strip());
        }
    }

    private void disk(DomainElement disk, ReportedDevice known) {
        if (!identities.add(known.id())) {
            notes.missing(
                    "disk %s: another device has its identity".formatted(disk.of("target", "dev")));
        } else if (disks.add(disk, known)) {
            boot.add(
                    disk,
                    disk.is("device", "cdrom") ? BootDevice.CDROM : BootDevice.DISK,
                    known.id());
        }
    }

    private void nic(DomainElement nic) {
        String mac = nic.of("mac", "address").toLowerCase(Locale.ROOT);
        String owner = "interface " + mac;
        VmNic known = domain.definition().nicWithMac(mac);
        String model = nic.of("model", "type");
        try {
            if (known == null) {
                throw new IllegalArgumentException("it has no MAC address");
            }
            if (!nic.is("type", "bridge") || nic.has("virtualport")) {
                throw new IllegalArgumentException(
                        "its type is %s, not a plain bridge".formatted(nic.attribute("type")));
            }
            VmInterface read = nic(nic, known, model(model));
            if (!identities.add(known.id())) {
                throw new IllegalArgumentException("another device has its identity");
            }
            interfaces.add(read);
            boot.add(nic, BootDevice.NETWORK, known.id());
            more(owner, nic, mac);
        } catch (IllegalArgumentException e) {
            notes.missing(owner + ": " + e.getMessage());
        }
    }

    private static VmInterface.Model model(String label) {
        for (VmInterface.Model model : VmInterface.Model.values()) {
            if (model.label().equals(label)) {
                return model;
            }
        }
        throw new IllegalArgumentException("its model is " + label);
    }

    private static VmInterface nic(DomainElement nic, VmNic known, VmInterface.Model model) {
        String bridge = nic.of("source", "bridge");
        int mtu = mtu(nic);
        return new VmInterface(
                known.id(),
                known.name(),
                known.mac(),
                bridge.equals(NO_BRIDGE) ? null : bridge,
                model,
                !nic.of("link", "state").equals("down") || bridge.equals(NO_BRIDGE),
                mtu == 0 ? null : mtu,
                nic.has("filterref"));
    }

    private static int mtu(DomainElement nic) {
        DomainElement mtu = nic.child("mtu");
        return mtu == null ? 0 : mtu.number("size", 0, Integer.MAX_VALUE);
    }

    private void more(String owner, DomainElement nic, String mac) {
        notes.others(owner, nic, KNOWN_OF_INTERFACES);
        String filter = nic.of("filterref", "filter");
        if (!filter.isEmpty() && !filter.equals(NO_SPOOFING)) {
            notes.changed("%s: filter %s; it becomes %s".formatted(owner, filter, NO_SPOOFING));
        }
        for (DomainElement note : agentNotes) {
            if (note.attribute("mac_address").equalsIgnoreCase(mac)) {
                for (DomainElement child : note.children()) {
                    notes.changedIf(!child.children().isEmpty(), owner + ": " + child.name());
                }
            }
        }
    }

    private void console(DomainElement graphics) {
        String type = graphics.attribute("type");
        VmConsole.Protocol protocol =
                switch (type) {
                    case "vnc" -> VmConsole.Protocol.VNC;
                    case "spice" -> VmConsole.Protocol.SPICE;
                    default -> null;
                };
        if (protocol == null || consoles.stream().anyMatch(each -> each.protocol() == protocol)) {
            notes.changed("console: " + type);
            return;
        }
        String keyboard = graphics.attribute("keymap");
        boolean has = protocol == VmConsole.Protocol.VNC && !keyboard.isEmpty();
        try {
            consoles.add(new VmConsole(protocol, has ? keyboard : null));
        } catch (IllegalArgumentException _) {
            consoles.add(new VmConsole(protocol, null));
            notes.changed("console: keyboard " + keyboard);
        }
        notes.others("console: " + type, graphics, Set.of("listen", "channel"));
    }

    private void video(DomainElement device) {
        String type = device.of("model", "type");
        Video found =
                switch (type) {
                    case "vga" -> Video.VGA;
                    case "qxl" -> Video.QXL;
                    case "virtio" -> Video.VIRTIO;
                    case "bochs" -> Video.BOCHS;
                    default -> null;
                };
        if (found == null || video != null) {
            notes.changedIf(!type.equals("none"), "video: " + type);
        } else {
            video = found;
            String heads = device.of("model", "heads");
            notes.changedIf(!heads.isEmpty() && !heads.equals("1"), "video: screens: " + heads);
        }
    }

    /** libvirt lists a serial port once more, as a console. */
    private void serial(DomainElement device, String usual) {
        String kind = device.of("target", "type");
        String type = device.attribute("type");
        boolean local = type.equals("pty") || type.equals("unix");
        boolean serial = kind.isEmpty() || kind.equals(usual);
        if (!local || !serial) {
            notes.changed("%s: %s %s".formatted(device.name(), type, kind).strip());
        }
        serialConsole |= local;
    }

    /** The model that machines of newer versions have anyway is not one of the definition. */
    private void watchdog(DomainElement device) {
        String model = device.attribute("model");
        if (model.equals("itco")) {
            return;
        }
        VmWatchdog.Action action =
                switch (device.attribute("action")) {
                    case "none" -> VmWatchdog.Action.NONE;
                    case "reset", "" -> VmWatchdog.Action.RESET;
                    case "poweroff" -> VmWatchdog.Action.POWER_OFF;
                    case "pause" -> VmWatchdog.Action.PAUSE;
                    case "dump" -> VmWatchdog.Action.DUMP;
                    default -> null;
                };
        if (!model.equals("i6300esb") || action == null || watchdog != null) {
            notes.changed("watchdog: %s %s".formatted(model, device.attribute("action")));
        } else {
            watchdog = new VmWatchdog(action);
        }
    }

    private void randomness(DomainElement device) {
        String path = device.textOf("backend");
        VmRandomness.Source source =
                switch (path) {
                    case "/dev/urandom", "/dev/random" -> VmRandomness.Source.URANDOM;
                    case "/dev/hwrng" -> VmRandomness.Source.HARDWARE;
                    default -> null;
                };
        if (source == null || randomness != null) {
            notes.changed("source of randomness: " + device.of("backend", "model") + " " + path);
            return;
        }
        DomainElement rate = device.child("rate");
        int bytes = rate == null ? 0 : rate.number("bytes", 0, Integer.MAX_VALUE);
        int period = rate == null ? 0 : rate.number("period", 0, Integer.MAX_VALUE);
        randomness =
                new VmRandomness(
                        source,
                        bytes == 0 ? null : bytes,
                        bytes == 0 || period == 0 ? null : period);
    }

    private void tpm(DomainElement device) {
        String model = device.attribute("model");
        DomainElement backend = device.child("backend");
        boolean own =
                model.equals("tpm-crb")
                        && backend != null
                        && backend.is("type", "emulator")
                        && !backend.is("version", "1.2");
        tpm |= own;
        if (!own) {
            notes.missing(
                    "TPM: %s, %s"
                            .formatted(model, backend == null ? "" : backend.attribute("type")));
        }
    }

    /** Plugged-in memory is part of the VM's memory, which the next run has from its begin. */
    private void memory(DomainElement device) {
        DomainElement target = device.child("target");
        DomainElement size = target == null ? null : target.child("size");
        if (target == null || size == null || !device.is("model", "dimm")) {
            notes.missing("memory module: " + device.attribute("model"));
        } else {
            modules.add(
                    new Module(
                            (int) DomainXmlReader.number(target.textOf("node"), 0, 4_095),
                            size.mebibytes()));
        }
    }

    private void controller(DomainElement device) {
        String type = device.attribute("type");
        String model = device.attribute("model");
        if (!CONTROLLERS.contains(type) || (type.equals("usb") && !model.equals("qemu-xhci"))) {
            notes.changed("controller: %s %s".formatted(type, model).strip());
        }
    }
}
