package org.stillwater.core.connection;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;

/**
 * One lasting connection to one host. Calls return at once; each receiver is called exactly once,
 * with the answer, a timeout or the loss of the connection, on a thread of the connection: it must
 * not block, only pass on. Thread-safe.
 */
public interface HostConnection extends AutoCloseable {

    /** {@link #pushTrouble()} of a host without pushes. */
    String NOT_PUSHED = "it has no relay";

    /**
     * Whether no change of the host can be made over this connection: the engine is the shadow of
     * another one.
     */
    default boolean isReadOnly() {
        return false;
    }

    /** Reads the host's capabilities ({@code Host.getCapabilities}). */
    void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver);

    /** Reads the firmware's data ({@code Host.getHardwareInfo}). */
    void hardware(Consumer<HostAnswer<HostHardware>> receiver);

    /** Reads the host's numbers ({@code Host.getStats}). */
    void statistics(Consumer<HostAnswer<HostStatistics>> receiver);

    /**
     * Reads all VMs ({@code Host.getAllVmStats}). The receiver must see to it that a successful
     * answer is closed.
     */
    void vmStatistics(Consumer<HostAnswer<VmReports>> receiver);

    /**
     * Why the statistics of the host's VMs do not come by themselves now, one clause for the
     * operator; null while they do: then {@link HostListener#vmsPushed} is called for each complete
     * list, and the VMs need not be requested in each cycle.
     */
    default @Nullable String pushTrouble() {
        return NOT_PUSHED;
    }

    /**
     * Reports of the VMs come without polls: memory that makes the next poll cheaper may be given
     * back. Any thread.
     */
    default void expectNoPolls() {}

    /**
     * Reads the libvirt XML of these VMs ({@code Host.dumpxmls}). VMs that the host does not know
     * are left out of the answer.
     */
    void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver);

    /**
     * Removes the remains of a VM on the host ({@code VM.destroy}). A VM that does not exist counts
     * as success.
     */
    void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver);

    /**
     * Reads a VM's data that the host holds outside its disks ({@code VM.getExternalData}).
     *
     * @param knownHash hash of the data that the engine has, null for none; the host leaves the
     *     data out when it is the same
     * @param refresh whether the host is to read the data again, for a VM that stopped
     */
    void externalData(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver);

    /**
     * Sends the host an order about a VM. Orders of one connection are sent in the order of the
     * calls, without waiting for answers, and carried out by the host in any order. Success: the
     * host accepted the order; its effect may come later. A {@link VmOrder.Destroy} of a VM that is
     * not there counts as success; other refusals come as {@link HostFailure.Refused} with one of
     * {@link RefusalCode}, or a code that is unknown here. After any other failure than a refusal
     * the host may or may not have done it.
     *
     * @param receiver gets the VM's id
     */
    void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver);

    /** The storage of the host's data centre, as this host works on it. */
    HostStorage storage();

    /** Drops the present connection, if any, and makes a new one; pending calls fail. */
    void reconnect(String reason);

    /**
     * Ends the connection for good, politely and within a bounded time. Idempotent. No listener
     * call follows its return.
     */
    @Override
    void close();
}
