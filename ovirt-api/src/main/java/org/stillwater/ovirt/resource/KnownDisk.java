package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * A disk of a VM: as it was defined, and as its host reports it. A disk is known by its image, else
 * by its LUN, else by its device. An image that only its host reports counts as a {@code cow}, as
 * nearly all are.
 *
 * @param id identity: the same for all VMs that share it
 * @param vm owner of the disk; one of the owners of a shared disk
 * @param name its name
 * @param format {@code raw} or {@code cow}
 * @param bus the value of {@code interface}
 * @param bootable whether the VM boots from it
 * @param readOnly whether the guest may not write to it
 * @param shareable whether several VMs may use it
 * @param active whether it is plugged
 * @param logicalName device in the guest, null if unknown
 * @param volume the volume of its image, null if unknown
 * @param domain its storage domain, null if unknown
 * @param lun its LUN, null for none
 * @param numbers its numbers, null if no report has any
 */
record KnownDisk(
        String id,
        VmView vm,
        String name,
        String format,
        String bus,
        boolean bootable,
        boolean readOnly,
        boolean shareable,
        boolean active,
        @Nullable String logicalName,
        @Nullable UUID volume,
        @Nullable UUID domain,
        @Nullable String lun,
        VmStatisticsView.@Nullable Disk numbers) {

    /** The disks of a VM: those of its definition first. */
    static List<KnownDisk> of(Fleet fleet, VmView vm) {
        VmStatisticsView statistics = fleet.statistics(vm.id());
        List<VmStatisticsView.Disk> reported = statistics == null ? List.of() : statistics.disks();
        VmSpecification specification = fleet.specification(vm.id());
        List<VmDisk> defined = specification == null ? List.of() : specification.disks();
        List<KnownDisk> disks = new ArrayList<>(Math.max(reported.size(), defined.size()));
        Map<String, VmStatisticsView.Disk> byImage = new HashMap<>();
        for (VmStatisticsView.Disk disk : reported) {
            if (disk.imageId() != null) {
                byImage.put(disk.imageId().toLowerCase(Locale.ROOT), disk);
            }
        }
        Set<String> seen = new HashSet<>();
        boolean ordered = defined.stream().anyMatch(disk -> disk.bootOrder() != null);
        for (VmDisk disk : defined) {
            String id = DefinedDisk.id(disk);
            if (seen.add(id)) {
                boolean bootable = ordered ? disk.bootOrder() != null : disks.isEmpty();
                disks.add(of(vm, id, disk, bootable, byImage.get(id)));
            }
        }
        for (VmStatisticsView.Disk disk : reported) {
            String lun = disk.lunId();
            String id =
                    disk.imageId() != null
                            ? disk.imageId().toLowerCase(Locale.ROOT)
                            : lun == null ? null : Uuids.of("lun", lun);
            if (id != null && seen.add(id)) {
                disks.add(of(vm, id, disk, disks.isEmpty()));
            }
        }
        return disks;
    }

    private static KnownDisk of(
            VmView vm,
            String id,
            VmDisk disk,
            boolean bootable,
            VmStatisticsView.@Nullable Disk numbers) {
        UUID volume = null;
        UUID domain = null;
        if (disk.place() instanceof VmDisk.Place.Volume place) {
            volume = place.volume();
            domain = place.domain();
        }
        return new KnownDisk(
                id,
                vm,
                disk.name(),
                disk.format() == VmDisk.Format.RAW ? "raw" : "cow",
                disk.bus().name().toLowerCase(Locale.ROOT),
                bootable,
                disk.readOnly(),
                disk.shareable(),
                !disk.unplugged(),
                numbers == null ? null : "/dev/" + numbers.name(),
                volume,
                domain,
                null,
                numbers);
    }

    private static KnownDisk of(
            VmView vm, String id, VmStatisticsView.Disk numbers, boolean bootable) {
        return new KnownDisk(
                id,
                vm,
                vm.definition().name() + "_" + numbers.name(),
                numbers.lunId() == null ? "cow" : "raw",
                busOf(numbers.name()),
                bootable,
                false,
                false,
                true,
                "/dev/" + numbers.name(),
                null,
                null,
                numbers.lunId(),
                numbers);
    }

    /** By the name of the device in the guest. */
    private static String busOf(String device) {
        return device.startsWith("sd") ? "virtio_scsi" : device.startsWith("hd") ? "ide" : "virtio";
    }

    /** Bytes that it takes; null if unknown. */
    @Nullable Long actualBytes() {
        return numbers == null ? null : numbers.actualSizeBytes();
    }

    /** Identity of its volume; derived from its own where none is reported. */
    String image() {
        return volume == null ? Uuids.of("volume", id) : volume.toString();
    }

    /** Identity of its storage domain. */
    String domain(UnmanagedObjects surroundings) {
        return surroundings.storage(vm.definition().cluster(), domain);
    }
}
