package org.stillwater.monitoring.history.durable;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.HistoryStore;

/**
 * One hour of all VMs, or of all hosts: the last written values and the sums of the samples of
 * each.
 *
 * <p>Everything lies in primitive arrays, one slot per subject, found by open addressing: an object
 * per VM and number would cost several times as much. Subjects are only ever added; with the next
 * hour the next table begins, so those that are gone do not pile up.
 *
 * <p>Not thread-safe; {@link OpenHour} has the lock. Once closed it is only read, and {@link #merge
 * merged} into, by the thread that writes.
 */
final class HourOfSubjects implements HistoryStore.RollUps {

    private final int metrics;
    private int size;

    /** Two per slot. */
    private long[] ids;

    /** Slot + 1 by hash, 0 for free; a power of two, at most three quarters full. */
    private int[] table;

    /** Last written values, per slot and metric; NaN for unknown and for none. */
    private float[] last;

    /** In which sample a slot was last seen. */
    private int[] seen;

    private float[] min;
    private float[] max;
    private double[] sum;
    private short[] count;

    /**
     * An empty hour.
     *
     * @param expected subjects to make room for
     */
    HourOfSubjects(int metrics, int expected) {
        this.metrics = metrics;
        int room = Math.max(16, expected);
        ids = new long[2 * room];
        table = new int[tableFor(room)];
        last = new float[metrics * room];
        seen = new int[room];
        min = new float[metrics * room];
        max = new float[metrics * room];
        sum = new double[metrics * room];
        count = new short[metrics * room];
    }

    private static int tableFor(int room) {
        return Integer.highestOneBit(Math.max(16, room + room / 3)) * 2;
    }

    /**
     * Takes one subject's sample.
     *
     * @param values by metric, NaN for unknown
     * @param sample its number, not 0
     * @param changed takes the row if it differs from the last one written; null if this sample is
     *     not to be written
     */
    void take(
            long idUpper, long idLower, float[] values, int sample, @Nullable SampleRows changed) {
        int slot = find(idUpper, idLower);
        if (slot < 0) {
            if (isUnknown(values, 0)) {
                return;
            }
            slot = add(idUpper, idLower);
        }
        seen[slot] = sample;
        int from = slot * metrics;
        boolean differs = false;
        for (int metric = 0; metric < metrics; metric++) {
            float value = values[metric];
            int at = from + metric;
            // NaN differs from numbers only; 0 and -0 are equal.
            differs |= value != last[at] && !(Float.isNaN(value) && Float.isNaN(last[at]));
            if (!Float.isNaN(value)) {
                accumulate(at, value, value, value, 1);
            }
        }
        if (differs && changed != null) {
            System.arraycopy(values, 0, last, from, metrics);
            changed.add(idUpper, idLower, last, from);
        }
    }

    private void accumulate(int at, float least, double total, float largest, int samples) {
        if (count[at] == 0) {
            min[at] = least;
            max[at] = largest;
        } else {
            min[at] = Math.min(min[at], least);
            max[at] = Math.max(max[at], largest);
        }
        sum[at] += total;
        count[at] += (short) samples;
    }

    /** Ends the values of subjects that the sample lacks. */
    void endOthers(int sample, SampleRows changed) {
        for (int slot = 0; slot < size; slot++) {
            int from = slot * metrics;
            if (seen[slot] != sample && !isUnknown(last, from)) {
                Arrays.fill(last, from, from + metrics, Float.NaN);
                changed.add(ids[2 * slot], ids[2 * slot + 1], last, from);
            }
        }
    }

    /** From now on no value counts as written. */
    void forgetWritten() {
        Arrays.fill(last, Float.NaN);
    }

    /** Adds the sums of one number of a subject. */
    void add(
            long idUpper,
            long idLower,
            int metric,
            float least,
            double total,
            float largest,
            int samples) {
        int slot = find(idUpper, idLower);
        if (slot < 0) {
            slot = add(idUpper, idLower);
        }
        accumulate(slot * metrics + metric, least, total, largest, samples);
    }

    /** Adds another part of the same hour. */
    void merge(HourOfSubjects part) {
        for (int row = 0; row < part.size; row++) {
            for (int metric = 0; metric < metrics; metric++) {
                int at = row * metrics + metric;
                if (part.count[at] > 0) {
                    add(
                            part.idUpper(row),
                            part.idLower(row),
                            metric,
                            part.min[at],
                            part.sum[at],
                            part.max[at],
                            part.count[at]);
                }
            }
        }
    }

    private boolean isUnknown(float[] values, int from) {
        for (int metric = 0; metric < metrics; metric++) {
            if (!Float.isNaN(values[from + metric])) {
                return false;
            }
        }
        return true;
    }

    /** The slot, or -1. */
    private int find(long idUpper, long idLower) {
        int mask = table.length - 1;
        for (int probe = hash(idUpper, idLower) & mask; ; probe = probe + 1 & mask) {
            int slot = table[probe] - 1;
            if (slot < 0 || (ids[2 * slot] == idUpper && ids[2 * slot + 1] == idLower)) {
                return slot;
            }
        }
    }

    private static int hash(long idUpper, long idLower) {
        long mixed = (idUpper ^ Long.rotateLeft(idLower, 32)) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }

    private int add(long idUpper, long idLower) {
        if (size == seen.length) {
            grow();
        }
        int slot = size++;
        ids[2 * slot] = idUpper;
        ids[2 * slot + 1] = idLower;
        Arrays.fill(last, slot * metrics, (slot + 1) * metrics, Float.NaN);
        enter(slot);
        return slot;
    }

    private void enter(int slot) {
        int mask = table.length - 1;
        int probe = hash(ids[2 * slot], ids[2 * slot + 1]) & mask;
        while (table[probe] != 0) {
            probe = probe + 1 & mask;
        }
        table[probe] = slot + 1;
    }

    private void grow() {
        int room = size + (size >> 1);
        ids = Arrays.copyOf(ids, 2 * room);
        last = Arrays.copyOf(last, metrics * room);
        seen = Arrays.copyOf(seen, room);
        min = Arrays.copyOf(min, metrics * room);
        max = Arrays.copyOf(max, metrics * room);
        sum = Arrays.copyOf(sum, metrics * room);
        count = Arrays.copyOf(count, metrics * room);
        if (tableFor(room) > table.length) {
            table = new int[tableFor(room)];
            for (int slot = 0; slot < size; slot++) {
                enter(slot);
            }
        }
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
    public int count(int row, int metric) {
        return count[row * metrics + metric];
    }

    @Override
    public float min(int row, int metric) {
        return min[row * metrics + metric];
    }

    @Override
    public float mean(int row, int metric) {
        int at = row * metrics + metric;
        return (float) (sum[at] / count[at]);
    }

    @Override
    public float max(int row, int metric) {
        return max[row * metrics + metric];
    }
}
