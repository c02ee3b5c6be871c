package org.stillwater.vdsm.stomp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The body of a frame: octets, read as often as wanted until it is closed. Closing gives borrowed
 * storage back to its {@link SegmentPool}; a body must not be read afterwards. Closing twice does
 * nothing. One thread at a time.
 */
public sealed interface FrameBody extends AutoCloseable permits ArrayBody, LentBody, SegmentedBody {

    /** The body of a frame that has none. */
    static FrameBody empty() {
        return ArrayBody.EMPTY;
    }

    /** A body over that array, which is not copied and must not be changed afterwards. */
    static FrameBody of(byte[] octets) {
        return octets.length == 0 ? ArrayBody.EMPTY : new ArrayBody(octets, octets.length);
    }

    /** A body of that text in UTF-8. */
    static FrameBody utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Number of octets. */
    long length();

    /**
     * The array that begins with the {@link #length} octets of the body, valid until it is closed;
     * null when the body is not in one array. A reader that alters it restores it.
     */
    byte @Nullable [] array();

    /** A new stream over the whole body. Streams are independent of each other. */
    InputStream openStream();

    /** Writes all octets. */
    void writeTo(OutputStream out) throws IOException;

    /** A copy of all octets: for small bodies only. */
    byte[] toByteArray();

    /** The body as UTF-8 text: for small bodies only. */
    default String text() {
        return new String(toByteArray(), StandardCharsets.UTF_8);
    }

    @Override
    void close();
}
