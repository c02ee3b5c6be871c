package org.stillwater.fake.net;

import java.time.Duration;
import java.util.List;

/**
 * Limits and behaviour of the wire; {@link #DEFAULT} behaves as VDSM (protocol page §1.3, §2.2).
 *
 * @param handshakeLimit a TLS handshake must end within this
 * @param detectionLimit the first bytes must be enough within this
 * @param workers verbs one host runs at a time
 * @param queue verbs that wait on one host; more are refused with code 1100
 * @param workerLimit after this a worker is replaced, though its verb may still answer
 * @param outQueueBytes most data that waits for a slow reader before its connection is reset
 * @param frameLimitBytes largest body accepted
 * @param headerLimitBytes largest header block accepted
 * @param connectionsPerHost most connections of one host; more are closed at once
 * @param backlog length of the kernel's accept queue of one port
 * @param tlsProtocols names as JSSE spells them
 * @param certificates owner of the certificate that a host shows
 * @param faithfulQuirks whether VDSM's defects are played too (§2.3): batches of two or more
 *     unanswered, a notification stops all answers, invalid requests answered twice, answers to the
 *     same id mixed up between connections
 * @param seed of everything the transport draws by lot
 */
public record TransportSettings(
        Duration handshakeLimit,
        Duration detectionLimit,
        int workers,
        int queue,
        Duration workerLimit,
        long outQueueBytes,
        long frameLimitBytes,
        int headerLimitBytes,
        int connectionsPerHost,
        int backlog,
        List<String> tlsProtocols,
        Certificates certificates,
        boolean faithfulQuirks,
        long seed) {

    /** The owner of the certificate that a host shows. */
    public enum Certificates {
        /** All hosts show one, good for {@code localhost} and its addresses. */
        SHARED,
        /** Each host shows its own, good for its name and address; made at the first handshake. */
        PER_HOST
    }

    /** VDSM's behaviour, with bounds where VDSM has none. */
    public static final TransportSettings DEFAULT =
            new TransportSettings(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(10),
                    8,
                    80,
                    Duration.ofSeconds(60),
                    128L << 20,
                    64L << 20,
                    1 << 20,
                    256,
                    64,
                    List.of("TLSv1.3", "TLSv1.2"),
                    Certificates.SHARED,
                    false,
                    1);

    /** Checks ranges. */
    public TransportSettings {
        tlsProtocols = List.copyOf(tlsProtocols);
        require(handshakeLimit.isPositive(), "the handshake limit must be positive");
        require(detectionLimit.isPositive(), "the detection limit must be positive");
        require(workers > 0, "a host needs a worker");
        require(queue > 0, "a host needs a queue");
        require(workerLimit.isPositive(), "the worker limit must be positive");
        require(outQueueBytes > 0, "the out-queue limit must be positive");
        require(frameLimitBytes > 0, "the frame limit must be positive");
        require(headerLimitBytes > 0, "the header limit must be positive");
        require(connectionsPerHost > 0, "a host needs a connection");
        require(backlog > 0, "the backlog must be positive");
        require(!tlsProtocols.isEmpty(), "at least one TLS version is needed");
    }

    /**
     * The same with another limit of connections. With one, a host listens only while it has none,
     * so that it needs one open file.
     */
    public TransportSettings withConnectionsPerHost(int limit) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                outQueueBytes,
                frameLimitBytes,
                headerLimitBytes,
                limit,
                backlog,
                tlsProtocols,
                certificates,
                faithfulQuirks,
                seed);
    }

    /** The same with other TLS versions. */
    public TransportSettings withTlsProtocols(List<String> names) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                outQueueBytes,
                frameLimitBytes,
                headerLimitBytes,
                connectionsPerHost,
                backlog,
                names,
                certificates,
                faithfulQuirks,
                seed);
    }

    /** The same with other certificates. */
    public TransportSettings withCertificates(Certificates whose) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                outQueueBytes,
                frameLimitBytes,
                headerLimitBytes,
                connectionsPerHost,
                backlog,
                tlsProtocols,
                whose,
                faithfulQuirks,
                seed);
    }

    /** The same with or without VDSM's defects. */
    public TransportSettings withFaithfulQuirks(boolean quirks) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                outQueueBytes,
                frameLimitBytes,
                headerLimitBytes,
                connectionsPerHost,
                backlog,
                tlsProtocols,
                certificates,
                quirks,
                seed);
    }

    /** The same with another bound on the data that waits for a slow reader. */
    public TransportSettings withOutQueueBytes(long bytes) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                bytes,
                frameLimitBytes,
                headerLimitBytes,
                connectionsPerHost,
                backlog,
                tlsProtocols,
                certificates,
                faithfulQuirks,
                seed);
    }

    /** The same with another seed. */
    public TransportSettings withSeed(long value) {
        return new TransportSettings(
                handshakeLimit,
                detectionLimit,
                workers,
                queue,
                workerLimit,
                outQueueBytes,
                frameLimitBytes,
                headerLimitBytes,
                connectionsPerHost,
                backlog,
                tlsProtocols,
                certificates,
                faithfulQuirks,
                value);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
