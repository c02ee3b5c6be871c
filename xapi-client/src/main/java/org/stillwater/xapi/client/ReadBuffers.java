package org.stillwater.xapi.client;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of readers, a few of which are kept for the next replies with the size to which they
 * grew: a reply with a host's metrics needs half a megabyte, and comes from each host in each
 * cycle. Thread-safe. A buffer comes with old bytes of other replies; readers never read past what
 * they have received.
 */
final class ReadBuffers {

    /** Bytes of a new buffer, and the least of one that is kept. */
    static final int LEAST_BYTES = (1 << 16) + ShortBytes.MARGIN;

    /** Larger ones are seldom needed. */
    static final int MOST_BYTES = 1 << 20;

    /** Buffers that are kept. */
    private static final int MOST = 4;

    /** Those of all readers. */
    static final ReadBuffers ALL = new ReadBuffers();

    private final AtomicReferenceArray<byte @Nullable []> kept = new AtomicReferenceArray<>(MOST);

    /** A buffer with any content; {@link ShortBytes#MARGIN} of it are the margin. */
    byte[] take() {
        for (int i = 0; i < MOST; i++) {
            byte[] buffer = kept.getAndSet(i, null);
            if (buffer != null) {
                return buffer;
            }
        }
        return new byte[LEAST_BYTES];
    }

    /** Takes a buffer back, which its giver no longer touches. */
    void giveBack(byte[] buffer) {
        if (buffer.length < LEAST_BYTES || buffer.length > MOST_BYTES) {
            return;
        }
        for (int i = 0; i < MOST; i++) {
            if (kept.compareAndSet(i, null, buffer)) {
                return;
            }
        }
    }
}
