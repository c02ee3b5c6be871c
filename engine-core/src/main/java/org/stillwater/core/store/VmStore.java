package org.stillwater.core.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.id.VmId;

/**
 * Durable state of VMs, and the work that follows from it. Called by the one batch writer and at
 * start; implementations need not be fast under contention, only thread-safe.
 */
public interface VmStore extends WorkStore {

    /**
     * Writes the changes of these VMs: the named columns, only where they differ, and the work that
     * follows from them, unless it was queued before. All that belongs to one VM is written in one
     * transaction; a large batch may take two. Guest interfaces, when changed, are replaced before
     * their digest is saved. Neither the changes nor the work of a refused VM are written; work of
     * a VM that does not exist is not queued.
     *
     * @param changes at most one per VM, sorted by VM, so that two writers never wait for each
     *     other's rows in a circle
     */
    WriteOutcome write(List<VmChange> changes);

    /**
     * Adds VMs with all their data; an existing VM is not changed.
     *
     * @param vms sorted by VM
     */
    WriteOutcome add(List<StoredVm> vms);

    /**
     * Which VMs have interfaces of these identities.
     *
     * @return VMs by the identities of their interfaces; an identity that none has is left out
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<UUID, VmId> interfaceOwners(Collection<UUID> interfaces) throws StoreUnavailable;

    /**
     * Streams every VM, by a few set-based reads. Devices come separately. A VM with a status that
     * this program does not know, as a newer version may have written it, is unknown.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable;

    /**
     * VMs with a state that could not be read at the start and was not written since, with the
     * reason.
     */
    default Map<VmId, String> unreadable() {
        return Map.of();
    }
}
