package org.stillwater.server.ovirt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the written bytes until they are complete, so that the entity tag can be sent before them;
 * output beyond a limit is passed on, and from then on no byte is kept. Not thread-safe.
 */
final class TagBuffer extends OutputStream {

    /** Opens the output for an answer that is too large to be kept. */
    @FunctionalInterface
    interface Overflow {
        /** The stream after its headers are written. */
        OutputStream open() throws IOException;
    }

    private final ByteArrayOutputStream kept;
    private final long limit;
    private final Overflow overflow;
    private @Nullable OutputStream passed;

    TagBuffer(long limit, Overflow overflow) {
        this.kept = new ByteArrayOutputStream((int) Math.min(limit, 8_192));
        this.limit = limit;
        this.overflow = overflow;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (passed == null && kept.size() + (long) length > limit) {
            OutputStream out = overflow.open();
            kept.writeTo(out);
            kept.reset();
            passed = out;
        }
        if (passed != null) {
            passed.write(bytes, offset, length);
        } else {
            kept.write(bytes, offset, length);
        }
    }

    /** Everything; null if it was passed on. */
    byte @Nullable [] bytes() {
        return passed == null ? kept.toByteArray() : null;
    }

    /** Stream that it was passed on to; null if all bytes are here. */
    @Nullable OutputStream passed() {
        return passed;
    }
}
