package org.stillwater.core.port;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.core.report.VmReports;

/**
 * Told what a host sends by itself. Called on the connection's threads, in the order of arrival;
 * must not block.
 */
public interface HostListener {

    /** A connection stands and the events of the host are subscribed. */
    void connected();

    /**
     * The connection was lost or could not be made; the next attempt follows by itself.
     *
     * @param failure why
     */
    void disconnected(HostFailure failure);

    /**
     * VMs changed. The receiver must see to it that the reports are closed.
     *
     * @param reports of kind {@link VmReports.Kind#EVENT}
     */
    void vmsChanged(VmReports reports);

    /**
     * An outgoing migration moved on.
     *
     * @param vmId the VM
     * @param percent 0–100
     * @param downtimeMillis how long the guest stood still, null until known
     */
    void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis);

    /** The host's network changed; its capabilities should be read again. */
    void networkChanged();

    /**
     * Something the host sent could not be understood and was left out.
     *
     * @param reason one sentence for the operator
     */
    void malformed(String reason);
}
