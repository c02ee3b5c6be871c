package org.stillwater.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;

/** Durable pools of VMs. Every method is one transaction. Thread-safe. */
public interface PoolStore {

    /**
     * Every pool with its VMs and their users, by one statement.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<VmPool> load() throws StoreUnavailable;

    /**
     * Adds a pool without VMs, or changes one; its VMs stay unchanged.
     *
     * @return {@link ClusterStore.Saved#TAKEN} if another one has its name, {@link
     *     ClusterStore.Saved#UNKNOWN} if there is no such cluster
     * @throws StoreUnavailable if the database cannot be written now
     */
    default ClusterStore.Saved save(VmPool pool) throws StoreUnavailable {
        return save(pool, null);
    }

    /**
     * Adds a pool, or changes one, together with its VMs: both or neither.
     *
     * @param members its VMs from now on, which keep their users; VMs of other pools stay there,
     *     and VMs that are gone are left out. Null leaves its VMs unchanged
     * @return {@link ClusterStore.Saved#TAKEN} if another one has its name, {@link
     *     ClusterStore.Saved#UNKNOWN} if there is no such cluster
     * @throws StoreUnavailable if the database cannot be written now
     */
    ClusterStore.Saved save(VmPool pool, @Nullable List<VmId> members) throws StoreUnavailable;

    /**
     * Removes a pool; its VMs stay, as ordinary ones.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean remove(UUID pool) throws StoreUnavailable;

    /**
     * Adds VMs to a pool. A VM is in one pool at most.
     *
     * @return how many were added
     * @throws StoreUnavailable if the database cannot be written now
     */
    int addMembers(UUID pool, List<VmId> vms) throws StoreUnavailable;

    /**
     * Takes VMs out of a pool.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    void removeMembers(UUID pool, List<VmId> vms) throws StoreUnavailable;

    /**
     * Gives a VM of a pool to a user, or takes it back.
     *
     * @param user null to take it back
     * @return false, changing nothing, if another user has it, or it is in no pool
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean assign(VmId vm, @Nullable String user) throws StoreUnavailable;
}
