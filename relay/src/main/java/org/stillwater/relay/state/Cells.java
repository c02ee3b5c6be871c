package org.stillwater.relay.state;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one record: values by key, in ascending order of keys. Immutable. A key that is not
 * there stands for "not reported".
 */
public final class Cells {

    /** No cells. */
    public static final Cells NONE = new Cells(new int[0], new Value[0]);

    private final int[] keys;
    private final Value[] values;

    private Cells(int[] keys, Value[] values) {
        this.keys = keys;
        this.values = values;
    }

    /** How many cells there are. */
    public int size() {
        return keys.length;
    }

    /** The key of the n-th cell. */
    public int key(int index) {
        return keys[index];
    }

    /** The value of the n-th cell. */
    public Value value(int index) {
        return values[index];
    }

    /** The value of a key; null for none. */
    public @Nullable Value get(int key) {
        int index = Arrays.binarySearch(keys, key);
        return index < 0 ? null : values[index];
    }

    /** The whole number of a key, or another one if there is none. */
    public long whole(int key, long otherwise) {
        return get(key) instanceof Value.Whole(long value) ? value : otherwise;
    }

    /** The decimal of a key, or another one if there is none. */
    public double decimal(int key, double otherwise) {
        return get(key) instanceof Value.Decimal(double value) ? value : otherwise;
    }

    /** The text of a key; null for none. */
    public @Nullable String text(int key) {
        return get(key) instanceof Value.Text(String value) ? value : null;
    }

    /** Whether the truth value of a key is there and true. */
    public boolean is(int key) {
        return whole(key, 0) == 1;
    }

    /** These cells with others in their place or beside them, and without some. */
    public Cells patched(Cells set, Iterable<Integer> cleared) {
        Draft draft = new Draft();
        draft.putAll(this);
        draft.putAll(set);
        cleared.forEach(draft.values::remove);
        return draft.build();
    }

    /** The checksum of a record with these cells. */
    long sum(long record) {
        long sum = record;
        for (int i = 0; i < keys.length; i++) {
            sum += Checksum.ofCell(record, keys[i], values[i]);
        }
        return sum;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cells that
                && Arrays.equals(keys, that.keys)
                && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(keys) + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        Map<Integer, Value> told = new TreeMap<>();
        for (int i = 0; i < keys.length; i++) {
            told.put(keys[i], values[i]);
        }
        return told.toString();
    }

    /** Collects cells in any order of keys. Not thread-safe. */
    public static final class Draft {

        private final TreeMap<Integer, Value> values = new TreeMap<>();

        /** Sets a whole number. */
        public Draft whole(int key, long value) {
            values.put(key, new Value.Whole(value));
            return this;
        }

        /** Sets a decimal. */
        public Draft decimal(int key, double value) {
            values.put(key, new Value.Decimal(value));
            return this;
        }

        /** Sets a text; null leaves the key out. */
        public Draft text(int key, @Nullable String value) {
            if (value != null) {
                values.put(key, new Value.Text(value));
            }
            return this;
        }

        /** Sets a truth value. */
        public Draft flag(int key, boolean value) {
            return whole(key, value ? 1 : 0);
        }

        /** Sets a value. */
        public Draft put(int key, Value value) {
            values.put(key, value);
            return this;
        }

        /** Sets everything that these cells have. */
        public Draft putAll(Cells cells) {
            for (int i = 0; i < cells.keys.length; i++) {
                values.put(cells.keys[i], cells.values[i]);
            }
            return this;
        }

        /** The cells set so far. */
        public Cells build() {
            if (values.isEmpty()) {
                return NONE;
            }
            int[] keys = new int[values.size()];
            Value[] sorted = new Value[keys.length];
            int i = 0;
            for (Map.Entry<Integer, Value> each : values.entrySet()) {
                keys[i] = each.getKey();
                sorted[i++] = each.getValue();
            }
            return new Cells(keys, sorted);
        }
    }
}
