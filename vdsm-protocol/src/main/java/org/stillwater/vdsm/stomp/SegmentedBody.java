package org.stillwater.vdsm.stomp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A body in equal segments borrowed from a pool. A 20 MB answer is then some 300 short-lived loans
 * instead of one array that the garbage collector must treat as humongous.
 */
final class SegmentedBody implements FrameBody {
    private final SegmentPool pool;
    private final List<byte[]> segments = new ArrayList<>();
    private long length;
    private boolean closed;

    SegmentedBody(SegmentPool pool) {
        this.pool = pool;
    }

    /**
     * The buffer for the next octets: the rest of a segment.
     *
     * @param missing octets that are still to come
     */
    ByteBuffer room(long missing) {
        byte[] segment = unfilled();
        int used = (int) (length % pool.segmentBytes());
        return ByteBuffer.wrap(segment, used, (int) Math.min(missing, pool.segmentBytes() - used));
    }

    /** So many octets were put where the room is. */
    void filled(int count) {
        length += count;
    }

    /** Appends octets; for the decoder, before the body is handed over. */
    void append(byte[] source, int offset, int count) {
        int segmentBytes = pool.segmentBytes();
        int from = offset;
        int left = count;
        while (left > 0) {
            int used = (int) (length % segmentBytes);
            int part = Math.min(left, segmentBytes - used);
            System.arraycopy(source, from, unfilled(), used, part);
            from += part;
            left -= part;
            length += part;
        }
    }

    /** The last segment, or a new one when it is full. */
    private byte[] unfilled() {
        if (length == (long) segments.size() * pool.segmentBytes()) {
            segments.add(pool.acquire());
        }
        return segments.getLast();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public byte @Nullable [] array() {
        return null;
    }

    @Override
    public InputStream openStream() {
        requireOpen();
        return new SegmentStream();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        requireOpen();
        long left = length;
        for (byte[] segment : segments) {
            int part = (int) Math.min(left, pool.segmentBytes());
            out.write(segment, 0, part);
            left -= part;
        }
    }

    @Override
    public byte[] toByteArray() {
        requireOpen();
        byte[] all = new byte[Math.toIntExact(length)];
        int to = 0;
        for (byte[] segment : segments) {
            int part = Math.min(all.length - to, pool.segmentBytes());
            System.arraycopy(segment, 0, all, to, part);
            to += part;
        }
        return all;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            segments.forEach(pool::release);
            segments.clear();
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

    private final class SegmentStream extends InputStream {
        private long position;

        @Override
        public int read() {
            requireOpen();
            if (position == length) {
                return -1;
            }
            int segmentBytes = pool.segmentBytes();
            byte octet =
                    segments.get((int) (position / segmentBytes))[(int) (position % segmentBytes)];
            position++;
            return octet & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int count) {
            requireOpen();
            Objects.checkFromIndexSize(offset, count, target.length);
            if (count == 0) {
                return 0;
            }
            if (position == length) {
                return -1;
            }
            int segmentBytes = pool.segmentBytes();
            int within = (int) (position % segmentBytes);
            int part = (int) Math.min(Math.min(count, segmentBytes - within), length - position);
            System.arraycopy(
                    segments.get((int) (position / segmentBytes)), within, target, offset, part);
            position += part;
            return part;
        }

        @Override
        public long skip(long count) {
            requireOpen();
            long skipped = Math.clamp(count, 0, length - position);
            position += skipped;
            return skipped;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, length - position);
        }
    }
}
