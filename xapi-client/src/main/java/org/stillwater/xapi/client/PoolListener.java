package org.stillwater.xapi.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Receives the changes of a pool. Calls come from the loops' threads, those of one loop one after
 * the other.
 */
public interface PoolListener {

    /**
     * An object that is new, changed or gone.
     *
     * @param before {@code null} if it is new
     * @param after {@code null} if it is gone
     */
    record Change(
            XapiClass type, String ref, @Nullable XapiRecord before, @Nullable XapiRecord after) {}

    /**
     * All objects of these classes, whole, after a full synchronisation; never a part of them.
     * Tasks come apart from all other classes. The maps change with later batches.
     */
    void synced(Map<XapiClass, Map<String, XapiRecord>> objects);

    /**
     * Objects of the pool with unreadable records, each as a sentence, since the last full
     * synchronisation; none if all are readable. They are in no map.
     */
    default void unreadable(List<String> objects) {}

    /** The changes of one batch. Changes of fields that are not read are left out. */
    void changed(List<Change> changes);

    /** A message of the pool, once, also across reconnects. */
    void message(XapiRecord message);

    /** The pool is lost; {@link #synced} follows when it is found again. */
    void lost(Exception reason);
}
