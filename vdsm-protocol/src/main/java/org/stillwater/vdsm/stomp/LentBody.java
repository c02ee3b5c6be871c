package org.stillwater.vdsm.stomp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A body of known length in one array borrowed from a pool, so that it can be received and decoded
 * where it lies. The array grows with the received octets: a peer that announces much and sends
 * little occupies little.
 */
final class LentBody implements FrameBody {
    private final SegmentPool pool;
    private final int announced;
    private byte[] octets;
    private int length;
    private boolean closed;

    /**
     * An empty body.
     *
     * @param announced octets that it will have
     * @param expected octets for which there is room at once
     */
    LentBody(SegmentPool pool, int announced, int expected) {
        this.pool = pool;
        this.announced = announced;
        this.octets = pool.acquire(Math.min(announced, expected));
    }

    /** The buffer for the next octets; not empty before the body is complete. */
    ByteBuffer room() {
        if (length == octets.length && length < announced) {
            byte[] longer = pool.acquire((int) Math.min(announced, 2L * octets.length));
            System.arraycopy(octets, 0, longer, 0, length);
            pool.release(octets);
            octets = longer;
        }
        return ByteBuffer.wrap(octets, length, Math.min(octets.length, announced) - length);
    }

    /** So many octets were put where the room is. */
    void filled(int count) {
        length += count;
    }

    /** Appends octets, at most as many as are missing. */
    void append(ByteBuffer input, int count) {
        int left = count;
        while (left > 0) {
            int part = Math.min(left, room().remaining());
            input.get(octets, length, part);
            length += part;
            left -= part;
        }
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public byte[] array() {
        requireOpen();
        return octets;
    }

    @Override
    public InputStream openStream() {
        requireOpen();
        return new ByteArrayInputStream(octets, 0, length);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        requireOpen();
        out.write(octets, 0, length);
    }

    @Override
    public byte[] toByteArray() {
        requireOpen();
        return Arrays.copyOf(octets, length);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            pool.release(octets);
            octets = ArrayBody.EMPTY.array();
        }
    }

    @Override
    public String toString() {
        return length + " octets";
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the body was closed");
        }
    }
}
