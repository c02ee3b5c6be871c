package org.stillwater.core.connection;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;

/**
 * Receives messages that a host sends by itself. Called on the connection's threads, in the order
 * of arrival; must not block.
 */
public interface HostListener {

    /**
     * Whether the certificate that the host showed is its own. Called at each connection, a resumed
     * one too, before anything is sent.
     *
     * @param dialled the host as it was dialled
     * @param shown its certificate, which the trusted authority signed
     * @return why it is refused, one sentence for the operator; null to accept it
     */
    @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown);

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
     * A complete list of the host's VMs has come by itself; {@link HostConnection#vmStatistics}
     * hands it over without asking the host.
     */
    default void vmsPushed() {}

    /**
     * An outgoing migration moved on.
     *
     * @param vmId the VM
     * @param percent 0–100
     * @param downtimeMillis how long the guest stood still, null until known
     */
    void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis);

    /**
     * An order that was answered with success failed later, as tasks of XAPI's pools do.
     *
     * @param order the same instance as it was given
     * @param failure why
     */
    default void orderFailed(VmOrder order, HostFailure failure) {}

    /** The host's network changed; its capabilities should be read again. */
    void networkChanged();

    /**
     * Something the host sent could not be understood and was left out.
     *
     * @param reason one sentence for the operator
     */
    void malformed(String reason);

    /**
     * The host sent an unexplained message, which was left out: an ERROR frame, or an answer
     * without the identity of its call.
     *
     * @param what one clause for the operator
     */
    default void unexplained(String what) {}

    /** The host sends more than is read of one host and was made to wait; once a second. */
    default void slowed() {}

    /**
     * Texts or lists of an answer were cut to their limits or cleaned before they were handed over.
     *
     * @param call the call
     */
    default void altered(String call) {}
}
