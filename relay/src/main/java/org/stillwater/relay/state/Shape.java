package org.stillwater.relay.state;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys and kinds of a record's cells, shared by the records of a fleet. Similar records mostly have
 * the same instance. Immutable except for its caches.
 */
final class Shape {

    static final byte WHOLE = 0;
    static final byte DECIMAL = 1;
    static final byte TEXT = 2;

    /** Number of cached shapes; a new one replaces the one with the same slot. */
    private static final int PLACES = 1 << 10;

    private static final AtomicReferenceArray<@Nullable Shape> KNOWN =
            new AtomicReferenceArray<>(PLACES);

    /** Most requested keys that are cached; further ones are searched. */
    private static final int MOST_ASKED = 512;

    static final Shape NONE = new Shape(new int[0], new byte[0], 0);

    /** In ascending order. */
    private final int[] keys;

    private final byte[] kinds;
    private final int hash;

    /** For each cell, the index of its value among the numbers or among the texts. */
    private final int[] places;

    /** For each cell, the mixed key, for checksums. */
    private final long[] mixed;

    private final int numbers;

    /** The keys that the last reader requested, in its order. A race only costs searches. */
    private Asked asked = Asked.NOTHING;

    /** Keys in the order of the requests, with their indexes. */
    private static final class Asked {
        static final Asked NOTHING = new Asked(new int[0], new int[0]);

        private final int[] keys;
        private final int[] indexes;

        private Asked(int[] keys, int[] indexes) {
            this.keys = keys;
            this.indexes = indexes;
        }

        Asked and(int key, int index) {
            int[] moreKeys = Arrays.copyOf(keys, keys.length + 1);
            int[] more = Arrays.copyOf(indexes, keys.length + 1);
            moreKeys[keys.length] = key;
            more[keys.length] = index;
            return new Asked(moreKeys, more);
        }
    }

    /** The positions of the shape of the last patch. A race only costs a computation. */
    private @Nullable Patch last;

    private Shape(int[] keys, byte[] kinds, int hash) {
        this.keys = keys;
        this.kinds = kinds;
        this.hash = hash;
        this.places = new int[keys.length];
        this.mixed = new long[keys.length];
        int counted = 0;
        for (int i = 0; i < keys.length; i++) {
            places[i] = kinds[i] == TEXT ? i - counted : counted++;
            mixed[i] = Checksum.mix(keys[i]);
        }
        this.numbers = counted;
    }

    /** The shape of the first {@code size} of these keys and kinds. */
    static Shape of(int[] keys, byte[] kinds, int size) {
        if (size == 0) {
            return NONE;
        }
        int hash = size;
        for (int i = 0; i < size; i++) {
            hash = 31 * hash + 3 * keys[i] + kinds[i];
        }
        int place = (hash ^ hash >>> 10 ^ hash >>> 20) & (PLACES - 1);
        Shape known = KNOWN.get(place);
        if (known != null
                && known.hash == hash
                && Arrays.equals(known.keys, 0, known.keys.length, keys, 0, size)
                && Arrays.equals(known.kinds, 0, known.kinds.length, kinds, 0, size)) {
            return known;
        }
        Shape fresh = new Shape(Arrays.copyOf(keys, size), Arrays.copyOf(kinds, size), hash);
        KNOWN.set(place, fresh);
        return fresh;
    }

    int size() {
        return keys.length;
    }

    int numbers() {
        return numbers;
    }

    int texts() {
        return keys.length - numbers;
    }

    int key(int index) {
        return keys[index];
    }

    byte kind(int index) {
        return kinds[index];
    }

    int place(int index) {
        return places[index];
    }

    long mixed(int index) {
        return mixed[index];
    }

    /** Index of a key; negative for none. */
    int indexOf(int key) {
        return Arrays.binarySearch(keys, key);
    }

    /**
     * Index of a key, for a reader of many keys. Readers request the same keys in the same order,
     * so the index is mostly cached by an earlier reader.
     *
     * @param turn number of keys that the reader requested before
     * @return negative for none
     */
    int indexOf(int key, int turn) {
        Asked known = asked;
        if (turn < known.keys.length && known.keys[turn] == key) {
            return known.indexes[turn];
        }
        int index = indexOf(key);
        if (turn == known.keys.length && turn < MOST_ASKED) {
            asked = known.and(key, index);
        }
        return index;
    }

    /** Whether cells of both shapes have the same keys and kinds. */
    @SuppressWarnings("ReferenceEquality") // mostly it is the same
    boolean isLike(Shape other) {
        return this == other
                || (hash == other.hash
                        && Arrays.equals(keys, other.keys)
                        && Arrays.equals(kinds, other.kinds));
    }

    /**
     * Positions at which cells of another shape replace cells of this one.
     *
     * @param set the other shape
     * @param numbersTo positions of its numbers, in their order; empty if the other shape has cells
     *     that this one lacks
     * @param textsTo positions of its texts
     */
    private record Patch(Shape set, Places numbersTo, Places textsTo, boolean fits) {}

    /** Positions; not changed. */
    static final class Places {
        private final int[] to;

        Places(int[] to) {
            this.to = to;
        }

        int size() {
            return to.length;
        }

        int get(int index) {
            return to[index];
        }
    }

    /**
     * Positions for the numbers of another shape; null if that shape has a cell that this one
     * lacks.
     */
    @Nullable Places numbersOf(Shape set) {
        Patch patch = patch(set);
        return patch.fits() ? patch.numbersTo() : null;
    }

    /** Positions for the texts of that shape, if {@link #numbersOf} is not null. */
    Places textsOf(Shape set) {
        return patch(set).textsTo();
    }

    @SuppressWarnings("ReferenceEquality") // another instance costs a computation
    private Patch patch(Shape set) {
        Patch known = last;
        if (known != null && known.set() == set) {
            return known;
        }
        int[] numbersTo = new int[set.numbers];
        int[] textsTo = new int[set.texts()];
        boolean fits = true;
        for (int i = 0; fits && i < set.keys.length; i++) {
            int here = indexOf(set.keys[i]);
            fits = here >= 0 && kinds[here] == set.kinds[i];
            if (fits) {
                (set.kinds[i] == TEXT ? textsTo : numbersTo)[set.places[i]] = places[here];
            }
        }
        Patch fresh = new Patch(set, new Places(numbersTo), new Places(textsTo), fits);
        last = fresh;
        return fresh;
    }
}
