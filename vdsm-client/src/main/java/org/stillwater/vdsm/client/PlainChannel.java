package org.stillwater.vdsm.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.stillwater.vdsm.stomp.SegmentPool;

/** A connection without TLS. */
final class PlainChannel extends WireChannel {

    /**
     * Read at once, unless more is missing of a body: a read that stops at the end of the body is
     * dearer than the copy of less than that. Bytes of one read are not subject to the host's pace.
     */
    private static final int READ_BYTES = 32 * 1_024;

    private final OutputStream out;
    private ByteBuffer rest = NOTHING;

    PlainChannel(InputStream in, OutputStream out, SegmentPool pool) {
        super(in, pool, READ_BYTES);
        this.out = out;
    }

    @Override
    int read(ByteBuffer body, boolean midFrame) throws IOException {
        if (body.remaining() >= READ_BYTES) {
            int count = read(body.array(), body.arrayOffset() + body.position(), body.remaining());
            body.position(body.position() + Math.max(count, 0));
            return count;
        }
        int count;
        if (midFrame || moreIsThere()) {
            byte[] buffer = buffer();
            count = read(buffer, 0, READ_BYTES);
            rest = ByteBuffer.wrap(buffer, 0, Math.max(count, 0));
        } else {
            release();
            count = readFirst();
            rest = ByteBuffer.wrap(first(), 0, Math.max(count, 0));
        }
        return count;
    }

    @Override
    ByteBuffer rest() {
        return rest;
    }

    @Override
    OutputStream output() {
        return out;
    }
}
