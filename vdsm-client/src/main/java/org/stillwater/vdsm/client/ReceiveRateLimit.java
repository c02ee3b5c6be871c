package org.stillwater.vdsm.client;

/**
 * The limit on reading from one connection: a burst, then a number of bytes per second. A frame
 * costs more than its bytes, because it is decoded and handed over. A host that sends more waits,
 * by TCP's own flow control; no byte is lost. Used by the connection's reader only.
 */
final class ReceiveRateLimit {
    /** Cost of a frame beside its bytes, so that a flood of empty frames is slowed down, too. */
    static final int BYTES_PER_FRAME = 2_048;

    private final double most;
    private final double bytesPerNano;
    private double left;
    private long filledNanos;

    /**
     * Nothing was read yet.
     *
     * @param atOnce bytes that may come at once
     * @param bytesPerSecond bytes that may come per second after that
     */
    ReceiveRateLimit(long atOnce, long bytesPerSecond, long nowNanos) {
        this.most = atOnce;
        this.bytesPerNano = bytesPerSecond / 1e9;
        this.left = atOnce;
        this.filledNanos = nowNanos;
    }

    /** A frame was complete. */
    void frame() {
        left -= BYTES_PER_FRAME;
    }

    /** Bytes were read. */
    void bytes(int count) {
        left -= count;
    }

    /** The wait before the next read, in nanoseconds; 0 for none. */
    long waitNanos(long nowNanos) {
        if (left < most) {
            left = Math.min(most, left + (nowNanos - filledNanos) * bytesPerNano);
        }
        filledNanos = nowNanos;
        return left >= 0 ? 0 : (long) Math.ceil(-left / bytesPerNano);
    }
}
