package org.stillwater.monitoring.host;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/** Finds the monitors of other hosts. Thread-safe, does not block. */
public interface Fleet {

    /** The monitor of a host, or null. */
    @Nullable HostMonitor monitor(HostId host);

    /** The monitor of the host with this name, or null. */
    @Nullable HostMonitor named(String name);

    /** The monitors of all hosts, as of about now. */
    Collection<HostMonitor> all();

    /** Whether a host's VMs have no reports. */
    default boolean isUnheard(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor != null && monitor.isUnheard();
    }

    /** Whether a host cannot give any information at present. */
    default boolean isOutOfContact(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor != null && !monitor.state().status().isInContact();
    }

    /** Whether no message reaches a host now: it is out of contact, or its connection is down. */
    default boolean isSilent(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor != null && (!monitor.isConnected() || isOutOfContact(host));
    }

    /**
     * Whether a host gets no more calls: down, out of service, or removed. One that is being
     * rebooted may run its VMs until it is confirmed as off.
     */
    default boolean isUnwatched(HostId host) {
        HostMonitor monitor = monitor(host);
        return monitor == null
                || switch (monitor.state().status()) {
                    case DOWN,
                            MAINTENANCE,
                            INSTALLING,
                            INSTALL_FAILED,
                            PENDING_APPROVAL,
                            INSTALLING_OS ->
                            true;
                    case UNASSIGNED,
                            UP,
                            NON_RESPONSIVE,
                            ERROR,
                            REBOOT,
                            PREPARING_FOR_MAINTENANCE,
                            NON_OPERATIONAL,
                            INITIALIZING,
                            CONNECTING,
                            KDUMPING ->
                            false;
                };
    }

    /** Whether a host has answered a complete poll requested after this time, or cannot answer. */
    default boolean hasAnsweredSince(HostId host, long nanos) {
        HostMonitor monitor = monitor(host);
        return monitor == null || !isInContact(monitor) || monitor.isPolledSince(nanos);
    }

    /** The same of every host but one. */
    default boolean haveOthersAnsweredSince(HostId host, long nanos) {
        for (HostMonitor monitor : all()) {
            if (!monitor.id().equals(host)
                    && isInContact(monitor)
                    && !monitor.isPolledSince(nanos)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isInContact(HostMonitor monitor) {
        return monitor.state().status().isInContact();
    }
}
