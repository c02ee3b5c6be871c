package org.stillwater.fake.net;

import java.util.Map;

/**
 * Counters of the transport since its start.
 *
 * @param hosts hosts on the network now
 * @param connections connections now
 * @param accepted connections accepted
 * @param handshakesFailed TLS handshakes that failed
 * @param bytesIn bytes read, after TLS
 * @param bytesOut bytes written, before TLS
 * @param framesIn STOMP frames read
 * @param framesOut STOMP frames written
 * @param heartBeatsOut heart-beats written
 * @param events events delivered, one per subscriber
 * @param requests requests by verb
 * @param refusedCalls calls refused with code 1100
 * @param dropped connections the transport dropped, by reason
 * @param faultsFired faults that struck, by kind
 */
public record TransportMetrics(
        int hosts,
        int connections,
        long accepted,
        long handshakesFailed,
        long bytesIn,
        long bytesOut,
        long framesIn,
        long framesOut,
        long heartBeatsOut,
        long events,
        Map<String, Long> requests,
        long refusedCalls,
        Map<String, Long> dropped,
        Map<String, Long> faultsFired) {

    /** Copies the maps. */
    public TransportMetrics {
        requests = Map.copyOf(requests);
        dropped = Map.copyOf(dropped);
        faultsFired = Map.copyOf(faultsFired);
    }
}
