package org.stillwater.vdsm.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.SegmentPool;

/**
 * The octets of one connection, both ways. Octets of a long body are put where they stay; all
 * others are lent to the caller for a look.
 *
 * <p>Buffers: a connection that is silent between two frames has {@value #WAITING_BYTES} bytes. The
 * first octets that come fetch a large buffer from the pool, so that an answer takes a few reads
 * and the reader rarely waits within it. The buffer goes back when all that has come is consumed
 * and no frame has begun. So the buffers of a fleet are as many as hosts are being read, at most
 * one for each connection.
 *
 * <p>One thread reads, one thread writes.
 */
abstract class WireChannel {

    /** A small message, or the start of an answer. */
    static final int WAITING_BYTES = 1_024;

    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final InputStream in;
    private final SegmentPool pool;
    private final int lentBytes;
    private final byte[] waiting = new byte[WAITING_BYTES];
    private byte @Nullable [] lent;
    private boolean filled;

    /**
     * A channel.
     *
     * @param lentBytes length of the buffer that it borrows while reading
     */
    WireChannel(InputStream in, SegmentPool pool, int lentBytes) {
        this.in = in;
        this.pool = pool;
        this.lentBytes = lentBytes;
    }

    /**
     * Waits for octets and takes those that have come.
     *
     * @param body takes octets first, up to its limit; its position moves. Empty for nowhere
     * @param midFrame whether a frame has begun, so that more will come soon
     * @return how many came, in the body and in {@link #rest} together; −1 when the host has closed
     */
    abstract int read(ByteBuffer body, boolean midFrame) throws IOException;

    /** Octets that did not belong in the body. The next read needs them consumed. */
    abstract ByteBuffer rest();

    /** Takes octets to send; a flush is not needed. */
    abstract OutputStream output();

    /** Gives buffers back; the reader has ended. */
    void release() {
        byte[] borrowed = lent;
        if (borrowed != null) {
            lent = null;
            pool.release(borrowed);
        }
    }

    boolean hasBuffer() {
        return lent != null;
    }

    /** The buffer of this connection. */
    byte[] buffer() {
        byte[] borrowed = lent;
        if (borrowed == null) {
            borrowed = pool.acquire(lentBytes);
            lent = borrowed;
        }
        return borrowed;
    }

    /**
     * Waits with as little storage as possible; the received octets are in the array of {@link
     * #first}.
     */
    int readFirst() throws IOException {
        return read(waiting, 0, waiting.length);
    }

    byte[] first() {
        return waiting;
    }

    int read(byte[] into, int from, int count) throws IOException {
        int read = in.read(into, from, count);
        filled = read == count;
        return read;
    }

    /** Whether the last read filled its buffers, so that more octets are likely to wait. */
    boolean moreIsThere() {
        return filled;
    }
}
