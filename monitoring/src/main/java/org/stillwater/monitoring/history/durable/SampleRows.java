package org.stillwater.monitoring.history.durable;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.store.HistoryStore;

/**
 * Rows of one interval, in blocks of fixed size: an array that grows with the fleet would be copied
 * as it grows, and objects of half a mebibyte and more cost a garbage collector extra. One thread
 * fills it, then hands it to another thread that reads it.
 */
final class SampleRows implements HistoryStore.Samples {

    /** Rows of a block, a power of two; 4 KiB of keys. */
    private static final int BLOCK = 1 << 8;

    private static final int SHIFT = Integer.numberOfTrailingZeros(BLOCK);

    private final int metrics;
    private final List<long[]> ids = new ArrayList<>();
    private final List<float[]> values = new ArrayList<>();
    private int size;

    SampleRows(int metrics) {
        this.metrics = metrics;
    }

    /** Adds a row with the values from this offset on. */
    void add(long idUpper, long idLower, float[] from, int offset) {
        int row = size & (BLOCK - 1);
        if (row == 0) {
            ids.add(new long[2 * BLOCK]);
            values.add(new float[metrics * BLOCK]);
        }
        long[] blockIds = ids.getLast();
        blockIds[2 * row] = idUpper;
        blockIds[2 * row + 1] = idLower;
        System.arraycopy(from, offset, values.getLast(), metrics * row, metrics);
        size++;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long idUpper(int row) {
        return ids.get(row >> SHIFT)[2 * (row & (BLOCK - 1))];
    }

    @Override
    public long idLower(int row) {
        return ids.get(row >> SHIFT)[2 * (row & (BLOCK - 1)) + 1];
    }

    @Override
    public float value(int row, int metric) {
        return values.get(row >> SHIFT)[metrics * (row & (BLOCK - 1)) + metric];
    }
}
