package org.stillwater.monitoring.host;

import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;

/**
 * Receives durable changes of hosts' status (monitoring specification §3.6): for components that
 * connect storage, drop caches, or follow hosts in another way.
 */
public interface HostSignals {

    /** A listener without effect. */
    HostSignals NONE = (host, signal, reason) -> {};

    /**
     * The status of a host changed. Called in order on a dedicated thread.
     *
     * @param reason why it is non-operational, {@link NonOperationalReason#NONE} when it is not
     */
    void told(HostId host, HostDecision.Signal signal, NonOperationalReason reason);
}
