package org.stillwater.vdsm.client;

/**
 * How fast one connection is read: so many bytes at once, and so many a second after that. A frame
 * costs more than its bytes, because it is decoded and handed over. A host that sends more waits,
 * by TCP's own flow control; what it sends is not lost. Used by the connection's reader only.
 */
final class ReceivePace {
    /** What a frame costs beside its bytes: a flood of empty frames is one, too. */
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
    ReceivePace(long atOnce, long bytesPerSecond, long nowNanos) {
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

    /** How long to wait before the next read; 0 for not at all. */
    long waitNanos(long nowNanos) {
        if (left < most) {
            left = Math.min(most, left + (nowNanos - filledNanos) * bytesPerNano);
        }
        filledNanos = nowNanos;
        return left >= 0 ? 0 : (long) Math.ceil(-left / bytesPerNano);
    }
}
