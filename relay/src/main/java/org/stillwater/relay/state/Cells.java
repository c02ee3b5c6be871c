package org.stillwater.relay.state;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one record: values by key, in ascending order of keys. Immutable. A key that is not
 * there stands for "not reported".
 */
public final class Cells {

    /** No cells. */
    public static final Cells NONE = new Cells(new int[0], new Value[0], new Memo());

    /** Of the cells that {@link Memo} is about; key 2 is the stamp of a report. */
    private static final int LAST_LASTING_KEY = 79;

    private static final int STAMP = 2;

    private final int[] keys;
    private final Value[] values;
    private final Memo memo;

    private Cells(int[] keys, Value[] values, Memo memo) {
        this.keys = keys;
        this.values = values;
        this.memo = memo;
    }

    /**
     * Room for what a reader made of those cells that change seldom: all with keys below 80 but the
     * stamp. Cells that follow from others by a patch share it as long as none of those is touched.
     * Readers of one record take turns.
     */
    public static final class Memo {
        private @Nullable Object made;

        /** What was made; null for nothing yet. */
        public @Nullable Object made() {
            return made;
        }

        /** Remembers what was made. */
        public void made(Object of) {
            made = of;
        }
    }

    /** The room that goes with these cells. */
    public Memo memo() {
        return memo;
    }

    private static boolean isLasting(int key) {
        return key <= LAST_LASTING_KEY && key != STAMP;
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
        return get(key) instanceof Value.Text text ? text.value() : null;
    }

    /** Whether the truth value of a key is there and true. */
    public boolean is(int key) {
        return whole(key, 0) == 1;
    }

    /** Reads many cells, at best in the order of their keys. Not thread-safe. */
    public final class Cursor {

        private int at;

        /** The value of a key; null for none. */
        public @Nullable Value get(int key) {
            if (at > 0 && keys[at - 1] >= key) {
                at = 0;
            }
            while (at < keys.length && keys[at] < key) {
                at++;
            }
            return at < keys.length && keys[at] == key ? values[at++] : null;
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
            return get(key) instanceof Value.Text text ? text.value() : null;
        }
    }

    /** Reads many cells. */
    public Cursor cursor() {
        return new Cursor();
    }

    /** These cells with others in their place or beside them, and without some. */
    public Cells patched(Cells set, Iterable<Integer> cleared) {
        Cells merged = set.keys.length == 0 ? this : merged(set);
        Draft draft = null;
        for (int key : cleared) {
            if (draft != null) {
                draft.clear(key);
            } else if (merged.get(key) != null) {
                draft = new Draft().putAll(merged).clear(key);
            }
        }
        return draft == null ? merged : draft.build();
    }

    private Cells merged(Cells set) {
        if (Arrays.equals(keys, set.keys)) {
            return set;
        }
        int added = 0;
        int at = 0;
        for (int key : set.keys) {
            while (at < keys.length && keys[at] < key) {
                at++;
            }
            added += at < keys.length && keys[at] == key ? 0 : 1;
        }
        // Most often only values change: then the keys, which are the larger half, are shared.
        int[] all = added == 0 ? keys : new int[keys.length + added];
        Value[] both = new Value[keys.length + added];
        int mine = 0;
        int its = 0;
        for (int to = 0; to < both.length; to++) {
            boolean isMine =
                    its == set.keys.length || (mine < keys.length && keys[mine] < set.keys[its]);
            if (added > 0) {
                all[to] = isMine ? keys[mine] : set.keys[its];
            }
            if (isMine) {
                both[to] = values[mine++];
            } else {
                mine += mine < keys.length && keys[mine] == set.keys[its] ? 1 : 0;
                both[to] = set.values[its++];
            }
        }
        return new Cells(all, both, touchesLasting(set) ? new Memo() : memo);
    }

    private static boolean touchesLasting(Cells set) {
        for (int key : set.keys) {
            if (key > LAST_LASTING_KEY) {
                return false; // keys ascend
            }
            if (isLasting(key)) {
                return true;
            }
        }
        return false;
    }

    /** The checksum of a record with these cells. */
    long sum(long record) {
        return record + digest(record);
    }

    /**
     * What these cells contribute to the checksum of a state.
     *
     * @param record {@link Checksum#ofRecord} of their record
     */
    public long digest(long record) {
        long sum = 0;
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

    /** Collects cells in any order of keys, at best in the ascending one. Not thread-safe. */
    public static final class Draft {

        private int[] keys = new int[16];
        private @Nullable Value[] values = new @Nullable Value[16];
        private int size;

        /** Sets a whole number. */
        public Draft whole(int key, long value) {
            return put(key, Value.Whole.of(value));
        }

        /** Sets a decimal. */
        public Draft decimal(int key, double value) {
            return put(key, new Value.Decimal(value));
        }

        /** Sets a text; null leaves the key out. */
        public Draft text(int key, @Nullable String value) {
            return value == null ? this : put(key, new Value.Text(value));
        }

        /** Sets a truth value. */
        public Draft flag(int key, boolean value) {
            return whole(key, value ? 1 : 0);
        }

        /** Sets a value. */
        public Draft put(int key, Value value) {
            int at = indexOf(key);
            if (at >= 0) {
                values[at] = value;
                return this;
            }
            int place = -at - 1;
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
            }
            if (place < size) {
                System.arraycopy(keys, place, keys, place + 1, size - place);
                System.arraycopy(values, place, values, place + 1, size - place);
            }
            keys[place] = key;
            values[place] = value;
            size++;
            return this;
        }

        private int indexOf(int key) {
            return size == 0 || keys[size - 1] < key
                    ? -size - 1
                    : Arrays.binarySearch(keys, 0, size, key);
        }

        /** Leaves a key out that may have been set. */
        public Draft clear(int key) {
            int at = indexOf(key);
            if (at >= 0) {
                size--;
                System.arraycopy(keys, at + 1, keys, at, size - at);
                System.arraycopy(values, at + 1, values, at, size - at);
                values[size] = null;
            }
            return this;
        }

        /** Sets everything that these cells have. */
        public Draft putAll(Cells cells) {
            for (int i = 0; i < cells.keys.length; i++) {
                put(cells.keys[i], cells.values[i]);
            }
            return this;
        }

        /** The cells set so far. */
        public Cells build() {
            if (size == 0) {
                return NONE;
            }
            Value[] set = new Value[size];
            for (int i = 0; i < size; i++) {
                set[i] = Objects.requireNonNull(values[i]);
            }
            return new Cells(Arrays.copyOf(keys, size), set, new Memo());
        }
    }
}
