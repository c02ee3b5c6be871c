package org.stillwater.monitoring.vm;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Receives events of VMs that need an action. Called on monitoring's threads, after the cause is
 * durable; must not block.
 */
public interface VmSignals {

    /** A listener without effect. */
    VmSignals NONE = (_, _, _) -> {};

    /**
     * Something that a command may wait for, or that others must follow.
     *
     * @param vmId the VM
     * @param host the host that reported it
     * @param signal the signal
     */
    void told(VmId vmId, HostId host, Decision.Signal signal);

    /**
     * An outgoing migration moved on.
     *
     * @param vmId the VM
     * @param percent 0–100
     * @param downtimeMillis how long the guest stood still, null until known
     */
    default void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {}

    /**
     * An order that its host had answered with success failed later.
     *
     * @param order the same instance as it was given
     * @param failure why
     */
    default void orderFailed(VmOrder order, HostFailure failure) {}
}
