package org.stillwater.vdsm.stomp;

/**
 * Limits on the frames that a decoder accepts from its peer.
 *
 * @param headerBytes most octets of all header lines of one frame together, line ends included
 * @param bodyBytes most octets of one body
 * @param rawColons true to accept an unescaped colon inside a header value. VDSM never sends one
 *     and drops a peer that does; some clients and simulators do not escape at all
 */
public record StompLimits(int headerBytes, long bodyBytes, boolean rawColons) {
    /** The engine's limits: 64 KiB of headers, 64 MiB of body, raw colons tolerated. */
    public static final StompLimits DEFAULT = new StompLimits(64 << 10, 64L << 20, true);

    public StompLimits {
        if (headerBytes < 1 || bodyBytes < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
