package org.stillwater.core.store;

import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.id.VmId;

/**
 * The storage domains of the disks of VMs: as their hosts reported them last, else as the VMs are
 * defined. Thread-safe.
 */
@FunctionalInterface
public interface DiskPlaces {

    /**
     * The storage domains of images.
     *
     * @param vms which VMs
     * @return by VM and image; images that are not on a storage domain, or were neither defined nor
     *     reported, are left out
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<VmId, Map<UUID, UUID>> of(Collection<VmId> vms) throws StoreUnavailable;

    /**
     * Another number after disks of a VM may have come, gone or moved without another definition or
     * list of devices; 0 if that does not happen.
     */
    default long revision(VmId vm) {
        return 0;
    }
}
