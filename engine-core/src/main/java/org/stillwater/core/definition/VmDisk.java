package org.stillwater.core.definition;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.Labels;

/**
 * A disk in the definition of a VM.
 *
 * @param id identity of the device
 * @param name its name, 1–255 characters
 * @param place location of its data
 * @param bus how the guest sees it
 * @param format how its data is laid out
 * @param bootOrder its rank among the disks that the VM boots from, at least 1; null for a disk it
 *     does not boot from. If no disk has a rank, the VM boots from the first
 * @param readOnly whether the guest may not write to it
 * @param shareable whether other VMs may use it at the same time; its format is raw
 * @param unplugged whether the VM runs without it; false for one that the guest sees, and in rows
 *     stored before there was any such disk
 */
public record VmDisk(
        UUID id,
        String name,
        Place place,
        Bus bus,
        Format format,
        @Nullable Integer bootOrder,
        boolean readOnly,
        boolean shareable,
        boolean unplugged) {

    /** A disk that is plugged. */
    public VmDisk(
            UUID id,
            String name,
            Place place,
            Bus bus,
            Format format,
            @Nullable Integer bootOrder,
            boolean readOnly,
            boolean shareable) {
        this(id, name, place, bus, format, bootOrder, readOnly, shareable, false);
    }

    public VmDisk {
        Labels.checkName("disk", name);
        if (bootOrder != null && bootOrder < 1) {
            throw new IllegalArgumentException(
                    "the boot order of disk " + name + " is at least 1, not " + bootOrder);
        }
        if (shareable && format != Format.RAW) {
            throw new IllegalArgumentException(
                    "disk " + name + " is shareable, so its format must be raw");
        }
        if (readOnly && bus == Bus.SATA) {
            throw new IllegalArgumentException(
                    "disk " + name + " is read-only, which SATA does not support: use virtio-scsi");
        }
    }

    /** The same, plugged or not. */
    public VmDisk plugged(boolean whether) {
        return new VmDisk(id, name, place, bus, format, bootOrder, readOnly, shareable, !whether);
    }

    /** How a guest sees a disk. */
    public enum Bus {
        VIRTIO,
        VIRTIO_SCSI,
        SATA
    }

    /** How data is laid out. */
    public enum Format {
        RAW,
        QCOW2
    }

    /** Location of a disk's data. */
    public sealed interface Place {

        /** Value that is equal for two notations of one location. */
        default Object identity() {
            return this;
        }

        /**
         * A volume on a storage domain.
         *
         * @param pool the storage pool
         * @param domain the storage domain
         * @param image the image; the guest sees it as the disk's serial number
         * @param volume the volume of the image
         * @param block whether it is a block device on the host, rather than a file
         */
        record Volume(UUID pool, UUID domain, UUID image, UUID volume, boolean block)
                implements Place {}

        /** A block device on the host, by its path. */
        record BlockDevice(String path) implements Place {
            public BlockDevice {
                Paths.check("block device", path);
            }

            @Override
            public Object identity() {
                return Paths.plain(path);
            }
        }

        /** A file on the host, by its path. */
        record File(String path) implements Place {
            public File {
                Paths.check("file", path);
            }

            @Override
            public Object identity() {
                return Paths.plain(path);
            }
        }
    }
}
