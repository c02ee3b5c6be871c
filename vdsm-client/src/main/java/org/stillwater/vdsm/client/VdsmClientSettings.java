package org.stillwater.vdsm.client;

import java.time.Duration;
import org.stillwater.vdsm.stomp.StompLimits;

/**
 * Every setting of the connections to hosts. Defaults are those of the protocol page, §1.4.7 and
 * §1.4.9, unless a parameter names another source.
 *
 * @param tls encryption
 * @param timeouts time limits
 * @param heartBeats intervals in which both sides must send
 * @param reconnect pauses between attempts to connect
 * @param bounds limits on memory and traffic
 * @param replies destination of hosts' answers
 */
public record VdsmClientSettings(
        TlsSettings tls,
        Timeouts timeouts,
        HeartBeats heartBeats,
        Reconnect reconnect,
        Bounds bounds,
        Replies replies) {

    /** The destination of hosts' answers. */
    public enum Replies {
        /**
         * A destination of its own for each connection: the host sends no other engine's answers
         * here. Errors without an id go to the shared destination only, so the call concerned ends
         * by its timeout (protocol page §1.4.8).
         */
        PRIVATE,
        /**
         * The customary destination that all clients of a host share; old simulators know no other.
         */
        SHARED
    }

    /** These defaults with that encryption. */
    public static VdsmClientSettings defaults(TlsSettings tls) {
        return new VdsmClientSettings(
                tls,
                Timeouts.DEFAULT,
                HeartBeats.DEFAULT,
                Reconnect.DEFAULT,
                Bounds.DEFAULT,
                Replies.PRIVATE);
    }

    /**
     * Time limits.
     *
     * @param connect TCP connection
     * @param handshake TLS handshake and STOMP CONNECT together
     * @param request answer to a call
     * @param write one write that the host does not accept, because it has stopped reading
     * @param close wait for RECEIPT before closing
     */
    public record Timeouts(
            Duration connect,
            Duration handshake,
            Duration request,
            Duration write,
            Duration close) {
        public static final Timeouts DEFAULT =
                new Timeouts(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(180),
                        Duration.ofSeconds(20),
                        Duration.ofMillis(500));

        public Timeouts {
            requirePositive("connect timeout", connect);
            requirePositive("handshake timeout", handshake);
            requirePositive("request timeout", request);
            requirePositive("write timeout", write);
            requirePositive("close timeout", close);
        }
    }

    /**
     * Intervals in which both sides must send. Each connection starts from these values: a host's
     * answer never changes them.
     *
     * @param outgoing the interval promised to the host, zero for no promise; beats go out at half
     *     of it, because VDSM closes without grace
     * @param incoming the interval asked of the host, zero to request none; the host counts as
     *     silent after twice the agreed interval
     */
    public record HeartBeats(Duration outgoing, Duration incoming) {
        public static final HeartBeats DEFAULT =
                new HeartBeats(Duration.ofSeconds(10), Duration.ofSeconds(10));

        public HeartBeats {
            if (outgoing.isNegative() || incoming.isNegative()) {
                throw new IllegalArgumentException("a heart-beat interval is zero or more");
            }
        }
    }

    /**
     * Pauses and limits of attempts to connect. The n-th wait in a row is {@code firstDelay ×
     * 2ⁿ⁻¹}, at most {@code longestDelay}, of which a random part between a half and the whole is
     * taken.
     *
     * @param firstDelay wait after the first failure
     * @param longestDelay longest wait
     * @param concurrentHandshakes most hosts in the middle of TLS handshake and CONNECT; the others
     *     wait their turn
     * @param spacing least time between two attempts to connect, over all hosts
     */
    public record Reconnect(
            Duration firstDelay,
            Duration longestDelay,
            int concurrentHandshakes,
            Duration spacing) {
        public static final Reconnect DEFAULT =
                new Reconnect(
                        Duration.ofSeconds(1), Duration.ofSeconds(30), 32, Duration.ofMillis(2));

        public Reconnect {
            requirePositive("first delay", firstDelay);
            requirePositive("longest delay", longestDelay);
            if (concurrentHandshakes < 1 || spacing.isNegative()) {
                throw new IllegalArgumentException("handshakes: at least 1, spacing: zero or more");
            }
        }
    }

    /**
     * Limits on memory and traffic.
     *
     * @param frames limits of one frame
     * @param outboundFrames frames waiting to be written on one connection; a call beyond fails
     * @param pendingCalls calls waiting for their answer on one connection; a call beyond fails
     * @param malformedMessages malformed messages in a row that end the connection
     * @param idleBufferBytes receive buffers kept for reuse, over all hosts
     * @param dumpxmlsChunk most VMs requested in one {@code Host.dumpxmls}
     * @param hostMembers most members kept of one object or list in a host's reports about itself
     * @param receivedBytesPerSecond bytes read per second from one host, once the size of one frame
     *     was read at once; a frame counts as 2 KiB beside its bytes. A host that sends more waits
     */
    public record Bounds(
            StompLimits frames,
            int outboundFrames,
            int pendingCalls,
            int malformedMessages,
            long idleBufferBytes,
            int dumpxmlsChunk,
            int hostMembers,
            long receivedBytesPerSecond) {
        public static final Bounds DEFAULT =
                new Bounds(StompLimits.DEFAULT, 256, 256, 3, 32L << 20, 50, 4_096, 32L << 20);

        public Bounds {
            if (outboundFrames < 1
                    || pendingCalls < 1
                    || malformedMessages < 1
                    || idleBufferBytes < 0
                    || dumpxmlsChunk < 1
                    || hostMembers < 1
                    || receivedBytesPerSecond < 1) {
                throw new IllegalArgumentException("bounds must be positive");
            }
        }
    }

    private static void requirePositive(String what, Duration duration) {
        if (!duration.isPositive()) {
            throw new IllegalArgumentException(what + " must be positive");
        }
    }
}
