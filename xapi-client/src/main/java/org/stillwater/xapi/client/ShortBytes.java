package org.stillwater.xapi.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Up to 32 bytes of a buffer as four longs, which are compared and hashed in a few instructions.
 * Two of them are equal when their bytes are. Mutable, so that a reader needs one only.
 */
final class ShortBytes {

    /** Most bytes. */
    static final int MOST = 32;

    /** Bytes behind the last one that a buffer must have, because eight are read at once. */
    static final int MARGIN = 8;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private int length;
    private long first;
    private long second;
    private long third;
    private long last;

    /** Eight bytes, the first one lowest. */
    static long eight(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void putEight(byte[] bytes, int at, long eight) {
        LONG.set(bytes, at, eight);
    }

    /**
     * The bytes of a buffer that has {@link #MARGIN} more of them.
     *
     * @param count at most {@link #MOST}
     */
    ShortBytes set(byte[] bytes, int from, int count) {
        length = count;
        second = 0;
        third = 0;
        last = 0;
        if (count <= 8) {
            first = count == 0 ? 0 : eight(bytes, from) & (-1L >>> (64 - 8 * count));
            return this;
        }
        first = eight(bytes, from);
        last = eight(bytes, from + count - 8);
        if (count > 16) {
            second = eight(bytes, from + 8);
        }
        if (count > 24) {
            third = eight(bytes, from + 16);
        }
        return this;
    }

    /** The same bytes, for good. */
    ShortBytes copy() {
        ShortBytes copy = new ShortBytes();
        copy.length = length;
        copy.first = first;
        copy.second = second;
        copy.third = third;
        copy.last = last;
        return copy;
    }

    boolean isSame(ShortBytes other) {
        return first == other.first
                && last == other.last
                && second == other.second
                && third == other.third
                && length == other.length;
    }

    /** Its high bits are the best ones. */
    int hash() {
        long mixed =
                (first ^ Long.rotateLeft(last, 32)) * 0x9E3779B97F4A7C15L
                        + (second ^ Long.rotateLeft(third, 32)) * 0xC2B2AE3D27D4EB4FL
                        + length;
        return (int) (((mixed ^ (mixed >>> 32)) * 0x9E3779B97F4A7C15L) >>> 32);
    }
}
