package org.stillwater.xapi.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Packs the fields of a record into one array, which {@link XapiRecord} reads. A record of equal
 * fields has equal bytes, in any order of arrival. One writer makes one record after the other; not
 * thread-safe.
 *
 * <p>The array begins with the width of its offsets, and an offset for each field of the class, 0
 * for an absent one. A text is a count, twice its bytes and one more, or two if they are not ASCII,
 * and its bytes; sets and maps are texts up to a count of 0; numbers are eight bytes, the lowest
 * first. Counts have seven bits in a byte, and a high bit if another one follows.
 */
final class RecordWriter {

    private byte[] values = new byte[1 << 10];
    private int end;
    private int fields;
    private int open;
    private int[] from = {};
    private int[] to = {};

    /** Begins a record without fields. */
    void begin(int count) {
        fields = count;
        end = 0;
        if (from.length < count) {
            from = new int[count];
            to = new int[count];
        }
        Arrays.fill(from, 0, count, -1);
    }

    /** Begins the field at a place; the last one of several holds. */
    void open(int place) {
        open = place;
        from[place] = end;
    }

    /** Ends the field. */
    void close() {
        to[open] = end;
    }

    private void need(int count) {
        if (values.length - end < count) {
            values = Arrays.copyOf(values, Math.max(2 * values.length, end + count));
        }
    }

    private void count(int count) {
        need(5);
        int rest = count;
        while (rest > 0x7f) {
            values[end++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        values[end++] = (byte) rest;
    }

    /** A text of ASCII. */
    void ascii(byte[] bytes, int offset, int length) {
        count(2 * length + 1);
        need(length);
        System.arraycopy(bytes, offset, values, end, length);
        end += length;
    }

    /** A text. */
    void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == text.length()) {
            ascii(bytes, 0, bytes.length);
            return;
        }
        count(2 * bytes.length + 2);
        need(bytes.length);
        System.arraycopy(bytes, 0, values, end, bytes.length);
        end += bytes.length;
    }

    /** The end of a set or map. */
    void endOfTexts() {
        count(0);
    }

    /** A number of 64 bits. */
    void number(long number) {
        need(Long.BYTES);
        ShortBytes.putEight(values, end, number);
        end += Long.BYTES;
    }

    /** Yes or no. */
    void flag(boolean flag) {
        need(1);
        values[end++] = (byte) (flag ? 1 : 0);
    }

    /** The record. */
    byte[] pack() {
        int length = 0;
        for (int place = 0; place < fields; place++) {
            length += from[place] < 0 ? 0 : to[place] - from[place];
        }
        int width = 1;
        while (width < 4 && 1 + width * fields + length >= 1 << (8 * width)) {
            width *= 2;
        }
        byte[] packed = new byte[1 + width * fields + length];
        packed[0] = (byte) width;
        int at = 1 + width * fields;
        for (int place = 0; place < fields; place++) {
            if (from[place] < 0) {
                continue;
            }
            for (int i = 0; i < width; i++) {
                packed[1 + place * width + i] = (byte) (at >>> (8 * i));
            }
            int count = to[place] - from[place];
            System.arraycopy(values, from[place], packed, at, count);
            at += count;
        }
        return packed;
    }
}
