package org.stillwater.dal;

import java.util.Arrays;
import org.stillwater.core.port.HistoryStore.RollUps;
import org.stillwater.core.port.HistoryStore.Samples;

/**
 * The order in which rows of a batch go to their table: by identifier, as the server sorts it. A
 * batch then passes through an index on random identifiers once from end to end, where otherwise
 * each row would touch another page, and each batch is sorted in its table. Stateless.
 */
final class IdOrder {

    private IdOrder() {}

    /** Numbers of the rows. */
    static int[] of(Samples rows) {
        return of(rows.size(), rows::idUpper);
    }

    /** Numbers of the rows. */
    static int[] of(RollUps rows) {
        return of(rows.size(), rows::idUpper);
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
    static int[] of(int size, Upper upper) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size - 1));
        long mask = (1L << bits) - 1;
        long[] keys = new long[size];
        for (int row = 0; row < size; row++) {
            // The server compares without sign.
            keys[row] = ((upper.of(row) ^ Long.MIN_VALUE) & ~mask) | row;
        }
        Arrays.sort(keys);
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = (int) (keys[i] & mask);
        }
        return order;
    }
}
