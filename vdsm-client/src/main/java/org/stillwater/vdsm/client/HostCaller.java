package org.stillwater.vdsm.client;

import java.util.function.Consumer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.stomp.StompFrame;
import tools.jackson.core.JsonGenerator;

/** Sends requests to one host and returns its answers. Thread-safe. */
interface HostCaller {

    /** Receives the outcome of a call, once. Must not block. */
    interface Receiver {
        /** An answer with a result or an error; the receiver closes it. */
        void answered(Answer answer);

        void failed(HostFailure failure);

        /** The request was certainly not sent, and will not be. */
        default void notSent(HostFailure failure) {
            failed(failure);
        }
    }

    /**
     * An answer that arrived.
     *
     * @param link receives the outcome of decoding
     * @param frame the message
     * @param envelope the message, opened up to the result
     * @param sentNanos when the request was sent
     * @param receivedNanos when the answer was complete
     */
    record Answer(
            VmMessage.Verdict link,
            StompFrame frame,
            Envelope envelope,
            long sentNanos,
            long receivedNanos)
            implements AutoCloseable {
        @Override
        public void close() {
            envelope.close();
            frame.close();
        }
    }

    /** Sends a request. The receiver is called exactly once, possibly before this returns. */
    void call(String verb, Consumer<? super JsonGenerator> params, Receiver receiver);

    /**
     * Sends a command: a request that changes something on the host, or reads the progress of such
     * a change. A caller may have another way for it than for {@link #call}.
     */
    default void command(String verb, Consumer<? super JsonGenerator> params, Receiver receiver) {
        call(verb, params, receiver);
    }

    /** Ends the present connection, after which a new one follows. */
    void reconnect(String reason);

    /** Ends the connection for good. */
    void close();
}
