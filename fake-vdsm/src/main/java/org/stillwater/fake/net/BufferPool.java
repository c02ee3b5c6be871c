package org.stillwater.fake.net;

import java.util.ArrayDeque;
import java.util.Deque;

/** A few buffers that the writers of all connections lend each other. Thread-safe, bounded. */
final class BufferPool {

    /** Content of one full TLS record (RFC 8446 §5.1): smaller ones would cost extra records. */
    static final int BUFFER_BYTES = 16 * 1024;

    private final Deque<byte[]> idle = new ArrayDeque<>();
    private final int most;

    BufferPool(int most) {
        this.most = most;
    }

    synchronized byte[] take() {
        return idle.isEmpty() ? new byte[BUFFER_BYTES] : idle.pop();
    }

    synchronized void give(byte[] buffer) {
        if (idle.size() < most) {
            idle.push(buffer);
        }
    }
}
