package org.stillwater.xapi.host;

import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * The engine, as a pool reaches it besides the reports of its hosts. Called by the pool's threads;
 * must not wait for a database.
 */
public interface PoolInventory {

    /**
     * Hosts or definitions of VMs may be others than before, or the pool was read for the first
     * time. The receiver reads the pool when it has time.
     */
    void changed(XapiPool pool);

    /** A VM moves from one host of the pool to another. The reports of the hosts follow. */
    void moving(VmId vm, HostId from, HostId to);

    /**
     * The pool sends a message; each message arrives once.
     *
     * @param old whether the pool had the message already when it was read for the first time
     */
    void told(XapiPool pool, PoolMessage message, boolean old);

    /**
     * The pool refuses the engine until people change a password or rights; once until the pool is
     * read again.
     *
     * @param code XAPI's error
     */
    default void refused(XapiPool pool, String code) {
        // The pool's trouble shows it as well.
    }
}
