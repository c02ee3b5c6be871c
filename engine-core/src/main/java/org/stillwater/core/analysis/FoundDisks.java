package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.report.ReportedDevice;

/** Disks and the CD drive of a found VM. A disk without a rank yet; {@link FoundBoot} ranks it. */
final class FoundDisks {

    private static final Set<String> KNOWN =
            Set.of(
                    "driver",
                    "source",
                    "backingStore",
                    "mirror",
                    "target",
                    "readonly",
                    "shareable",
                    "serial",
                    "boot",
                    "alias",
                    "address");

    private static final Set<String> KNOWN_OF_SOURCE = Set.of("seclabel");
    private static final String POOLS = "/rhev/data-center/";

    private final FoundNotes notes;
    private final List<DomainElement> controllers;
    private final Map<String, DomainElement> metadata = new HashMap<>();
    private final List<VmDisk> disks = new ArrayList<>();
    private @Nullable VmCdrom cdrom;

    /**
     * No disks yet.
     *
     * @param controllers the controllers of the VM
     * @param notesOfAgent what the host agent keeps about devices
     */
    FoundDisks(
            FoundNotes notes, List<DomainElement> controllers, List<DomainElement> notesOfAgent) {
        this.notes = notes;
        this.controllers = controllers;
        for (DomainElement device : notesOfAgent) {
            if (device.is("devtype", "disk")) {
                metadata.putIfAbsent(device.attribute("name"), device);
            }
        }
    }

    List<VmDisk> disks() {
        return disks;
    }

    @Nullable VmCdrom cdrom() {
        return cdrom;
    }

    /**
     * Adds an element {@code disk}.
     *
     * @param device the same as monitoring knows it, which has its identity
     * @return whether the definition has it
     */
    boolean add(DomainElement disk, ReportedDevice device) {
        String target = disk.of("target", "dev");
        String kind = disk.attribute("device", "disk");
        return switch (kind) {
            case "cdrom" -> cdrom(disk, device, target);
            case "floppy" -> {
                notes.changed("floppy disk " + target);
                yield false;
            }
            default -> hardDisk(disk, device, kind, target);
        };
    }

    private boolean hardDisk(
            DomainElement disk, ReportedDevice device, String kind, String target) {
        String owner = "disk " + target;
        try {
            if (!kind.equals("disk")) {
                throw new IllegalArgumentException("passed through as " + kind + " to the guest");
            }
            VmDisk read = disk(disk, device, target);
            disks.add(read);
            more(owner, disk, read);
            return true;
        } catch (IllegalArgumentException e) {
            notes.missing(owner + ": " + e.getMessage());
            return false;
        }
    }

    private boolean cdrom(DomainElement drive, ReportedDevice device, String target) {
        String path = drive.of("source", "file");
        if (cdrom != null || isPayload(target)) {
            notes.changed("CD drive %s%s".formatted(target, path.isEmpty() ? "" : " with " + path));
            return false;
        }
        try {
            cdrom = new VmCdrom(device.id(), path.isEmpty() ? null : path);
        } catch (IllegalArgumentException e) {
            cdrom = new VmCdrom(device.id(), null);
            notes.changed("CD in the drive: " + e.getMessage());
        }
        notes.changedIf(
                path.isEmpty() && drive.has("source") && !drive.is("type", "file"),
                "CD in the drive: its source is of type " + drive.attribute("type"));
        notes.others("CD drive", drive, KNOWN);
        return true;
    }

    private boolean isPayload(String target) {
        DomainElement known = metadata.get(target);
        return known != null && known.has("payload");
    }

    private VmDisk disk(DomainElement disk, ReportedDevice device, String target) {
        DomainElement known = metadata.get(target);
        boolean shared =
                disk.has("shareable") || (known != null && known.textOf("shared").equals("shared"));
        return new VmDisk(
                device.id(),
                "disk" + (disks.size() + 1),
                place(disk, known),
                bus(disk),
                format(disk.of("driver", "type")),
                null,
                device.readOnly(),
                shared);
    }

    private static VmDisk.Format format(String type) {
        return switch (type) {
            case "", "raw" -> VmDisk.Format.RAW;
            case "qcow2" -> VmDisk.Format.QCOW2;
            default -> throw new IllegalArgumentException("its format is " + type);
        };
    }

    private VmDisk.Bus bus(DomainElement disk) {
        String bus = disk.of("target", "bus");
        return switch (bus) {
            case "virtio" -> VmDisk.Bus.VIRTIO;
            case "sata" -> VmDisk.Bus.SATA;
            case "scsi" -> {
                String model = controllerOf(disk);
                if (!model.isEmpty() && !model.startsWith("virtio-scsi")) {
                    throw new IllegalArgumentException("its SCSI controller is " + model);
                }
                yield VmDisk.Bus.VIRTIO_SCSI;
            }
            default -> throw new IllegalArgumentException("its bus is " + bus);
        };
    }

    private String controllerOf(DomainElement disk) {
        String wanted = disk.of("address", "controller");
        for (DomainElement controller : controllers) {
            if (controller.is("type", "scsi")
                    && controller.is("index", wanted.isEmpty() ? "0" : wanted)) {
                return controller.attribute("model");
            }
        }
        return "";
    }

    private static VmDisk.Place place(DomainElement disk, @Nullable DomainElement known) {
        DomainElement source = disk.child("source");
        String type = disk.attribute("type");
        boolean block = type.equals("block");
        String path = source == null ? "" : source.attribute(block ? "dev" : "file");
        if (!(block || type.equals("file"))) {
            throw new IllegalArgumentException("its source is of type " + type);
        }
        if (source == null || source.has("encryption") || disk.has("encryption")) {
            throw new IllegalArgumentException(
                    source == null ? "it has no source" : "it is encrypted by its host");
        }
        VmDisk.Place.Volume volume = volume(path, known, block);
        if (volume != null) {
            return volume;
        }
        if (path.startsWith(POOLS) || VolumePath.read(path) != null) {
            throw new IllegalArgumentException(
                    "the host does not report of which storage pool the volume is: " + path);
        }
        return block ? new VmDisk.Place.BlockDevice(path) : new VmDisk.Place.File(path);
    }

    /** The path comes first, as for monitoring: it is true also after the disk has moved. */
    private static VmDisk.Place.@Nullable Volume volume(
            String path, @Nullable DomainElement known, boolean block) {
        DiskImage image = VolumePath.read(path);
        UUID volume = image == null ? null : VolumePath.uuid(lastName(path));
        UUID pool = known == null ? null : VolumePath.uuid(known.textOf("poolID"));
        if (image == null && known != null) {
            image = VolumePath.of(known.textOf("imageID"), known.textOf("domainID"));
        }
        if (volume == null && known != null) {
            volume = VolumePath.uuid(known.textOf("volumeID"));
        }
        if (pool == null && path.startsWith(POOLS)) {
            String first = path.substring(POOLS.length()).split("/", 2)[0];
            pool = VolumePath.uuid(first);
        }
        return image == null || volume == null || pool == null
                ? null
                : new VmDisk.Place.Volume(pool, image.domain(), image.image(), volume, block);
    }

    private static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Names properties that a definition does not have. */
    private void more(String owner, DomainElement disk, VmDisk read) {
        notes.others(owner, disk, KNOWN);
        DomainElement source = disk.child("source");
        if (source != null) {
            notes.others(owner + ": source", source, KNOWN_OF_SOURCE);
        }
        UUID own = read.place() instanceof VmDisk.Place.Volume of ? of.image() : read.id();
        String serial = disk.textOf("serial");
        if (!serial.equals(own.toString())) {
            notes.changed(
                    serial.isEmpty()
                            ? "%s: no serial number; it becomes %s".formatted(owner, own)
                            : "%s: serial number %s; it becomes %s".formatted(owner, serial, own));
        }
        driver(owner, disk, "cache", "none");
        driver(owner, disk, "error_policy", "stop");
        driver(owner, disk, "discard", "ignore");
        driver(owner, disk, "detect_zeroes", "off");
    }

    private void driver(String owner, DomainElement disk, String attribute, String own) {
        String value = disk.of("driver", attribute);
        if (!value.isEmpty() && !value.equals(own)) {
            notes.changed("%s: %s %s".formatted(owner, attribute, value));
        }
    }
}
