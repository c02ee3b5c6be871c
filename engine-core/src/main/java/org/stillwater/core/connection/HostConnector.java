package org.stillwater.core.connection;

import org.stillwater.core.host.HostDefinition;

/** Opens connections to hosts. Thread-safe. */
public interface HostConnector {

    /**
     * Starts to connect to a host and to stay connected, reconnecting with back-off until closed.
     * Returns at once.
     *
     * @param host how to reach it
     * @param listener receives all messages and state changes; called on the connection's own
     *     threads, must not block
     */
    HostConnection open(HostDefinition host, HostListener listener);
}
