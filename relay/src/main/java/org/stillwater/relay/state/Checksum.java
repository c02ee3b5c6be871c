package org.stillwater.relay.state;

import java.util.UUID;

/**
 * The checksum of a state: the wrapping sum of one number for each record and each cell, so that
 * the order of records does not matter. It detects accidental drift, not manipulation; the schema
 * {@code stillwater.relay.v1} defines it, so that another program can compute it.
 */
public final class Checksum {

    static final long WHOLE = 0x243F6A8885A308D3L;
    static final long DECIMAL = 0x13198A2E03707344L;
    static final long TEXT = 0xA4093822299F31D0L;
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    private Checksum() {}

    /** The finalizer of SplitMix64: every bit of the input changes half of the output's. */
    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** FNV-1a over the text's UTF-16 units. */
    static long ofText(String text) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * FNV_PRIME;
        }
        return hash;
    }

    /** The number of a record, cells excluded. */
    public static long ofRecord(UUID id) {
        return mix(id.getMostSignificantBits() ^ mix(id.getLeastSignificantBits()));
    }

    /** The digest of a whole number. */
    static long ofWhole(long value) {
        return mix(value + WHOLE);
    }

    /** The digest of a decimal, by its bits. */
    static long ofDecimal(long bits) {
        return mix(bits + DECIMAL);
    }

    /**
     * The number of one cell of a record.
     *
     * @param key its key, {@link #mix mixed}
     * @param value the digest of its value
     */
    static long ofCell(long record, long key, long value) {
        return mix(record + key + value);
    }
}
