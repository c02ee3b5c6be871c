package org.stillwater.monitoring.history.durable;

import java.util.Arrays;
import org.stillwater.core.port.HistoryStore;

/**
 * Rows of one interval, in arrays that grow. Filled by one thread, then read by another to which it
 * was handed.
 */
final class SampleRows implements HistoryStore.Samples {

    private final int metrics;
    private long[] ids;
    private float[] values;
    private int size;

    SampleRows(int metrics) {
        this.metrics = metrics;
        this.ids = new long[0];
        this.values = new float[0];
    }

    /** Adds a row with the values from this offset on. */
    void add(long idUpper, long idLower, float[] from, int offset) {
        if (2 * size == ids.length) {
            int room = Math.max(64, size + (size >> 1));
            ids = Arrays.copyOf(ids, 2 * room);
            values = Arrays.copyOf(values, metrics * room);
        }
        ids[2 * size] = idUpper;
        ids[2 * size + 1] = idLower;
        System.arraycopy(from, offset, values, metrics * size, metrics);
        size++;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long idUpper(int row) {
        return ids[2 * row];
    }

    @Override
    public long idLower(int row) {
        return ids[2 * row + 1];
    }

    @Override
    public float value(int row, int metric) {
        return values[metrics * row + metric];
    }
}
