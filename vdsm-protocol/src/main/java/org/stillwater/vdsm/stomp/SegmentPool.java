package org.stillwater.vdsm.stomp;

import java.util.ArrayList;

/**
 * Lends equal byte arrays to frame bodies and keeps a bounded number of returned ones for the next.
 * One pool serves all connections. Thread-safe.
 *
 * <p>The bound is on what is kept idle: a loan is never refused, because a connection in the middle
 * of a frame could not go on without it. What is on loan is bounded by the frame limit of each
 * connection, and {@link #lentBytes} says how much it is.
 */
public final class SegmentPool {
    /** Far below half a G1 region, so a segment is never a humongous object. */
    public static final int DEFAULT_SEGMENT_BYTES = 64 * 1024;

    private final int segmentBytes;
    private final int mostIdle;
    private final ArrayList<byte[]> idle = new ArrayList<>();
    private long lentCount;

    /** A pool of segments of that size, keeping at most {@code idleBytes} while they are unused. */
    public SegmentPool(int segmentBytes, long idleBytes) {
        if (segmentBytes < 1 || idleBytes < 0) {
            throw new IllegalArgumentException("sizes must be positive");
        }
        this.segmentBytes = segmentBytes;
        this.mostIdle = Math.toIntExact(idleBytes / segmentBytes);
    }

    /** Size of each segment in bytes. */
    public int segmentBytes() {
        return segmentBytes;
    }

    /** Bytes on loan now. */
    public synchronized long lentBytes() {
        return lentCount * segmentBytes;
    }

    /** Bytes kept for the next loan. */
    public synchronized long idleBytes() {
        return (long) idle.size() * segmentBytes;
    }

    byte[] acquire() {
        synchronized (this) {
            lentCount++;
            if (!idle.isEmpty()) {
                return idle.removeLast();
            }
        }
        return new byte[segmentBytes];
    }

    synchronized void release(byte[] segment) {
        lentCount--;
        if (idle.size() < mostIdle) {
            idle.add(segment);
        }
    }
}
