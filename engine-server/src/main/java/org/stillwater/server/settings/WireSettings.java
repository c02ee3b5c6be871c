package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The connections to hosts.
 *
 * @param tls identity, trust and checks
 * @param connectTimeout longest wait for a TCP connection
 * @param handshakeTimeout longest wait for the TLS handshake and the host's greeting together
 * @param callTimeout longest wait for an answer
 * @param writeTimeout longest wait for a host to accept sent bytes; then it counts as not reading
 * @param closeTimeout longest wait for the orderly end of a connection
 * @param heartBeatOut interval of the engine's heart-beats to the host; 0s promises none
 * @param heartBeatIn interval of the host's heart-beats; a host silent for twice that long counts
 *     as lost; 0s requests none
 * @param replies whether a connection requests its own reply destination (private) or uses the
 *     usual one of all clients of a host (shared)
 * @param frameLimit largest message accepted from a host
 * @param reconnectAtLeast first pause before a lost connection is made again; doubles with every
 *     failure in a row, less a random part of up to a half
 * @param reconnectAtMost longest such pause
 * @param connectConcurrency hosts in the middle of TLS handshake and greeting at the same time
 * @param connectSpacing least time between two attempts to connect, over all hosts
 * @param pendingCalls calls waiting for their answer on one connection; a call beyond fails
 * @param outboundFrames messages waiting to be sent on one connection; a call beyond fails
 * @param malformedMessages malformed messages in a row that end a connection
 * @param idleBuffers receive buffers kept for reuse, over all hosts
 * @param hostMembers most members kept of one object or list in a host's report about itself
 *     (interfaces, storage domains and the like); further members count as not reported
 * @param receiveRate bytes read per second from one host, once a message of the largest size was
 *     read at once; a message counts as 2 KB more than it has. A host that sends more waits
 */
@ConfigurationProperties("stillwater.wire")
public record WireSettings(
        @DefaultValue Tls tls,
        @DefaultValue("20s") Duration connectTimeout,
        @DefaultValue("20s") Duration handshakeTimeout,
        @DefaultValue("180s") Duration callTimeout,
        @DefaultValue("20s") Duration writeTimeout,
        @DefaultValue("500ms") Duration closeTimeout,
        @DefaultValue("10s") Duration heartBeatOut,
        @DefaultValue("10s") Duration heartBeatIn,
        @DefaultValue("private") Replies replies,
        @DefaultValue("64MB") DataSize frameLimit,
        @DefaultValue("1s") Duration reconnectAtLeast,
        @DefaultValue("30s") Duration reconnectAtMost,
        @DefaultValue("32") int connectConcurrency,
        @DefaultValue("2ms") Duration connectSpacing,
        @DefaultValue("256") int pendingCalls,
        @DefaultValue("256") int outboundFrames,
        @DefaultValue("3") int malformedMessages,
        @DefaultValue("32MB") DataSize idleBuffers,
        @DefaultValue("4096") int hostMembers,
        @DefaultValue("32MB") DataSize receiveRate) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(1);

    public WireSettings {
        Checks.duration("wire.connect-timeout", connectTimeout, SHORTEST, LONGEST);
        Checks.duration("wire.handshake-timeout", handshakeTimeout, SHORTEST, LONGEST);
        Checks.duration("wire.call-timeout", callTimeout, SHORTEST, LONGEST);
        Checks.duration("wire.write-timeout", writeTimeout, SHORTEST, LONGEST);
        Checks.duration("wire.close-timeout", closeTimeout, SHORTEST, Duration.ofMinutes(1));
        Checks.duration("wire.heart-beat-out", heartBeatOut, Duration.ZERO, LONGEST);
        Checks.duration("wire.heart-beat-in", heartBeatIn, Duration.ZERO, LONGEST);
        Checks.size(
                "wire.frame-limit",
                frameLimit,
                DataSize.ofKilobytes(64),
                DataSize.ofMegabytes(1024));
        Checks.duration("wire.reconnect-at-least", reconnectAtLeast, SHORTEST, LONGEST);
        Checks.duration("wire.reconnect-at-most", reconnectAtMost, reconnectAtLeast, LONGEST);
        Checks.number("wire.connect-concurrency", connectConcurrency, 1, 10_000);
        Checks.duration(
                "wire.connect-spacing", connectSpacing, Duration.ZERO, Duration.ofMinutes(1));
        Checks.number("wire.pending-calls", pendingCalls, 1, 100_000);
        Checks.number("wire.outbound-frames", outboundFrames, 1, 100_000);
        Checks.number("wire.malformed-messages", malformedMessages, 1, 1000);
        Checks.size("wire.idle-buffers", idleBuffers, DataSize.ofBytes(0), DataSize.ofGigabytes(4));
        Checks.number("wire.host-members", hostMembers, 16, 1_000_000);
        Checks.size(
                "wire.receive-rate",
                receiveRate,
                DataSize.ofKilobytes(64),
                DataSize.ofGigabytes(100));
    }

    /** Route of hosts' answers. */
    public enum Replies {
        /** A destination that only this connection reads. */
        PRIVATE,
        /** The destination that all clients of a host read. */
        SHARED
    }

    /**
     * Identity, trust and checks. Either PEM files (certificate, key, trust) or PKCS#12 files
     * (key-store, trust-store); changed files are read again by themselves.
     *
     * @param enabled false only for tests and measurements against hosts that listen without TLS
     * @param certificate PEM file with the engine's certificate, followed by intermediate ones
     * @param key PEM file with the engine's private key, not encrypted
     * @param trust PEM file with the certificates of the authorities that sign hosts
     * @param keyStore PKCS#12 file with the engine's key and certificate
     * @param keyStorePassword opens the key store; better given in the environment
     * @param trustStore PKCS#12 file with the certificates of the authorities that sign hosts
     * @param trustStorePassword opens the trust store; better given in the environment
     * @param checkHostName whether every host's certificate must name the address that was dialled;
     *     otherwise a first certificate that does not is pinned, and a change of it waits for a
     *     confirmation
     * @param protocols TLS versions offered, best first
     */
    public record Tls(
            @DefaultValue("true") boolean enabled,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable Path trust,
            @Nullable Path keyStore,
            @DefaultValue("") String keyStorePassword,
            @Nullable Path trustStore,
            @DefaultValue("") String trustStorePassword,
            @DefaultValue("false") boolean checkHostName,
            @DefaultValue({"TLSv1.3", "TLSv1.2"}) List<String> protocols) {

        public Tls {
            boolean pem = certificate != null || key != null || trust != null;
            boolean pkcs12 = keyStore != null || trustStore != null;
            Checks.require(
                    !(pem && pkcs12),
                    "wire.tls",
                    "either PEM files (certificate, key, trust) or PKCS#12 files (key-store,"
                            + " trust-store)",
                    "both");
            Checks.require(
                    !pem || (certificate != null && key != null && trust != null),
                    "wire.tls",
                    "all three of certificate, key and trust",
                    "only some of them");
            Checks.require(
                    !pkcs12 || (keyStore != null && trustStore != null),
                    "wire.tls",
                    "both of key-store and trust-store",
                    "only one of them");
            protocols = List.copyOf(protocols);
            Checks.require(
                    !protocols.isEmpty() && List.of("TLSv1.3", "TLSv1.2").containsAll(protocols),
                    "wire.tls.protocols",
                    "TLSv1.3, TLSv1.2 or both",
                    protocols.toString());
        }

        /** Whether any file is named; without files no host can be trusted. */
        public boolean hasFiles() {
            return certificate != null || keyStore != null;
        }

        /** Everything but the passwords. */
        @Override
        public String toString() {
            return "Tls[enabled=%s, certificate=%s, key=%s, trust=%s, keyStore=%s, trustStore=%s, checkHostName=%s, protocols=%s]"
                    .formatted(
                            enabled,
                            certificate,
                            key,
                            trust,
                            keyStore,
                            trustStore,
                            checkHostName,
                            protocols);
        }
    }
}
