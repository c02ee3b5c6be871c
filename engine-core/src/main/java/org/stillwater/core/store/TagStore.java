package org.stillwater.core.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** Durable tags, and which VMs and hosts have them. Thread-safe. */
public interface TagStore {

    /**
     * All that is kept.
     *
     * @param tags every tag, in no order
     * @param vms VMs with tags, and their tags
     * @param hosts hosts with tags, and their tags
     */
    record Kept(List<Tag> tags, Map<VmId, Set<UUID>> vms, Map<HostId, Set<UUID>> hosts) {}

    /**
     * Reads everything.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    Kept load() throws StoreUnavailable;

    /**
     * Adds a tag, or replaces the one of its id; VMs and hosts keep it.
     *
     * @return {@link ClusterStore.Saved#TAKEN} if another one has its name, {@link
     *     ClusterStore.Saved#UNKNOWN} if its parent is not there
     * @throws StoreUnavailable if the database cannot be written now
     */
    ClusterStore.Saved save(Tag tag) throws StoreUnavailable;

    /**
     * Removes a tag with those below it. VMs and hosts lose them.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean remove(UUID tag) throws StoreUnavailable;

    /**
     * Gives a VM a tag; it may have it already.
     *
     * @return false if there is no such tag or no such VM
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean attach(UUID tag, VmId vm) throws StoreUnavailable;

    /**
     * Gives a host a tag; it may have it already.
     *
     * @return false if there is no such tag or no such host
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean attach(UUID tag, HostId host) throws StoreUnavailable;

    /**
     * Takes a tag from a VM.
     *
     * @return false if it had none such
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean detach(UUID tag, VmId vm) throws StoreUnavailable;

    /**
     * Takes a tag from a host.
     *
     * @return false if it had none such
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean detach(UUID tag, HostId host) throws StoreUnavailable;
}
