package org.stillwater.vdsm.client.recording;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;

/** One line of a recording after its head. Times are microseconds since the recording began. */
public sealed interface Recorded {

    /** Time of the event, in microseconds. */
    long atMicros();

    /** The host concerned. */
    UUID host();

    /** A connection stands. */
    record Connected(long atMicros, UUID host) implements Recorded {}

    /** A connection was lost, or could not be made. */
    record Disconnected(long atMicros, UUID host, HostFailure failure) implements Recorded {}

    /**
     * The engine gave an order. Its parameters are not recorded.
     *
     * @param verb its method
     * @param vm the VM that it is about; null for none
     * @param target the recorded host that a migration goes to; null for none, or another one
     */
    record Ordered(long atMicros, UUID host, String verb, @Nullable UUID vm, @Nullable UUID target)
            implements Recorded {}

    /**
     * The host answered a request.
     *
     * @param sentMicros when the request was sent; negative before the recording began
     * @param message the JSON-RPC answer
     */
    @SuppressWarnings("ArrayRecordComponent") // a message is read once, never compared
    record Answered(long atMicros, UUID host, String verb, long sentMicros, byte[] message)
            implements Recorded {}

    /** A request ended without an answer. */
    record Failed(long atMicros, UUID host, String verb, HostFailure failure) implements Recorded {}

    /**
     * The host sent an event.
     *
     * @param message the JSON-RPC notification
     */
    @SuppressWarnings("ArrayRecordComponent") // a message is read once, never compared
    record Event(long atMicros, UUID host, byte[] message) implements Recorded {}

    /** The host sent a message that is no JSON-RPC. */
    record Malformed(long atMicros, UUID host) implements Recorded {}
}
