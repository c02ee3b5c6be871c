package org.stillwater.core.command;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.id.VmId;

/**
 * Writes the devices of a domain, and the host agent's notes about them.
 *
 * <p>It is long because it has a method for each kind of device.
 */
final class DomainDevices {

    /** Ports of the root into which devices can be plugged while the VM runs. */
    private static final int ROOT_PORTS = 16;

    private static final int SERIAL_PORTS = 16;
    private static final int LETTERS = 26;

    /**
     * A bridge that leads nowhere, which every host agent makes. libvirt takes it, though its
     * schema has no such names.
     */
    private static final String NO_BRIDGE = ";vdsmdummy;";

    private static final String CHANNELS = "/var/lib/libvirt/qemu/channels/";

    private final VmId vmId;
    private final VmSpecification specification;
    private final StartEnvironment surroundings;
    private final boolean modern;
    private final XmlText xml;
    private final String cdromTarget;
    private final Map<VmDisk, String> targets = new LinkedHashMap<>();
    private final Map<UUID, Integer> bootOrder = new HashMap<>();

    /**
     * The devices of a VM.
     *
     * @param modern whether its machine is of the q35 family, with PCI Express and SATA
     */
    DomainDevices(
            VmId vmId,
            VmSpecification specification,
            StartEnvironment surroundings,
            boolean modern,
            XmlText xml) {
        this.vmId = vmId;
        this.specification = specification;
        this.surroundings = surroundings;
        this.modern = modern;
        this.xml = xml;
        CdDrive drive = CdDrive.of(modern);
        cdromTarget = drive.target();
        nameDisks();
        orderBoot();
    }

    private void nameDisks() {
        int virtio = 0;
        int other = 0;
        for (VmDisk disk : specification.disks()) {
            if (disk.bus() == VmDisk.Bus.VIRTIO) {
                targets.put(disk, "vd" + letters(virtio++));
                continue;
            }
            String target = "sd" + letters(other++);
            if (target.equals(cdromTarget)) {
                target = "sd" + letters(other++);
            }
            targets.put(disk, target);
        }
    }

    /** a to z, then aa to zz, and so on. */
    static String letters(int number) {
        String last = Character.toString((char) ('a' + number % LETTERS));
        return number < LETTERS ? last : letters(number / LETTERS - 1) + last;
    }

    private void orderBoot() {
        List<UUID> order = new ArrayList<>();
        for (VmSpecification.BootDevice kind : specification.boot()) {
            switch (kind) {
                case DISK -> bootDisks().forEach(disk -> order.add(disk.id()));
                case CDROM -> {
                    if (specification.cdrom() != null) {
                        order.add(specification.cdrom().id());
                    }
                }
                case NETWORK ->
                        specification.interfaces().stream()
                                .filter(nic -> !nic.unplugged())
                                .filter(nic -> nic.linked() && nic.network() != null)
                                .forEach(nic -> order.add(nic.id()));
            }
        }
        order.forEach(id -> bootOrder.put(id, bootOrder.size() + 1));
    }

    private List<VmDisk> bootDisks() {
        List<VmDisk> plugged =
                specification.disks().stream().filter(disk -> !disk.unplugged()).toList();
        List<VmDisk> chosen =
                plugged.stream()
                        .filter(disk -> disk.bootOrder() != null)
                        .sorted(
                                Comparator.comparing(
                                        VmDisk::bootOrder,
                                        Comparator.nullsLast(Comparator.naturalOrder())))
                        .toList();
        return chosen.isEmpty() ? plugged.stream().limit(1).toList() : chosen;
    }

    /** The host agent's notes about disks and interfaces. */
    void metadata() {
        pluggedInterfaces().forEach(this::metadata);
        forEachPluggedDisk(this::metadata);
    }

    private void metadata(VmInterface nic) {
        xml.empty(XmlText.Namespace.VM, "device", "mac_address", nic.mac());
    }

    /** A host shares a disk that is plugged in by these notes, not by the element in its XML. */
    private void metadata(VmDisk disk, String target) {
        VmDisk.Place.Volume volume =
                disk.place() instanceof VmDisk.Place.Volume known ? known : null;
        if (volume == null && !disk.shareable()) {
            return;
        }
        xml.open(XmlText.Namespace.VM, "device", "devtype", "disk", "name", target);
        if (volume != null) {
            xml.text(XmlText.Namespace.VM, "poolID", volume.pool());
            xml.text(XmlText.Namespace.VM, "domainID", volume.domain());
            xml.text(XmlText.Namespace.VM, "imageID", volume.image());
            xml.text(XmlText.Namespace.VM, "volumeID", volume.volume());
        }
        if (disk.shareable()) {
            xml.text(XmlText.Namespace.VM, "shared", "shared");
        }
        xml.close();
    }

    private Stream<VmInterface> pluggedInterfaces() {
        return specification.interfaces().stream().filter(nic -> !nic.unplugged());
    }

    /** Unplugged disks keep their names in the domain, under which they are plugged in later. */
    private void forEachPluggedDisk(BiConsumer<VmDisk, String> action) {
        targets.forEach((disk, target) -> {
            if (!disk.unplugged()) {
                action.accept(disk, target);
            }
        });
    }

    /**
     * The document that plugs an interface into a VM that runs. It is not in the boot order: the
     * guest has booted, and libvirt refuses a number that is taken.
     */
    void plug(VmInterface nic) {
        bootOrder.clear();
        xml.open("hotplug").open("devices");
        nic(nic);
        hotplugMetadata();
        metadata(nic);
        xml.close().close().close();
    }

    /** The same for a disk. */
    void plug(VmDisk disk) {
        bootOrder.clear();
        String target = targets.getOrDefault(disk, "");
        xml.open("hotplug").open("devices");
        disk(disk, target);
        hotplugMetadata();
        metadata(disk, target);
        xml.close().close().close();
    }

    private void hotplugMetadata() {
        xml.close().open("metadata");
        xml.open(XmlText.Namespace.VM, "vm").declare(XmlText.Namespace.VM);
    }

    /** The document that takes an interface out of a VM that runs: its name in the domain. */
    void unplug(VmInterface nic) {
        xml.open("hotunplug").open("devices").open("interface", "type", "bridge");
        xml.empty("mac", "address", nic.mac());
        alias(nic.id()).close().close().close();
    }

    /** The same for a disk. */
    void unplug(VmDisk disk) {
        xml.open("hotunplug").open("devices");
        xml.open("disk", "type", isBlock(disk) ? "block" : "file", "device", "disk");
        alias(disk.id()).close().close().close();
    }

    /** The element {@code devices}. */
    void write() {
        xml.open("devices");
        controllers();
        if (specification.cdrom() != null) {
            cdrom(specification.cdrom());
        }
        forEachPluggedDisk(this::disk);
        pluggedInterfaces().forEach(this::nic);
        channel(0, "unix", "org.qemu.guest_agent.0");
        consoles();
        rest();
        lease();
        xml.close();
    }

    /**
     * Hosts fill in path and offset of volumes' leases only: that of a VM has its own. A start with
     * a lease that another process holds fails on the host.
     */
    private void lease() {
        VmLease lease = surroundings.lease();
        if (lease == null) {
            return;
        }
        VmLease.Place place = lease.place();
        if (place == null) {
            throw new IllegalArgumentException("it is not known where the VM's lease is");
        }
        xml.open("lease").text("lockspace", lease.domain()).text("key", lease.vm());
        xml.empty("target", "path", place.path(), "offset", place.offsetBytes()).close();
    }

    private void controllers() {
        if (modern) {
            xml.empty("controller", "type", "pci", "model", "pcie-root", "index", 0);
            for (int port = 1; port <= ROOT_PORTS; port++) {
                xml.empty("controller", "type", "pci", "model", "pcie-root-port", "index", port);
            }
        }
        xml.open("controller", "type", "usb", "model", "qemu-xhci", "index", 0, "ports", 8);
        aliased("usb", 0).close();
        xml.open("controller", "type", "virtio-serial", "index", 0, "ports", SERIAL_PORTS);
        aliased("virtio-serial", 0).close();
        if (specification.disks().stream().anyMatch(disk -> disk.bus() == VmDisk.Bus.VIRTIO_SCSI)) {
            xml.open("controller", "type", "scsi", "model", "virtio-scsi", "index", 0);
            xml.empty("driver", "iothread", 1);
            aliased("scsi", 0).close();
        }
    }

    private void cdrom(VmCdrom cdrom) {
        xml.open("disk", "type", "file", "device", "cdrom", "snapshot", "no");
        xml.empty("driver", "name", "qemu", "type", "raw", "error_policy", "report");
        if (cdrom.imagePath() == null) {
            // Hosts look for the source of each disk, and fail the start of a VM without one.
            xml.empty("source", "file", "", "startupPolicy", "optional");
        } else {
            xml.open("source", "file", cdrom.imagePath(), "startupPolicy", "optional");
            unlabelled().close();
        }
        xml.empty("target", "dev", cdromTarget, "bus", CdDrive.of(modern).bus());
        xml.empty("readonly");
        boot(cdrom.id());
        alias(cdrom.id()).close();
    }

    private void disk(VmDisk disk, String target) {
        boolean block = isBlock(disk);
        xml.open("disk", "type", block ? "block" : "file", "device", "disk", "snapshot", "no");
        driver(disk, block);
        xml.open("source", block ? "dev" : "file", path(disk.place()));
        unlabelled().close();
        xml.empty("target", "dev", target, "bus", bus(disk.bus()));
        if (disk.readOnly()) {
            xml.empty("readonly");
        }
        if (disk.shareable()) {
            xml.empty("shareable");
        }
        xml.text("serial", serial(disk));
        boot(disk.id());
        alias(disk.id()).close();
    }

    private static boolean isBlock(VmDisk disk) {
        return switch (disk.place()) {
            case VmDisk.Place.Volume volume -> volume.block();
            case VmDisk.Place.BlockDevice _ -> true;
            case VmDisk.Place.File _ -> false;
        };
    }

    private void driver(VmDisk disk, boolean block) {
        List<Object> attributes =
                new ArrayList<>(
                        List.of(
                                "name",
                                "qemu",
                                "type",
                                disk.format() == VmDisk.Format.RAW ? "raw" : "qcow2",
                                "cache",
                                "none",
                                "error_policy",
                                "stop",
                                "io",
                                block ? "native" : "threads"));
        if (disk.bus() == VmDisk.Bus.VIRTIO) {
            attributes.addAll(List.of("iothread", 1));
        }
        xml.empty("driver", attributes.toArray());
    }

    private static String path(VmDisk.Place place) {
        return switch (place) {
            case VmDisk.Place.Volume volume ->
                    "/rhev/data-center/%s/%s/images/%s/%s"
                            .formatted(
                                    volume.pool(),
                                    volume.domain(),
                                    volume.image(),
                                    volume.volume());
            case VmDisk.Place.BlockDevice device -> device.path();
            case VmDisk.Place.File file -> file.path();
        };
    }

    private static UUID serial(VmDisk disk) {
        return disk.place() instanceof VmDisk.Place.Volume volume ? volume.image() : disk.id();
    }

    private static String bus(VmDisk.Bus bus) {
        return switch (bus) {
            case VIRTIO -> "virtio";
            case VIRTIO_SCSI -> "scsi";
            case SATA -> "sata";
        };
    }

    private void nic(VmInterface nic) {
        String bridge = nic.network() == null ? NO_BRIDGE : nic.network();
        xml.open("interface", "type", "bridge");
        xml.empty("mac", "address", nic.mac());
        xml.empty("source", "bridge", bridge);
        xml.empty("model", "type", nic.model().label());
        if (nic.filtered()) {
            xml.empty("filterref", "filter", "vdsm-no-mac-spoofing");
        }
        xml.empty("link", "state", nic.linked() && nic.network() != null ? "up" : "down");
        if (nic.mtuBytes() != null) {
            xml.empty("mtu", "size", nic.mtuBytes());
        }
        boot(nic.id());
        alias(nic.id()).close();
    }

    private void channel(int number, String type, String name) {
        xml.open("channel", "type", type);
        if (type.equals("unix")) {
            xml.empty("source", "mode", "bind", "path", CHANNELS + vmId + '.' + name);
        }
        xml.empty("target", "type", "virtio", "name", name);
        aliased("channel", number).close();
    }

    private void consoles() {
        for (VmConsole console : specification.consoles()) {
            List<Object> attributes =
                    new ArrayList<>(
                            List.of(
                                    "type",
                                    console.protocol() == VmConsole.Protocol.VNC ? "vnc" : "spice",
                                    "port",
                                    -1,
                                    "autoport",
                                    "yes",
                                    "passwd",
                                    "*****",
                                    "passwdValidTo",
                                    "1970-01-01T00:00:01"));
            if (console.protocol() == VmConsole.Protocol.SPICE) {
                attributes.addAll(List.of("tlsPort", -1));
            }
            if (console.keyboard() != null) {
                attributes.addAll(List.of("keymap", console.keyboard()));
            }
            xml.open("graphics", attributes.toArray());
            xml.empty(
                    "listen",
                    "type",
                    "network",
                    "network",
                    "vdsm-" + surroundings.displayNetwork());
            if (console.protocol() == VmConsole.Protocol.SPICE) {
                for (String channel :
                        List.of(
                                "main",
                                "inputs",
                                "cursor",
                                "playback",
                                "record",
                                "display",
                                "smartcard",
                                "usbredir")) {
                    xml.empty("channel", "name", channel, "mode", "secure");
                }
            }
            xml.close();
            if (console.protocol() == VmConsole.Protocol.SPICE) {
                channel(1, "spicevmc", "com.redhat.spice.0");
            }
        }
        if (specification.consoles().isEmpty()) {
            return;
        }
        xml.open("video");
        switch (specification.video()) {
            case VGA -> xml.empty("model", "type", "vga", "vram", 16_384, "heads", 1);
            case QXL ->
                    xml.empty(
                            "model", "type", "qxl", "ram", 65_536, "vram", 8_192, "vgamem", 16_384,
                            "heads", 1);
            case VIRTIO -> xml.empty("model", "type", "virtio", "heads", 1);
            case BOCHS -> xml.empty("model", "type", "bochs", "vram", 16_384, "heads", 1);
        }
        aliased("video", 0).close();
    }

    private void rest() {
        if (specification.serialConsole()) {
            xml.open("serial", "type", "unix");
            xml.empty(
                    "source",
                    "mode",
                    "bind",
                    "path",
                    "/var/run/ovirt-vmconsole-console/" + vmId + ".sock");
            xml.empty("target", "port", 0);
            aliased("serial", 0).close();
        }
        VmWatchdog watchdog = specification.watchdog();
        if (watchdog != null) {
            xml.open("watchdog", "model", "i6300esb", "action", action(watchdog.action()));
            aliased("watchdog", 0).close();
        }
        VmRandomness randomness = specification.randomness();
        if (randomness != null) {
            xml.open("rng", "model", "virtio");
            rate(randomness);
            xml.text(
                    "backend",
                    randomness.source() == VmRandomness.Source.URANDOM
                            ? "/dev/urandom"
                            : "/dev/hwrng",
                    "model",
                    "random");
            aliased("rng", 0).close();
        }
        if (specification.tpm()) {
            xml.open("tpm", "model", "tpm-crb");
            xml.empty("backend", "type", "emulator", "version", "2.0");
            aliased("tpm", 0).close();
        }
        if (specification.balloon()) {
            xml.open("memballoon", "model", "virtio").empty("stats", "period", 5);
            aliased("memballoon", 0).close();
        } else {
            xml.empty("memballoon", "model", "none");
        }
    }

    private void rate(VmRandomness randomness) {
        if (randomness.bytesPerPeriod() != null) {
            if (randomness.periodMillis() == null) {
                xml.empty("rate", "bytes", randomness.bytesPerPeriod());
            } else {
                xml.empty(
                        "rate",
                        "bytes",
                        randomness.bytesPerPeriod(),
                        "period",
                        randomness.periodMillis());
            }
        }
    }

    private static String action(VmWatchdog.Action action) {
        return switch (action) {
            case NONE -> "none";
            case RESET -> "reset";
            case POWER_OFF -> "poweroff";
            case PAUSE -> "pause";
            case DUMP -> "dump";
        };
    }

    private void boot(UUID device) {
        Integer order = bootOrder.get(device);
        if (order != null) {
            xml.empty("boot", "order", order);
        }
    }

    /** The host's security labels are not for files that several hosts share. */
    private XmlText unlabelled() {
        return xml.empty("seclabel", "model", "dac", "relabel", "no");
    }

    private XmlText aliased(String kind, int number) {
        return alias(DomainXmlWriter.deviceId(vmId, kind, number));
    }

    private XmlText alias(UUID id) {
        return xml.empty("alias", "name", "ua-" + id);
    }
}
