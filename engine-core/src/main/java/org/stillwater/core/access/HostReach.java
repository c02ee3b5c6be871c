package org.stillwater.core.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.ClusterId;

/**
 * The parts of a definition that reach into hosts, and the right to set them. Pure.
 *
 * <p>A host opens every file, device or volume that a definition names and its hypervisor may open,
 * and the guest then has it: to name a file is to read it. Therefore only an administrator of the
 * VM's cluster may name a file that the VM does not have yet, to let the guest write to one that it
 * only read, or to have one read in another format: a guest can write a header of the other format
 * that names any file of the host. Custom properties steer hooks of hosts, which run with the
 * rights of VDSM and may do anything, so they are the administrators', too.
 *
 * <p>Operators keep, change otherwise and remove the devices that the VM has already; and they
 * choose among the images of ISO domains, which are open to all users.
 */
public final class HostReach {

    private HostReach() {}

    /**
     * The reason why a caller may not run a VM with a definition; null if it reaches no further
     * than the one before, or the caller may.
     *
     * @param cluster of the VM, as it is to be
     * @param before present specification of the VM; null for a new VM, or for none
     * @param next next specification of the VM, or that of one run; null for none
     * @return a clause without a full stop, without secrets
     */
    public static @Nullable String refusal(
            Caller caller,
            ClusterId cluster,
            @Nullable VmSpecification before,
            @Nullable VmSpecification next) {
        if (next == null || caller.has(Role.ADMINISTRATOR, cluster)) {
            return null;
        }
        VmSpecification known = before == null ? VmSpecification.BARE : before;
        String beyond = beyond(known, next);
        return beyond == null
                ? null
                : beyond + ", which takes the role of an administrator of the cluster";
    }

    /**
     * A definition that a host reported, without the resources of hosts that an administrator has
     * to grant: a host that lies must not have files, devices and hooks of another one used, on
     * which its VM is started next. Volumes of storage domains stay: hosts of a cluster share them.
     * What goes is named.
     */
    public static VmSpecification reported(VmSpecification found) {
        FoundDefinition differences = found.found();
        List<String> missing = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        List<VmDisk> disks = new ArrayList<>();
        for (VmDisk disk : found.disks()) {
            String path =
                    switch (disk.place()) {
                        case VmDisk.Place.Volume _ -> null;
                        case VmDisk.Place.BlockDevice device -> device.path();
                        case VmDisk.Place.File file -> file.path();
                    };
            if (path == null) {
                disks.add(disk);
            } else {
                missing.add(
                        "%s with the path %s on the host, which an administrator has to add"
                                .formatted(disk.name(), path));
            }
        }
        VmCdrom drive = found.cdrom();
        if (drive != null && drive.imagePath() != null && !drive.isOfIsoDomain()) {
            changed.add("the CD %s, which is of no ISO domain".formatted(drive.imagePath()));
            drive = new VmCdrom(drive.id(), null);
        }
        found.customProperties()
                .keySet()
                .forEach(name ->
                        changed.add(
                                "the custom property %s, which an administrator has to set"
                                        .formatted(name)));
        if (differences == null || (missing.isEmpty() && changed.isEmpty())) {
            return found;
        }
        return found.withDevices(disks, drive, found.interfaces())
                .withoutCustomProperties()
                .withFound(differences.with(missing, changed));
    }

    private static @Nullable String beyond(VmSpecification known, VmSpecification next) {
        List<VmDisk> present = known.disks();
        for (VmDisk disk : next.disks()) {
            if (present.stream().noneMatch(each -> isWithin(disk, each))) {
                return "the disk %s has a place, a format or writing that the VM does not have"
                        .formatted(disk.name());
            }
        }
        VmCdrom drive = next.cdrom();
        if (drive != null
                && drive.imagePath() != null
                && !drive.isOfIsoDomain()
                && !drive.imagePath().equals(image(known.cdrom()))) {
            return "the CD is a path beyond the ISO domains";
        }
        Map<String, String> properties = known.customProperties();
        for (Map.Entry<String, String> property : next.customProperties().entrySet()) {
            if (!property.getValue().equals(properties.get(property.getKey()))) {
                return "the custom property %s is for hooks of hosts".formatted(property.getKey());
            }
        }
        return null;
    }

    private static @Nullable String image(@Nullable VmCdrom drive) {
        return drive == null ? null : drive.imagePath();
    }

    /** Whether a disk gives its guest no more rights than another one does. */
    private static boolean isWithin(VmDisk disk, VmDisk other) {
        return disk.place().equals(other.place())
                && disk.format() == other.format()
                && (disk.readOnly() || !other.readOnly());
    }
}
