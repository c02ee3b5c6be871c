package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A disk of a VM, or its CD drive.
 *
 * @param device target name in the domain, {@code vda}
 * @param bus {@code virtio}, {@code scsi} or {@code sata}
 * @param cd whether it is a CD drive
 * @param image the image; {@code null} for a CD drive, for a direct LUN and for a plain file
 * @param lun the GUID of a direct LUN
 * @param storage storage domain of the image
 * @param capacityBytes size that the guest sees
 * @param allocatedBytes size that the storage has allocated
 * @param iopsLimit total operations per second, 0 for no limit
 * @param readPerSample mean bytes read in 15 s, 0 for none
 * @param writtenPerSample mean bytes written in 15 s, 0 for none
 * @param pluggedAt virtual milliseconds; {@link Long#MIN_VALUE} if it was there at the start
 * @param xml the element that defines it; {@code null} for one without a definition
 */
record Disk(
        String device,
        String bus,
        UUID deviceId,
        boolean cd,
        @Nullable UUID image,
        UUID volume,
        @Nullable String lun,
        UUID storage,
        boolean block,
        long capacityBytes,
        long allocatedBytes,
        int iopsLimit,
        int readPerSample,
        int writtenPerSample,
        long pluggedAt,
        @Nullable XmlElement xml) {

    boolean isCd() {
        return cd;
    }

    /** The same, of another size. */
    Disk ofSize(long bytes) {
        return new Disk(
                device,
                bus,
                deviceId,
                cd,
                image,
                volume,
                lun,
                storage,
                block,
                bytes,
                bytes,
                iopsLimit,
                readPerSample,
                writtenPerSample,
                pluggedAt,
                xml);
    }

    /**
     * The same drive with another CD in it.
     *
     * @param image path of the image; empty for none
     */
    Disk holding(String image) {
        XmlElement drive =
                xml == null
                        ? XmlElement.of("disk", "type", "file", "device", "cdrom")
                                .plus(XmlElement.of("target", "dev", device, "bus", bus))
                        : xml;
        List<XmlElement> children = new ArrayList<>();
        for (XmlElement child : drive.children()) {
            if (child.name().equals("target") && !image.isEmpty()) {
                children.add(XmlElement.of("source", "file", image));
            }
            if (!child.name().equals("source")) {
                children.add(child);
            }
        }
        return new Disk(
                device,
                bus,
                deviceId,
                cd,
                this.image,
                volume,
                lun,
                storage,
                block,
                capacityBytes,
                allocatedBytes,
                iopsLimit,
                readPerSample,
                writtenPerSample,
                pluggedAt,
                drive.withChildren(children));
    }

    String path() {
        XmlElement source = xml == null ? null : xml.child("source");
        if (source != null) {
            return source.attribute("file") + source.attribute("dev");
        }
        if (lun != null) {
            return "/dev/mapper/" + lun;
        }
        return "/rhev/data-center/mnt/%s/%s/images/%s/%s"
                .formatted(
                        block ? "blockSD" : "nfs1.example.test:_export_data",
                        storage,
                        image,
                        volume);
    }
}
