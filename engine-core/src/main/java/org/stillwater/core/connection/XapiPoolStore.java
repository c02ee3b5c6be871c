package org.stillwater.core.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;

/** Durable XAPI pools that users added. Passwords are stored encrypted. Thread-safe. */
public interface XapiPoolStore {

    /**
     * A stored pool.
     *
     * @param pool the pool; its password is empty if there is trouble
     * @param removing whether its hosts and VMs are being removed
     * @param trouble why its password cannot be decrypted, one clause for people; null if it can
     */
    record Stored(XapiPoolDefinition pool, boolean removing, @Nullable String trouble) {}

    /**
     * All pools, by name.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<Stored> load() throws StoreUnavailable;

    /**
     * Adds a pool, whose cluster is stored.
     *
     * @return {@link Saved#TAKEN} if another pool has its name or identity; {@link Saved#UNKNOWN}
     *     if its cluster is not stored
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     * @throws SecretBox.Unusable if there is no key; no change is made
     */
    Saved add(XapiPoolDefinition pool) throws StoreUnavailable;

    /**
     * Replaces a pool that is not being removed; its name stays.
     *
     * @return false if there is no such pool
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     * @throws SecretBox.Unusable if there is no key; no change is made
     */
    boolean update(XapiPoolDefinition pool) throws StoreUnavailable;

    /**
     * Notes that a pool is being removed; an engine that starts goes on with it.
     *
     * @return false if there is no such pool
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    boolean beginRemoval(ClusterId pool) throws StoreUnavailable;

    /**
     * Deletes a pool.
     *
     * @return false if there is no such pool
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    boolean remove(ClusterId pool) throws StoreUnavailable;
}
