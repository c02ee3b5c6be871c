package org.stillwater.core.regression;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Points of many series in one interval, packed: for each series its key, its value and its marks.
 * A key is a digest of metric and owner, so that a point takes {@value #BYTES} bytes. The series of
 * a fleet are split by their keys into {@value #SLICES} slices, which are stored and read one by
 * one. Immutable.
 */
public final class SeriesPoints {

    /** Parts of a fleet. */
    public static final int SLICES = 16;

    /** Most points in one of these. */
    public static final int MOST = 4_096;

    /** Bytes of a point. */
    public static final int BYTES = Long.BYTES + Float.BYTES + 1;

    private static final int VALUE = Long.BYTES;
    private static final int MARKS = Long.BYTES + Float.BYTES;
    private static final int FEW = 64;

    private final long interval;
    private final int slice;
    private final int part;
    private final byte[] packed;

    /**
     * Points as they were packed before.
     *
     * @param interval number of the interval
     * @param slice slice of all its series, 0 to 15
     * @param part its number among the points of the same interval and slice, from 0
     * @param packed {@link #packed()}
     */
    public SeriesPoints(long interval, int slice, int part, byte[] packed) {
        if (packed.length == 0 || packed.length % BYTES != 0 || packed.length > MOST * BYTES) {
            throw new IllegalArgumentException(packed.length + " bytes are no points");
        }
        if (slice < 0 || slice >= SLICES || part < 0) {
            throw new IllegalArgumentException("part " + part + " of slice " + slice);
        }
        this.interval = interval;
        this.slice = slice;
        this.part = part;
        this.packed = packed.clone();
    }

    /** Identity of a series: 64 bits of a digest, so that no host can choose another's. */
    public static long key(RegressionMetric metric, String owner) {
        UUID digest =
                UUID.nameUUIDFromBytes(
                        (metric.label() + '|' + owner).getBytes(StandardCharsets.UTF_8));
        // The constant bits of both halves are at different places.
        return digest.getMostSignificantBits() ^ digest.getLeastSignificantBits();
    }

    /** The slice of a series. */
    public static int slice(long key) {
        return (int) (key & (SLICES - 1));
    }

    /** Number of the interval. */
    public long interval() {
        return interval;
    }

    /** The slice of all its series. */
    public int slice() {
        return slice;
    }

    /** Its number among the points of the same interval and slice. */
    public int part() {
        return part;
    }

    /** Number of points. */
    public int size() {
        return packed.length / BYTES;
    }

    /** Key of a point's series. */
    public long key(int point) {
        return buffer().getLong(point * BYTES);
    }

    /** Value of a point, NaN for a gap. */
    public float value(int point) {
        return buffer().getFloat(point * BYTES + VALUE);
    }

    /** Marks of a point: sum of {@link Mark.Kind#bit()}. */
    public int marks(int point) {
        return packed[point * BYTES + MARKS];
    }

    private ByteBuffer buffer() {
        return ByteBuffer.wrap(packed);
    }

    /** The points as bytes, numbers big-endian: key (8), value (4), marks (1). */
    public byte[] packed() {
        return packed.clone();
    }

    /** Packs the points of one interval. Not thread-safe. */
    static final class Collector {

        private final long interval;
        private final List<SeriesPoints> full = new ArrayList<>();
        private final @Nullable ByteBuffer[] open = new ByteBuffer[SLICES];
        private final int[] parts = new int[SLICES];

        Collector(long interval) {
            this.interval = interval;
        }

        void add(long key, float value, int marks) {
            int slice = slice(key);
            ByteBuffer buffer = open[slice];
            if (buffer == null) {
                buffer = ByteBuffer.allocate(FEW * BYTES);
            } else if (!buffer.hasRemaining()) {
                ByteBuffer larger = ByteBuffer.allocate(2 * buffer.capacity());
                buffer = larger.put(buffer.flip());
            }
            buffer.putLong(key).putFloat(value).put((byte) marks);
            open[slice] = buffer;
            if (buffer.position() == MOST * BYTES) {
                finish(slice, buffer);
            }
        }

        private void finish(int slice, ByteBuffer buffer) {
            byte[] packed = new byte[buffer.position()];
            buffer.flip().get(packed);
            full.add(new SeriesPoints(interval, slice, parts[slice], packed));
            parts[slice]++;
            open[slice] = null;
        }

        List<SeriesPoints> list() {
            for (int slice = 0; slice < SLICES; slice++) {
                ByteBuffer buffer = open[slice];
                if (buffer != null) {
                    finish(slice, buffer);
                }
            }
            return full;
        }
    }
}
