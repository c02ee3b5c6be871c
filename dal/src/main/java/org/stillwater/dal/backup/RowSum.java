package org.stillwater.dal.backup;

/**
 * Number and sum of the rows of a table in COPY's text format, where each row is a line. The sum
 * does not depend on their order, in which two databases differ. It finds accidents, not forgers.
 * Confined to one thread.
 */
final class RowSum {

    private static final long OFFSET = 0xcbf29ce484222325L; // FNV-1a, 64 bits
    private static final long PRIME = 0x100000001b3L;

    private long rows;
    private long sum;
    private long hash = OFFSET;

    void add(byte[] bytes, int from, int length) {
        for (int at = from; at < from + length; at++) {
            byte value = bytes[at];
            if (value == '\n') {
                rows++;
                sum += mixed(hash);
                hash = OFFSET;
            } else {
                hash = (hash ^ (value & 0xff)) * PRIME;
            }
        }
    }

    /** The finalizer of MurmurHash3: without it, similar rows would have similar hashes. */
    private static long mixed(long hash) {
        long value = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        value = (value ^ (value >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return value ^ (value >>> 33);
    }

    long rows() {
        return rows;
    }

    long sum() {
        return sum;
    }
}
