package org.stillwater.server.fence;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Message that fence_kdump_send sends by UDP while a kernel dump is written: two numbers of 32
 * bits, a magic one and the version, in the byte order of the machine that sends them. Additional
 * bytes of a later version are not read.
 */
final class KdumpMessage {

    static final int MAGIC = 0x1B302A40;
    static final int VERSION = 1;

    /** Bytes that are checked. */
    static final int LENGTH = 2 * Integer.BYTES;

    private KdumpMessage() {}

    /** Whether these bytes begin with such a message, of a machine of either byte order. */
    static boolean isOne(byte[] bytes, int length) {
        return length >= LENGTH
                && (isOne(bytes, ByteOrder.LITTLE_ENDIAN) || isOne(bytes, ByteOrder.BIG_ENDIAN));
    }

    private static boolean isOne(byte[] bytes, ByteOrder order) {
        ByteBuffer message = ByteBuffer.wrap(bytes).order(order);
        return message.getInt() == MAGIC && message.getInt() == VERSION;
    }
}
