package org.stillwater.monitoring.host;

import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.NonOperationalReason;

/**
 * Hears of the fate of hosts, once it is durable (monitoring specification §3.6): for parts that
 * connect storage, drop their caches, or follow hosts otherwise.
 */
public interface HostSignals {

    /** A listener that does nothing. */
    HostSignals NONE = (host, signal, reason) -> {};

    /**
     * Something became of a host. Called on a thread that does nothing else, in order.
     *
     * @param reason why it is non-operational, {@link NonOperationalReason#NONE} when it is not
     */
    void told(HostId host, HostDecision.Signal signal, NonOperationalReason reason);
}
