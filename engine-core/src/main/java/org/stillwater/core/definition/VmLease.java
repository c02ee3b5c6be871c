package org.stillwater.core.definition;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmRun;

/**
 * A lease of a VM on a storage domain as the engine knows it: a process that holds it is the only
 * one of its VM, since storage gives it to one host at a time. Its name on the domain is the VM's
 * identity.
 *
 * @param vm the VM, which may be gone while its lease is still to be deleted
 * @param domain the storage domain that it is on
 * @param place its location; null while it is not known to exist
 * @param run the run of the VM that was started with it, see {@link VmRun#generation}; null if
 *     there is none
 * @param deleting whether it is being deleted, so that it may be there or not
 */
public record VmLease(
        VmId vm, UUID domain, @Nullable Place place, @Nullable Long run, boolean deleting) {

    /**
     * Location of a lease, in the form of hosts and libvirt.
     *
     * @param path file or block device on every host of the data centre
     * @param offsetBytes where it begins there, in bytes
     */
    public record Place(String path, long offsetBytes) {
        public Place {
            if (path.isEmpty() || offsetBytes < 0) {
                throw new IllegalArgumentException("a lease has a path and an offset from 0 on");
            }
        }
    }

    /** One that is about to be created. */
    public static VmLease wanted(VmId vm, UUID domain) {
        return new VmLease(vm, domain, null, null, false);
    }

    /** The same, found there. */
    public VmLease at(Place found) {
        return new VmLease(vm, domain, found, run, false);
    }

    /** The same, with which a run of its VM is started; null for none. */
    public VmLease with(@Nullable Long started) {
        return new VmLease(vm, domain, place, started, deleting);
    }

    /** The same, about to be deleted: no run relies on it. */
    public VmLease ending() {
        return new VmLease(vm, domain, place, null, true);
    }

    /** Whether the process of this run is known to have been started with it. */
    public boolean isOfRun(long generation) {
        return place != null && !deleting && run != null && run == generation;
    }
}
