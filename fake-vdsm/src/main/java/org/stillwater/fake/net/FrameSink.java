package org.stillwater.fake.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * Collects the small writes of one frame into few large ones. One thread at a time.
 *
 * <p>A frame that fits the buffer leaves in one write, hence in one segment and one TLS record; a
 * large one in writes of the buffer's size. Arrays longer than the buffer are passed through
 * without being copied.
 */
final class FrameSink extends OutputStream {

    private final OutputStream out;
    private final byte[] buffer;
    private int used;

    FrameSink(OutputStream out, byte[] buffer) {
        this.out = out;
        this.buffer = buffer;
    }

    @Override
    public void write(int octet) throws IOException {
        if (used == buffer.length) {
            spill();
        }
        buffer[used++] = (byte) octet;
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, source.length);
        int from = offset;
        int left = count;
        if (left > buffer.length - used && used > 0) {
            int part = buffer.length - used;
            System.arraycopy(source, from, buffer, used, part);
            used += part;
            from += part;
            left -= part;
            spill();
        }
        if (left >= buffer.length) {
            int whole = left - left % buffer.length;
            out.write(source, from, whole);
            from += whole;
            left -= whole;
        }
        System.arraycopy(source, from, buffer, used, left);
        used += left;
    }

    @Override
    public void flush() throws IOException {
        spill();
        out.flush();
    }

    private void spill() throws IOException {
        if (used > 0) {
            out.write(buffer, 0, used);
            used = 0;
        }
    }
}
