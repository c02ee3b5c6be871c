package org.stillwater.vdsm.client;

import java.time.Duration;
import org.stillwater.core.connection.HostFailure;

/**
 * Passes calls to one host on as they are: an engine's to a relay, a relay's to the host. Every
 * call is sent once at most. Thread-safe.
 */
@FunctionalInterface
public interface CallPassage {

    /**
     * A call as it is passed on. Its text leaves the parameters out: they may hold tickets and
     * passwords.
     *
     * @param verb its method
     * @param params its parameter object, JSON in UTF-8; not copied, and not changed afterwards
     * @param limit longest wait for the answer
     * @param mostAnswerBytes longest answer that is taken
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record PassedCall(String verb, byte[] params, Duration limit, int mostAnswerBytes) {
        @Override
        public String toString() {
            return verb + " with " + params.length + " bytes of parameters";
        }
    }

    /** Receives the outcome of a call, once, on any thread. Must not block. */
    interface Outcome {

        /**
         * The host answered.
         *
         * @param answer its JSON-RPC answer as it arrived, with a result or an error
         */
        void answered(byte[] answer);

        /** The host may or may not have carried the call out. */
        void failed(HostFailure failure);

        /** The call was certainly not sent to the host, and will not be. */
        void notSent(HostFailure failure);
    }

    /** Passes a call on. The outcome may arrive before this returns. */
    void pass(PassedCall call, Outcome outcome);
}
