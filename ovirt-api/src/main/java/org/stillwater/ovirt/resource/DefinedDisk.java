package org.stillwater.ovirt.resource;

import org.stillwater.core.definition.VmDisk;
import org.stillwater.monitoring.vm.VmView;

/**
 * A disk in the definition of a VM.
 *
 * @param vm the VM
 * @param disk the disk
 */
public record DefinedDisk(VmView vm, VmDisk disk) {

    /** Identity of the disk in the API: that of its image, else that of the device. */
    public static String id(VmDisk disk) {
        return disk.place() instanceof VmDisk.Place.Volume volume
                ? volume.image().toString()
                : disk.id().toString();
    }
}
