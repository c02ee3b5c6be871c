package org.stillwater.vdsm.stomp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/** A body that fits one small array of its own; nothing is borrowed, so closing does nothing. */
final class ArrayBody implements FrameBody {
    static final ArrayBody EMPTY = new ArrayBody(new byte[0], 0);

    private final byte[] octets;
    private final int length;

    ArrayBody(byte[] octets, int length) {
        this.octets = octets;
        this.length = length;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public byte[] array() {
        return octets;
    }

    @Override
    public InputStream openStream() {
        return new ByteArrayInputStream(octets, 0, length);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        out.write(octets, 0, length);
    }

    @Override
    public byte[] toByteArray() {
        return Arrays.copyOf(octets, length);
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return length + " octets";
    }
}
