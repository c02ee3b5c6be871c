package org.stillwater.vdsm.client;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Decoders kept for reuse over all hosts: as many as decode at the same time, not one per host.
 * Thread-safe.
 */
final class DecoderPool {
    private static final int MOST_IDLE = 32;

    private final BlockingQueue<VmDecoder> idle = new ArrayBlockingQueue<>(MOST_IDLE);

    VmDecoder take() {
        VmDecoder decoder = idle.poll();
        return decoder == null ? new VmDecoder() : decoder;
    }

    void give(VmDecoder decoder) {
        decoder.forget();
        idle.offer(decoder); // beyond the bound it is garbage
    }
}
