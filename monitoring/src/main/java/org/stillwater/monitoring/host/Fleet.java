package org.stillwater.monitoring.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;

/** Finds the monitors of other hosts. Thread-safe, does not block. */
public interface Fleet {

    /** The monitor of a host, or null. */
    @Nullable HostMonitor monitor(HostId host);

    /** Whether nothing is heard of a host's VMs. */
    default boolean isUnheard(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor != null && monitor.isUnheard();
    }

    /** Whether nothing can be learned from a host at present. */
    default boolean isOutOfContact(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor != null && !monitor.state().status().isInContact();
    }
}
