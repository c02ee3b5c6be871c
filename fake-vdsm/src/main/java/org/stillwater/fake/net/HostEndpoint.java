package org.stillwater.fake.net;

import org.jspecify.annotations.Nullable;

/**
 * One simulated host as the wire sees it: it answers verbs, independent of connections.
 *
 * <p>Implementations are thread-safe: the transport calls from up to eight virtual threads per host
 * at a time, like the workers of a real host (VDSM wire protocol §2.2). They are always truthful;
 * every fault of the {@link FaultBoard}, data faults included, is enforced by the transport.
 */
public interface HostEndpoint {

    /** The name faults and control use for this host. */
    HostName name();

    /**
     * Runs one verb. Replies exactly once, on any thread, possibly after this method has returned.
     *
     * <p>Everything from the verb's name on is the endpoint's: an unknown verb is its error −32601,
     * a missing argument its −32603, a recovering host its 99. An exception thrown from here is
     * answered with −32603 and logged.
     *
     * @param call the verb and its arguments
     * @param reply takes the answer
     */
    void call(RpcCall call, RpcReply reply);

    /**
     * A {@code VM_status} event with the present truth, freshly stamped, for an event storm. Called
     * outside the workers, up to some thousand times a second.
     *
     * @param vmId the VM concerned; {@code null} lets the host choose
     * @return the event, or {@code null} if there is nothing to report (no such VM, recovering)
     */
    default @Nullable HostEvent freshEvent(@Nullable String vmId) {
        return null;
    }
}
