package org.stillwater.fake.net;

import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.SegmentPool;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompLimits;

/**
 * The parts that all hosts of one transport share. Thread-safe.
 *
 * @param settings limits and manners
 * @param ticker clock and timer
 * @param meters counters
 * @param faults faults in force
 * @param dataFaults faults in the content of messages
 * @param tls TLS contexts; null in clear
 * @param buffers of writers
 * @param segments of large bodies read
 */
record TransportResources(
        TransportSettings settings,
        Ticker ticker,
        Meters meters,
        Faults faults,
        DataFaults dataFaults,
        @Nullable TlsContexts tls,
        BufferPool buffers,
        SegmentPool segments) {

    StompDecoder decoder() {
        return new StompDecoder(
                new StompLimits(settings.headerLimitBytes(), settings.frameLimitBytes(), false),
                segments);
    }

    Faults.@Nullable Active strike(FaultKind kind, Connection connection, String label) {
        return faults.strike(kind, connection.host().name(), label, connection.id());
    }
}
