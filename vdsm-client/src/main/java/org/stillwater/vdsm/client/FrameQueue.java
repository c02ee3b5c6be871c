package org.stillwater.vdsm.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Frames for an older agent: the next one is sent once the one before was answered. Such an agent
 * reads a whole segment as one frame, so that a second frame in it waits until more bytes come.
 *
 * <p>A frame that no agent is bound to answer, as SUBSCRIBE, holds the others up for a limited time
 * only. Thread-safe; bounded by the calls that may wait for an answer.
 */
final class FrameQueue {

    /** A frame that waits. */
    private static final class Waiting {
        private final byte[] frame;

        /** Longest wait of the next frame for the answer; null while the caller waits. */
        private final @Nullable Duration patience;

        Waiting(byte[] frame, @Nullable Duration patience) {
            this.frame = frame;
            this.patience = patience;
        }
    }

    private final Predicate<byte[]> wire;
    private final Timers timers;
    private final Consumer<String> unsent;

    // Guarded by this.
    private final SequencedMap<String, Waiting> waiting = new LinkedHashMap<>();
    private @Nullable String underWay;
    private boolean failing;

    /**
     * Nothing was sent yet.
     *
     * @param wire sends a frame, false if it cannot
     * @param unsent given the keys of frames that could not be sent, on any thread
     */
    FrameQueue(Predicate<byte[]> wire, Timers timers, Consumer<String> unsent) {
        this.wire = wire;
        this.timers = timers;
        this.unsent = unsent;
    }

    /**
     * Sends a frame at its turn.
     *
     * @param key by which its answer is known
     * @param patience how long the next frame waits for the answer; null for as long as it takes,
     *     until {@link #over}
     */
    void send(String key, byte[] frame, @Nullable Duration patience) {
        synchronized (this) {
            waiting.put(key, new Waiting(frame, patience));
        }
        next();
    }

    /** A frame was answered, or its answer is no longer awaited; a waiting frame is left out. */
    void over(@Nullable String key) {
        if (key == null) {
            return;
        }
        synchronized (this) {
            waiting.remove(key);
            if (key.equals(underWay)) {
                underWay = null;
            }
        }
        next();
    }

    private void next() {
        while (true) {
            String key;
            Waiting next;
            synchronized (this) {
                Map.@Nullable Entry<String, Waiting> first = waiting.firstEntry();
                if (underWay != null || failing || first == null) {
                    return;
                }
                key = first.getKey();
                next = first.getValue();
                waiting.remove(key);
                underWay = key;
            }
            if (wire.test(next.frame)) {
                if (next.patience != null) {
                    Timers.Timer _ = timers.after(next.patience, () -> over(key));
                }
                return;
            }
            synchronized (this) {
                underWay = null;
                failing = true; // its owner ends it, which must not begin with the next one here
            }
            unsent.accept(key);
            synchronized (this) {
                failing = false;
            }
        }
    }
}
