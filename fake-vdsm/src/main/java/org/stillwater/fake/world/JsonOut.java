package org.stillwater.fake.world;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.JsonBody;

/**
 * Writes JSON the way VDSM does (§2.1): separators {@code ", "} and {@code ": "}, non-ASCII as
 * {@code \\uXXXX}, members in the order of the calls. Keys come encoded from {@link #key(String)},
 * so that a VM of the hot path costs copies of short arrays and digits. One thread, one document.
 */
final class JsonOut {

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int LONGEST_NUMBER = 24;
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");
    private static final byte[] NULL = ascii("null");
    private static final byte[] DIGIT_PAIRS = digitPairs();
    private static final long[] POWERS_OF_TEN = powersOfTen();

    private final List<Chunk> full = new ArrayList<>();
    private byte[] buffer;
    private int position;
    private int sealedBytes;
    private boolean comma;

    /** For an answer of any size. */
    JsonOut() {
        this(1024);
    }

    JsonOut(int expectedBytes) {
        buffer = new byte[Math.min(expectedBytes, CHUNK_BYTES)];
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** An object key with its quotes and its separator. */
    static byte[] key(String name) {
        return ascii('"' + name + "\": ");
    }

    JsonOut object() {
        separate();
        put((byte) '{');
        comma = false;
        return this;
    }

    JsonOut endObject() {
        put((byte) '}');
        comma = true;
        return this;
    }

    JsonOut array() {
        separate();
        put((byte) '[');
        comma = false;
        return this;
    }

    JsonOut endArray() {
        put((byte) ']');
        comma = true;
        return this;
    }

    /** Starts a member; the value must follow. */
    JsonOut name(byte[] encodedKey) {
        separate();
        put(encodedKey);
        comma = false;
        return this;
    }

    JsonOut name(String key) {
        separate();
        quoted(key);
        put((byte) ':');
        put((byte) ' ');
        comma = false;
        return this;
    }

    JsonOut text(@Nullable String value) {
        separate();
        if (value == null) {
            put(NULL);
        } else {
            quoted(value);
        }
        return this;
    }

    JsonOut number(long value) {
        separate();
        digits(value);
        return this;
    }

    /** A number as a JSON string. */
    JsonOut numberText(long value) {
        separate();
        put((byte) '"');
        digits(value);
        put((byte) '"');
        return this;
    }

    /** Hundredths as a JSON string with two decimals, {@code "7.43"}. */
    JsonOut hundredthsText(long hundredths) {
        separate();
        put((byte) '"');
        digits(hundredths / 100);
        put((byte) '.');
        int rest = (int) Math.abs(hundredths % 100);
        put((byte) ('0' + rest / 10));
        put((byte) ('0' + rest % 10));
        put((byte) '"');
        return this;
    }

    /** Quarters as a JSON string as Python shows the float, {@code "412334.25"}. */
    JsonOut quartersText(long quarters) {
        separate();
        put((byte) '"');
        digits(quarters >> 2);
        put((byte) '.');
        switch ((int) (quarters & 3)) {
            case 0 -> put((byte) '0');
            case 1 -> {
                put((byte) '2');
                put((byte) '5');
            }
            case 2 -> put((byte) '5');
            case 3 -> {
                put((byte) '7');
                put((byte) '5');
            }
            default -> throw new AssertionError();
        }
        put((byte) '"');
        return this;
    }

    /** A quotient as a JSON string in plain decimals, 17 significant digits at most. */
    JsonOut quotientText(long dividend, int divisor) {
        separate();
        put((byte) '"');
        long whole = dividend / divisor;
        long rest = dividend % divisor;
        digits(whole);
        put((byte) '.');
        if (rest == 0) {
            put((byte) '0');
        }
        for (int left = 16 - digitCount(whole); rest != 0 && left > 0; left--) {
            rest *= 10;
            put((byte) ('0' + (int) (rest / divisor)));
            rest %= divisor;
        }
        put((byte) '"');
        return this;
    }

    /** Milliseconds as a JSON float of seconds; it always has a decimal point. */
    JsonOut secondsFloat(long millis) {
        separate();
        seconds(millis);
        return this;
    }

    /** Milliseconds as a JSON string of seconds. */
    JsonOut secondsText(long millis) {
        separate();
        put((byte) '"');
        seconds(millis);
        put((byte) '"');
        return this;
    }

    JsonOut bool(boolean value) {
        separate();
        put(value ? TRUE : FALSE);
        return this;
    }

    /** Encoded JSON: a value, or several members. */
    JsonOut raw(byte[] json) {
        separate();
        put(json);
        return this;
    }

    /** Any tree of maps, lists, strings, integers and booleans; not for hot paths. */
    JsonOut value(@Nullable Object value) {
        switch (value) {
            case null -> text(null);
            case String s -> text(s);
            case Boolean b -> bool(b);
            case Integer i -> number(i);
            case Long l -> number(l);
            case Map<?, ?> map -> {
                object();
                map.forEach((k, v) -> name(String.valueOf(k)).value(v));
                endObject();
            }
            case List<?> list -> {
                array();
                list.forEach(this::value);
                endArray();
            }
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
        return this;
    }

    /** The written document; ends the writer. */
    JsonBody body() {
        seal();
        return new Chunks(List.copyOf(full), sealedBytes);
    }

    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream(sealedBytes + position);
        full.forEach(chunk -> all.write(chunk.bytes, 0, chunk.length));
        all.write(buffer, 0, position);
        return all.toByteArray();
    }

    /** The part of an array that is filled. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Chunk(byte[] bytes, int length) {}

    private record Chunks(List<Chunk> chunks, int length) implements JsonBody {

        @Override
        public void writeTo(OutputStream out) throws IOException {
            for (Chunk chunk : chunks) {
                out.write(chunk.bytes, 0, chunk.length);
            }
        }
    }

    private void separate() {
        if (comma) {
            put((byte) ',');
            put((byte) ' ');
        }
        comma = true;
    }

    private void seconds(long millis) {
        digits(millis / 1000);
        put((byte) '.');
        int rest = (int) Math.abs(millis % 1000);
        put((byte) ('0' + rest / 100));
        if (rest % 100 != 0) {
            put((byte) ('0' + rest / 10 % 10));
            if (rest % 10 != 0) {
                put((byte) ('0' + rest % 10));
            }
        }
    }

    private void put(byte b) {
        if (position == buffer.length) {
            makeRoom(1);
        }
        buffer[position++] = b;
    }

    private void put(byte[] bytes) {
        if (position + bytes.length > buffer.length) {
            makeRoom(bytes.length);
        }
        System.arraycopy(bytes, 0, buffer, position, bytes.length);
        position += bytes.length;
    }

    /**
     * Small documents grow in place; large ones continue in a fresh chunk, so nothing is copied.
     */
    private void makeRoom(int bytes) {
        if (buffer.length < CHUNK_BYTES) {
            int doubled = Math.min(buffer.length * 2, CHUNK_BYTES);
            buffer = Arrays.copyOf(buffer, Math.max(position + bytes, doubled));
            return;
        }
        seal();
        buffer = new byte[Math.max(CHUNK_BYTES, bytes)];
        position = 0;
    }

    private void seal() {
        full.add(new Chunk(buffer, position));
        sealedBytes += position;
    }

    private void digits(long value) {
        if (position + LONGEST_NUMBER > buffer.length) {
            makeRoom(LONGEST_NUMBER);
        }
        long rest = value;
        if (rest < 0) {
            buffer[position++] = '-';
            if (rest == Long.MIN_VALUE) {
                for (byte b : ascii("9223372036854775808")) {
                    buffer[position++] = b;
                }
                return;
            }
            rest = -rest;
        }
        int count = digitCount(rest);
        int at = position + count;
        position = at;
        while (rest >= 100) {
            long next = rest / 100;
            int pair = (int) (rest - next * 100) << 1;
            buffer[--at] = DIGIT_PAIRS[pair + 1];
            buffer[--at] = DIGIT_PAIRS[pair];
            rest = next;
        }
        int last = (int) rest;
        buffer[--at] = DIGIT_PAIRS[(last << 1) + 1];
        if (last >= 10) {
            buffer[--at] = DIGIT_PAIRS[last << 1];
        }
    }

    private static int digitCount(long value) {
        long atLeastOne = value | 1;
        int bits = 64 - Long.numberOfLeadingZeros(atLeastOne);
        int estimate = (bits * 1233) >> 12; // times the decimal logarithm of 2
        return atLeastOne >= POWERS_OF_TEN[estimate] ? estimate + 1 : estimate;
    }

    private void quoted(String text) {
        put((byte) '"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                put((byte) c);
            } else {
                escaped(c);
            }
        }
        put((byte) '"');
    }

    private void escaped(char c) {
        put((byte) '\\');
        switch (c) {
            case '"', '\\' -> put((byte) c);
            case '\n' -> put((byte) 'n');
            case '\r' -> put((byte) 'r');
            case '\t' -> put((byte) 't');
            default -> {
                put((byte) 'u');
                for (int shift = 12; shift >= 0; shift -= 4) {
                    put(HEX[(c >> shift) & 15]);
                }
            }
        }
    }

    private static byte[] digitPairs() {
        byte[] pairs = new byte[200];
        for (int i = 0; i < 100; i++) {
            pairs[2 * i] = (byte) ('0' + i / 10);
            pairs[2 * i + 1] = (byte) ('0' + i % 10);
        }
        return pairs;
    }

    private static long[] powersOfTen() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }
}
