package org.stillwater.vdsm.stomp;

import java.util.ArrayList;

/**
 * Lends byte arrays to connections and to frame bodies, and keeps a bounded number of returned ones
 * for the next loans. One pool serves all connections. Thread-safe.
 *
 * <p>Arrays are segments, or some segments long: an answer that is read in one piece stands in one
 * array.
 *
 * <p>The bound covers idle arrays only: a loan is never refused, because a connection in the middle
 * of a frame could not continue without it. The frame limit of each connection bounds its loans;
 * {@link #lentBytes} returns their sum.
 */
public final class SegmentPool {
    /** Far below half a G1 region, so a segment is never a humongous object. */
    public static final int DEFAULT_SEGMENT_BYTES = 64 * 1024;

    /** An idle array that is longer by more than this factor is left for longer loans. */
    private static final int MOST_WASTE = 2;

    private static final int LONGEST_ARRAY_BYTES = 1 << 30;

    private final int segmentBytes;
    private final long mostIdle;

    /** Arrays that are not used, the one that came back last at the end. */
    private final ArrayList<byte[]> idle = new ArrayList<>();

    private long idleBytes;
    private long lentBytes;

    /** A pool of segments of that size, keeping at most {@code idleBytes} while they are unused. */
    public SegmentPool(int segmentBytes, long idleBytes) {
        if (segmentBytes < 1 || idleBytes < 0) {
            throw new IllegalArgumentException("sizes must be positive");
        }
        this.segmentBytes = segmentBytes;
        this.mostIdle = idleBytes;
    }

    /** Size of each segment in bytes. */
    public int segmentBytes() {
        return segmentBytes;
    }

    /** Bytes on loan now. */
    public synchronized long lentBytes() {
        return lentBytes;
    }

    /** Bytes kept for the next loan. */
    public synchronized long idleBytes() {
        return idleBytes;
    }

    /** Whether the pool would keep an array of this size for the next loan. */
    boolean keeps(long bytes) {
        return bytes <= Math.min(mostIdle, LONGEST_ARRAY_BYTES) / segmentBytes * segmentBytes;
    }

    /** Lends one segment. */
    byte[] acquire() {
        return acquire(segmentBytes);
    }

    /**
     * Lends an array, to be given back by {@link #release}.
     *
     * @return of at least that many bytes, with any content
     */
    public byte[] acquire(int bytes) {
        int length = Math.multiplyExact(Math.ceilDiv(bytes, segmentBytes), segmentBytes);
        synchronized (this) {
            for (int at = idle.size() - 1; at >= 0; at--) {
                byte[] array = idle.get(at);
                if (array.length >= length && array.length / MOST_WASTE <= length) {
                    idle.remove(at);
                    idleBytes -= array.length;
                    lentBytes += array.length;
                    return array;
                }
            }
            lentBytes += length;
        }
        return new byte[length];
    }

    /** Takes an array back; those that were not used for longest make room for it. */
    public synchronized void release(byte[] array) {
        lentBytes -= array.length;
        if (array.length > mostIdle) {
            return;
        }
        int oldest = 0;
        while (idleBytes + array.length > mostIdle) {
            idleBytes -= idle.get(oldest++).length;
        }
        idle.subList(0, oldest).clear();
        idle.add(array);
        idleBytes += array.length;
    }
}
