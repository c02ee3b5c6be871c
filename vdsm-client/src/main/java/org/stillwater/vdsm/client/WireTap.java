package org.stillwater.vdsm.client;

import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.vdsm.stomp.FrameBody;

/**
 * Listens to the traffic of chosen hosts, for recordings: see {@link VdsmHostConnector#listen}.
 * Called on the threads of the connections, before the message is handed on; must not wait for
 * other hosts. Times are nanoseconds of the engine's monotonic clock.
 */
public interface WireTap {

    /** A connection stands. */
    void connected(HostId host, long nanos);

    /** A connection was lost or could not be made. */
    void disconnected(HostId host, long nanos, HostFailure failure);

    /**
     * The engine sends a request.
     *
     * @param verb its method
     * @param request the JSON-RPC request, which may hold secrets
     */
    void called(HostId host, long nanos, String verb, byte[] request);

    /**
     * The host answered a request, by a result or an error.
     *
     * @param sentNanos when the request was sent
     * @param message the JSON-RPC answer, valid during the call
     */
    void answered(HostId host, long sentNanos, long receivedNanos, String verb, FrameBody message);

    /** A request ended without an answer. */
    void failed(HostId host, long nanos, String verb, HostFailure failure);

    /**
     * The host sent an event.
     *
     * @param message the JSON-RPC notification, valid during the call
     */
    void event(HostId host, long receivedNanos, FrameBody message);

    /** The host sent a message that is no JSON-RPC. */
    void malformed(HostId host, long receivedNanos);
}
