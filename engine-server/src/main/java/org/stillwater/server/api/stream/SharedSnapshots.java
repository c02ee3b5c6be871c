package org.stillwater.server.api.stream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.feed.Subscription;

/**
 * Snapshots that readers with the same subscription share if they come at about the same time: the
 * first one that needs a part encodes it. Without this, a hundred consoles that reconnect after a
 * restart would encode the fleet a hundred times, be too late for the changes since, and begin
 * again.
 *
 * <p>A snapshot is kept as long as a reader is under way in it. A later reader joins it while it is
 * young, goes back to its revision, and receives the changes since then behind it. Memory is
 * bounded: few snapshots are kept at the same time; the readers of others write their own part by
 * part. Thread-safe.
 */
final class SharedSnapshots {

    /** A reader does not join a snapshot that is older: its stamps would be as old. */
    private static final long YOUNG_NANOS = 5_000_000_000L;

    /** Snapshots at the same time. */
    private static final int MOST = 4;

    private final EngineClock clock;
    private final Map<Key, Parts> newest = new HashMap<>(); // guarded by this
    private int kept; // guarded by this

    SharedSnapshots(EngineClock clock) {
        this.clock = clock;
    }

    /**
     * Properties that readers of one snapshot share.
     *
     * @param isTyped whether types stand in the JSON
     * @param form of the VMs
     */
    record Key(StreamFilter.Audience audience, boolean isTyped, SnapshotForm form) {}

    /** Encodes one part after the other. */
    @FunctionalInterface
    interface Encoder {
        /** The next part; null after the last one. */
        byte @Nullable [] next() throws IOException;
    }

    /** Begins a snapshot. */
    @FunctionalInterface
    interface Source {
        Encoder begin() throws IOException;
    }

    /**
     * Finds or begins the snapshot of a reader.
     *
     * @param subscription of the reader; goes back to the revision of the snapshot
     * @param source begins a snapshot at the subscription's present revision
     * @return null if the reader is to write a snapshot of its own
     */
    @Nullable Ticket join(Key key, Subscription subscription, Source source) throws IOException {
        synchronized (this) {
            Parts known = newest.get(key);
            if (known != null
                    && !known.broken
                    && clock.nanoTime() - known.begunNanos < YOUNG_NANOS
                    && subscription.goBack(known.revision)) {
                known.readers++;
                return new Ticket(known);
            }
            if (kept == MOST) {
                return null;
            }
            Parts begun =
                    new Parts(key, subscription.startRevision(), clock.nanoTime(), source.begin());
            kept++;
            newest.put(key, begun);
            return new Ticket(begun);
        }
    }

    private synchronized void leave(Parts parts) {
        parts.readers--;
        if (parts.readers == 0) {
            newest.remove(parts.key, parts);
            kept--;
        }
    }

    /** The encoded messages of one snapshot. */
    private static final class Parts {

        private final Key key;
        private final long revision;
        private final long begunNanos;
        private final Encoder encoder;
        private final ReentrantLock lock = new ReentrantLock();
        private final List<byte[]> encoded = new ArrayList<>(); // guarded by the lock
        private boolean whole; // guarded by the lock

        /** A part could not be encoded: those behind it would be a snapshot with a gap. */
        private volatile boolean broken;

        private int readers = 1; // guarded by the registry

        Parts(Key key, long revision, long begunNanos, Encoder encoder) {
            this.key = key;
            this.revision = revision;
            this.begunNanos = begunNanos;
            this.encoder = encoder;
        }

        byte @Nullable [] part(int index) throws IOException {
            lock.lock();
            try {
                if (index < encoded.size()) {
                    return encoded.get(index);
                }
                if (whole) {
                    return null;
                }
                if (broken) {
                    throw new IOException("the snapshot cannot be completed");
                }
                broken = true;
                byte[] next = encoder.next();
                broken = false;
                if (next == null) {
                    whole = true;
                } else {
                    encoded.add(next);
                }
                return next;
            } finally {
                lock.unlock();
            }
        }
    }

    /** The way of one reader through a snapshot. Used by one thread. */
    final class Ticket implements AutoCloseable {

        private final Parts parts;
        private int position;
        private boolean left;

        private Ticket(Parts parts) {
            this.parts = parts;
        }

        /**
         * Bytes of the next messages, which must not be written to.
         *
         * @return null after the last ones
         * @throws IOException if another reader failed to encode this part
         */
        byte @Nullable [] next() throws IOException {
            byte[] part = parts.part(position);
            position++;
            return part;
        }

        @Override
        public void close() {
            if (!left) {
                left = true;
                leave(parts);
            }
        }
    }
}
