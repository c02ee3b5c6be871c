package org.stillwater.server.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.monitoring.feed.Delta;

/**
 * The encoded changes for all readers with the same subscription, in order, in memory: the first
 * reader that comes to a change encodes it, and every reader sends it from here, all changes of one
 * turn in one piece. A slow reader finds older changes here, or encodes dropped ones for itself.
 * Bounded; thread-safe.
 *
 * <p>Memory is in segments. The content of a segment never changes, and a segment that is dropped
 * lives on only while a send from it is under way: at most one for each reader.
 */
final class EncodedFrameCache {

    private static final int SEGMENTS = 16;
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int SEGMENT_CHANGES = 1_024;

    /** How changes are written. */
    @FunctionalInterface
    interface Encoder {
        /**
         * Everything that the stream sends about a change; nothing if it sends none.
         *
         * @return valid until the next call
         */
        ByteArrayOutputStream encode(Delta delta) throws IOException;
    }

    /** Receiver of changes. */
    @FunctionalInterface
    interface Target {
        /**
         * Receives the stream's bytes for some changes.
         *
         * @param bytes must not be written to
         * @param ends for each change in order the end of its part of the bytes
         * @param begin of the first one's part
         * @param from index of the first one in {@code ends}
         * @param to index after the last one
         */
        void send(byte[] bytes, int[] ends, int begin, int from, int to) throws IOException;
    }

    /** Some changes in order. The holder of the lock writes them, up to the published count. */
    private static final class Segment {

        private final long first;
        private final byte[] bytes;
        private final int[] ends;
        private final AtomicInteger published = new AtomicInteger();

        Segment(long first, int bytes, int changes) {
            this.first = first;
            this.bytes = new byte[bytes];
            this.ends = new int[changes];
        }

        int begin(int index) {
            return index == 0 ? 0 : ends[index - 1];
        }

        boolean hasRoom(int index, int length) {
            return index < ends.length && length <= bytes.length - begin(index);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong encodings;

    /** The newest last; the holder of the lock replaces it as a whole. */
    private volatile List<Segment> segments = List.of();

    /**
     * An empty cache.
     *
     * @param encodings counts the changes that were written, for all caches
     */
    EncodedFrameCache(AtomicLong encodings) {
        this.encodings = encodings;
    }

    /**
     * Sends changes to a reader.
     *
     * @param deltas of which each one's revision is one more than that of the one before
     */
    void tell(List<Delta> deltas, Encoder encoder, Target target) throws IOException {
        long next = deltas.getFirst().revision();
        long last = deltas.getLast().revision();
        if (last - next + 1 != deltas.size()) {
            throw new IllegalArgumentException("revisions are not in order");
        }
        while (next <= last) {
            Segment segment = holding(next);
            if (segment == null) {
                segment = extended(deltas, next, encoder);
            }
            if (segment == null) {
                segment = alone(deltas, next, encoder);
            }
            int from = (int) (next - segment.first);
            int to = (int) Math.min(segment.published.get(), last - segment.first + 1);
            int begin = segment.begin(from);
            if (segment.ends[to - 1] > begin) {
                target.send(segment.bytes, segment.ends, begin, from, to);
            }
            next = segment.first + to;
        }
    }

    /** Memory of the cache. */
    int bytes() {
        return segments.stream().mapToInt(segment -> segment.bytes.length).sum();
    }

    /** The segment with this change, null if there is none. */
    private @Nullable Segment holding(long revision) {
        List<Segment> all = segments;
        for (int i = all.size() - 1; i >= 0; i--) {
            Segment segment = all.get(i);
            if (revision >= segment.first) {
                return revision < segment.first + segment.published.get() ? segment : null;
            }
        }
        return null;
    }

    /**
     * Writes the changes from this one on behind those that are here.
     *
     * @return the segment with this change; null if it is older than the cached changes
     */
    private @Nullable Segment extended(List<Delta> deltas, long from, Encoder encoder)
            throws IOException {
        lock.lock();
        try {
            List<Segment> all = segments;
            Segment newest = all.isEmpty() ? null : all.getLast();
            if (newest != null && from < newest.first + newest.published.get()) {
                return holding(from); // another reader was first
            }
            if (newest != null && from > newest.first + newest.published.get()) {
                newest = null; // no reader got the changes in between
            }
            Segment found = null;
            for (Delta delta : deltas.subList(index(deltas, from), deltas.size())) {
                newest = append(newest, delta.revision(), encoded(delta, encoder));
                if (found == null) {
                    found = newest;
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private static int index(List<Delta> deltas, long revision) {
        return (int) (revision - deltas.getFirst().revision());
    }

    private Segment append(@Nullable Segment newest, long revision, ByteArrayOutputStream written) {
        Segment into = newest;
        if (into == null || !into.hasRoom(into.published.get(), written.size())) {
            into = new Segment(revision, Math.max(SEGMENT_BYTES, written.size()), SEGMENT_CHANGES);
            keep(into);
        }
        put(into, written);
        return into;
    }

    private static void put(Segment into, ByteArrayOutputStream written) {
        int index = into.published.get();
        int begin = into.begin(index);
        byte[] bytes = written.toByteArray();
        System.arraycopy(bytes, 0, into.bytes, begin, bytes.length);
        into.ends[index] = begin + bytes.length;
        into.published.set(index + 1);
    }

    private void keep(Segment segment) {
        List<Segment> all = segments;
        List<Segment> next =
                new ArrayList<>(all.subList(Math.max(0, all.size() - SEGMENTS + 1), all.size()));
        next.add(segment);
        segments = List.copyOf(next);
    }

    /** Encodes changes for a reader that comes too late for the cache. */
    private Segment alone(List<Delta> deltas, long from, Encoder encoder) throws IOException {
        ByteArrayOutputStream written = encoded(deltas.get(index(deltas, from)), encoder);
        Segment segment = new Segment(from, written.size(), 1);
        put(segment, written);
        return segment;
    }

    private ByteArrayOutputStream encoded(Delta delta, Encoder encoder) throws IOException {
        encodings.incrementAndGet();
        return encoder.encode(delta);
    }
}
