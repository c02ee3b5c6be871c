package org.stillwater.vdsm.client;

import org.stillwater.core.id.HostId;

/**
 * Receives the traffic of the connections, for metrics. Called on the connections' threads, often:
 * must be fast and must not block. Every method does nothing by default.
 */
public interface WireMeter {

    /** Counts nothing. */
    WireMeter NONE = new WireMeter() {};

    /** Bytes arrived (after TLS). */
    default void received(HostId host, int bytes) {}

    /** A frame arrived complete. */
    default void frame(HostId host) {}

    /** A message could not be understood. */
    default void malformed(HostId host) {}

    /** Values of a message that were not of the wanted kind; the rest of it was taken. */
    default void misfits(HostId host, int values) {}

    /**
     * Records of VMs in a poll.
     *
     * @param predicted were as they were but for numbers, and were not parsed
     * @param decoded had to be parsed
     */
    default void records(HostId host, int predicted, int decoded) {}

    /** An answer without a waiting call arrived: late, doubled, or meant for another engine. */
    default void unmatchedAnswer(HostId host) {}

    /** The host sent an ERROR frame. */
    default void errorFrame(HostId host) {}

    /** A connection stands. */
    default void connected(HostId host) {}

    /** An attempt to connect failed. */
    default void attemptFailed(HostId host) {}

    /** A connection was lost. */
    default void lost(HostId host) {}

    /** A call was not answered in time. */
    default void timedOut(HostId host) {}
}
