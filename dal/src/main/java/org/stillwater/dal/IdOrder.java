package org.stillwater.dal;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.HistoryStore.RollUps;
import org.stillwater.core.store.HistoryStore.Samples;

/**
 * The order in which rows of a batch go to their table: by identifier, as the server sorts it. An
 * index on random identifiers is then gone through once from end to end, where otherwise each row
 * would touch a page of its own, and each batch lies in its table sorted.
 *
 * <p>Its array is used again by the next batch: for a large fleet it is longer than half a region
 * of the heap, and a new one each minute would let the collector mark the old generation. For one
 * thread; closed when the rows have gone.
 */
final class IdOrder implements AutoCloseable {

    /** The array of the last batch, unless it is in use. */
    private static final AtomicReference<long @Nullable []> SPARE = new AtomicReference<>();

    private final int size;
    private final long mask;
    private final long[] keys;

    /** Order of the rows. */
    static IdOrder of(Samples rows) {
        return new IdOrder(rows.size(), rows::idUpper);
    }

    /** Order of the rows. */
    static IdOrder of(RollUps rows) {
        return new IdOrder(rows.size(), rows::idUpper);
    }

    /** The upper half of a row's identifier. */
    @FunctionalInterface
    interface Upper {
        long of(int row);
    }

    /**
     * Rows by the first bits of their identifiers, 44 or more of them: one array of primitives;
     * rows with equal first bits are near enough.
     */
    IdOrder(int size, Upper upper) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size - 1));
        this.size = size;
        this.mask = (1L << bits) - 1;
        long[] spare = SPARE.getAndSet(null);
        this.keys = spare != null && spare.length >= size ? spare : new long[size];
        for (int row = 0; row < size; row++) {
            // The server compares without sign.
            keys[row] = ((upper.of(row) ^ Long.MIN_VALUE) & ~mask) | row;
        }
        Arrays.sort(keys, 0, size);
    }

    /** Number of rows. */
    int size() {
        return size;
    }

    /** The row that is at a place of the order. */
    int row(int place) {
        return (int) (keys[place] & mask);
    }

    @Override
    public void close() {
        SPARE.set(keys);
    }
}
