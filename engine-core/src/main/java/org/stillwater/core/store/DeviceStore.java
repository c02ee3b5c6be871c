package org.stillwater.core.store;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.id.VmId;

/**
 * Durable devices of VMs. Called by the one batch writer and at start; implementations need not be
 * fast under contention, only thread-safe.
 */
public interface DeviceStore {

    /**
     * Adds VMs with all their data and their first devices, in one transaction. An existing VM and
     * its devices are not changed.
     *
     * @param vms sorted by VM
     * @return the number of added VMs; a refused row is a VM that is not added, because of its own
     *     data or because of a device
     */
    WriteOutcome add(List<VmWithDevices> vms);

    /**
     * Saves in one transaction: updates, removals, additions, interfaces, definitions that follow
     * their hosts, and last the hashes, where they differ, with the next generation of each VM with
     * changed devices. A removed VM is no error.
     *
     * @param updates at most one per VM, sorted by VM
     * @return a refused row is a VM, which is not saved
     */
    WriteOutcome save(List<DeviceUpdate> updates);

    /**
     * Reads the devices of some VMs at once.
     *
     * @return devices by VM; a VM without any is left out
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<VmId, List<VmDevice>> load(List<VmId> vms) throws StoreUnavailable;

    /**
     * Streams the host's token for the devices of every VM that has one. Those of found VMs without
     * a definition are left out, so that their devices are read once more and make one.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadHashes(BiConsumer<VmId, String> receiver) throws StoreUnavailable;
}
