package org.stillwater.relay.state;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one record: values by key, in ascending order of keys. Immutable. A missing key
 * stands for "not reported".
 */
public final class Cells {

    /** No cells. */
    public static final Cells NONE =
            new Cells(Shape.NONE, new long[0], new Value.Text[0], new Memo());

    /** Range of the cells of a {@link Memo}; key 2 is the stamp of a report. */
    private static final int LAST_LASTING_KEY = 79;

    private static final int STAMP = 2;

    private final Shape shape;

    /** Whole numbers, and the bits of decimals. */
    private final long[] numbers;

    private final Value.Text[] texts;
    private final Memo memo;

    Cells(Shape shape, long[] numbers, Value.Text[] texts, Memo memo) {
        this.shape = shape;
        this.numbers = numbers;
        this.texts = texts;
        this.memo = memo;
    }

    /**
     * Holds a reader's result for the cells that rarely change: all keys below 80 except the stamp.
     * Patched cells share it while the patch touches none of these keys. Readers of one record run
     * one at a time.
     */
    public static final class Memo {
        private @Nullable Object made;

        /** The stored result; null before the first. */
        public @Nullable Object made() {
            return made;
        }

        /** Stores the result. */
        public void made(Object of) {
            made = of;
        }
    }

    /** The memo of these cells. */
    public Memo memo() {
        return memo;
    }

    private static boolean isLasting(int key) {
        return key <= LAST_LASTING_KEY && key != STAMP;
    }

    /** Keys and kinds of the cells. */
    Shape shape() {
        return shape;
    }

    /** Number of cells. */
    public int size() {
        return shape.size();
    }

    /** The key of the n-th cell. */
    public int key(int index) {
        return shape.key(index);
    }

    /** The value of the n-th cell. */
    public Value value(int index) {
        int place = shape.place(index);
        return switch (shape.kind(index)) {
            case Shape.WHOLE -> Value.Whole.of(numbers[place]);
            case Shape.DECIMAL -> new Value.Decimal(Double.longBitsToDouble(numbers[place]));
            default -> texts[place];
        };
    }

    /** The value of a key; null for none. */
    public @Nullable Value get(int key) {
        int index = shape.indexOf(key);
        return index < 0 ? null : value(index);
    }

    /** The whole number of a key, or a default if it is missing. */
    public long whole(int key, long otherwise) {
        return wholeAt(shape.indexOf(key), otherwise);
    }

    private long wholeAt(int index, long otherwise) {
        return index >= 0 && shape.kind(index) == Shape.WHOLE
                ? numbers[shape.place(index)]
                : otherwise;
    }

    /** The decimal of a key, or a default if it is missing. */
    public double decimal(int key, double otherwise) {
        return decimalAt(shape.indexOf(key), otherwise);
    }

    private double decimalAt(int index, double otherwise) {
        return index >= 0 && shape.kind(index) == Shape.DECIMAL
                ? Double.longBitsToDouble(numbers[shape.place(index)])
                : otherwise;
    }

    /** The text of a key; null for none. */
    public @Nullable String text(int key) {
        return textAt(shape.indexOf(key));
    }

    private @Nullable String textAt(int index) {
        return index >= 0 && shape.kind(index) == Shape.TEXT
                ? texts[shape.place(index)].value()
                : null;
    }

    /** Whether a key has the truth value true. */
    public boolean is(int key) {
        return whole(key, 0) == 1;
    }

    /**
     * Reads many cells. Fast if readers of similar records request the same keys in the same order.
     * Not thread-safe.
     */
    public final class Cursor {

        private int turn;

        private int indexOf(int key) {
            return shape.indexOf(key, turn++);
        }

        /** The value of a key; null for none. */
        public @Nullable Value get(int key) {
            int index = indexOf(key);
            return index < 0 ? null : value(index);
        }

        /** The whole number of a key, or a default if it is missing. */
        public long whole(int key, long otherwise) {
            return wholeAt(indexOf(key), otherwise);
        }

        /** The decimal of a key, or a default if it is missing. */
        public double decimal(int key, double otherwise) {
            return decimalAt(indexOf(key), otherwise);
        }

        /** The text of a key; null for none. */
        public @Nullable String text(int key) {
            return textAt(indexOf(key));
        }
    }

    /** Reads many cells. */
    public Cursor cursor() {
        return new Cursor();
    }

    /** A copy of these cells with some cells replaced, added or removed. */
    public Cells patched(Cells set, Iterable<Integer> cleared) {
        Cells merged = set.size() == 0 ? this : merged(set);
        Draft draft = null;
        for (int key : cleared) {
            if (draft != null) {
                draft.clear(key);
            } else if (merged.shape.indexOf(key) >= 0) {
                draft = new Draft().putAll(merged).clear(key);
            }
        }
        return draft == null ? merged : draft.build();
    }

    private Cells merged(Cells set) {
        Memo kept = touchesLasting(set) ? new Memo() : memo;
        Shape.Places numbersTo = shape.numbersOf(set.shape);
        if (numbersTo == null) {
            Cells both = new Draft().putAll(this).putAll(set).build();
            return new Cells(both.shape, both.numbers, both.texts, kept);
        }
        // In most cases only values change.
        long[] patched = numbers;
        if (numbersTo.size() > 0) {
            patched = numbers.clone();
            for (int i = 0; i < numbersTo.size(); i++) {
                patched[numbersTo.get(i)] = set.numbers[i];
            }
        }
        return new Cells(shape, patched, mergedTexts(set), kept);
    }

    /** An unchanged text keeps its instance, which other records may share. */
    private Value.Text[] mergedTexts(Cells set) {
        if (set.texts.length == 0) {
            return texts;
        }
        Shape.Places to = shape.textsOf(set.shape);
        Value.Text[] patched = texts.clone();
        for (int i = 0; i < to.size(); i++) {
            if (!patched[to.get(i)].equals(set.texts[i])) {
                patched[to.get(i)] = set.texts[i];
            }
        }
        return patched;
    }

    private static boolean touchesLasting(Cells set) {
        for (int i = 0; i < set.size(); i++) {
            int key = set.key(i);
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
     * The contribution of these cells to the checksum of a state.
     *
     * @param record {@link Checksum#ofRecord} of their record
     */
    public long digest(long record) {
        long sum = 0;
        for (int i = 0; i < shape.size(); i++) {
            int place = shape.place(i);
            long value =
                    switch (shape.kind(i)) {
                        case Shape.WHOLE -> Checksum.ofWhole(numbers[place]);
                        case Shape.DECIMAL -> Checksum.ofDecimal(numbers[place]);
                        default -> texts[place].digest();
                    };
            sum += Checksum.ofCell(record, shape.mixed(i), value);
        }
        return sum;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cells that
                && shape.isLike(that.shape)
                && Arrays.equals(numbers, that.numbers)
                && Arrays.equals(texts, that.texts);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(numbers) + Arrays.hashCode(texts);
    }

    @Override
    public String toString() {
        Map<Integer, Value> told = new TreeMap<>();
        for (int i = 0; i < size(); i++) {
            told.put(key(i), value(i));
        }
        return told.toString();
    }

    /** Collects cells in any order of keys; the ascending order is the fastest. Not thread-safe. */
    public static final class Draft {

        private int[] keys = new int[16];
        private byte[] kinds = new byte[16];
        private long[] numbers = new long[16];
        private Value.@Nullable Text[] texts = new Value.@Nullable Text[16];
        private int size;

        /** Sets a whole number. */
        public Draft whole(int key, long value) {
            int at = place(key, Shape.WHOLE); // before the array is read: it may grow
            numbers[at] = value;
            return this;
        }

        /** Sets a decimal. */
        public Draft decimal(int key, double value) {
            int at = place(key, Shape.DECIMAL);
            numbers[at] = Double.doubleToLongBits(value);
            return this;
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
            return switch (value) {
                case Value.Whole(long whole) -> whole(key, whole);
                case Value.Decimal(double decimal) -> decimal(key, decimal);
                case Value.Text text -> {
                    int at = place(key, Shape.TEXT);
                    texts[at] = text;
                    yield this;
                }
            };
        }

        /** Inserts a position for the value of a key. */
        private int place(int key, byte kind) {
            int at = indexOf(key);
            if (at < 0) {
                at = -at - 1;
                if (size == keys.length) {
                    keys = Arrays.copyOf(keys, 2 * size);
                    kinds = Arrays.copyOf(kinds, 2 * size);
                    numbers = Arrays.copyOf(numbers, 2 * size);
                    texts = Arrays.copyOf(texts, 2 * size);
                }
                move(at, at + 1);
                size++;
                keys[at] = key;
            }
            kinds[at] = kind;
            texts[at] = null;
            return at;
        }

        /** Moves all cells from an index to another index. */
        private void move(int from, int to) {
            if (from < size) {
                System.arraycopy(keys, from, keys, to, size - from);
                System.arraycopy(kinds, from, kinds, to, size - from);
                System.arraycopy(numbers, from, numbers, to, size - from);
                System.arraycopy(texts, from, texts, to, size - from);
            }
        }

        private int indexOf(int key) {
            return size == 0 || keys[size - 1] < key
                    ? -size - 1
                    : Arrays.binarySearch(keys, 0, size, key);
        }

        /** Removes a key if it was set. */
        public Draft clear(int key) {
            int at = indexOf(key);
            if (at >= 0) {
                move(at + 1, at);
                size--;
                texts[size] = null;
            }
            return this;
        }

        /** Sets all values of these cells. */
        public Draft putAll(Cells cells) {
            for (int i = 0; i < cells.size(); i++) {
                put(cells.key(i), cells.value(i));
            }
            return this;
        }

        /** The cells set so far. */
        public Cells build() {
            if (size == 0) {
                return NONE;
            }
            Shape shape = Shape.of(keys, kinds, size);
            long[] packed = new long[shape.numbers()];
            Value.Text[] packedTexts = new Value.Text[shape.texts()];
            for (int i = 0; i < size; i++) {
                if (kinds[i] == Shape.TEXT) {
                    packedTexts[shape.place(i)] = Objects.requireNonNull(texts[i]);
                } else {
                    packed[shape.place(i)] = numbers[i];
                }
            }
            return new Cells(shape, packed, packedTexts, new Memo());
        }
    }
}
