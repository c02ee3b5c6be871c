package org.stillwater.server.api.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.io.SerializedString;
import tools.jackson.databind.json.JsonMapper;

/**
 * One JSON value in a buffer that the next value reuses. Lists of VMs have 600 000 values and more:
 * a generator checks its state and its settings at each of them; this writes the bytes only, the
 * same ones as the generator of {@link JsonMapper#shared()}, which then copies the whole value
 * ({@link JsonGenerator#writeRawValue(SerializableString)}). The caller keeps the grammar: a name
 * before each value of an object, no name in an array. Used by one thread.
 */
public final class JsonText implements SerializableString {

    private static final byte[] NULL = ascii("null");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");
    private static final byte[] HEX = ascii("0123456789abcdef");

    /** Most bytes of a number, and of a UUID with its quotes. */
    private static final int LONGEST_SHORT_VALUE = 40;

    private byte[] bytes;
    private int length;

    /**
     * An empty buffer.
     *
     * @param size first size in bytes; the buffer grows with its content
     */
    public JsonText(int size) {
        bytes = new byte[size];
    }

    /** Drops the value. */
    public void clear() {
        length = 0;
    }

    /** Begins an object. */
    public void startObject() {
        separate(1);
        bytes[length++] = '{';
    }

    /** Ends an object. */
    public void endObject() {
        room(1);
        bytes[length++] = '}';
    }

    /** Begins an array. */
    public void startArray() {
        separate(1);
        bytes[length++] = '[';
    }

    /** Ends an array. */
    public void endArray() {
        room(1);
        bytes[length++] = ']';
    }

    /** Begins a member. */
    public void name(SerializedString name) {
        text(name);
        room(1);
        bytes[length++] = ':';
    }

    /** A text, or null. */
    public void text(@Nullable String value) {
        if (value == null) {
            unknown();
            return;
        }
        int count = value.length();
        separate(count + 2);
        int at = length;
        bytes[at++] = '"';
        for (int i = 0; i < count; i++) {
            char one = value.charAt(i);
            if (one < ' ' || one > '~' || one == '"' || one == '\\') {
                escaped(value);
                return;
            }
            bytes[at++] = (byte) one;
        }
        bytes[at++] = '"';
        length = at;
    }

    /** Behind the comma, if there is one. */
    private void escaped(String value) {
        if (value.chars().anyMatch(one -> Character.isSurrogate((char) one))) {
            append(bytesOf(json -> json.writeString(value))); // half a pair is no error here
            return;
        }
        byte[] escaped = JsonStringEncoder.getInstance().quoteAsUTF8(value);
        room(escaped.length + 2);
        bytes[length++] = '"';
        append(escaped);
        bytes[length++] = '"';
    }

    /** A text that is encoded already. */
    public void text(SerializedString value) {
        separate(value.charLength() + 2);
        bytes[length++] = '"';
        int added = value.appendQuotedUTF8(bytes, length);
        if (added < 0) {
            append(value.asQuotedUTF8());
        } else {
            length += added;
        }
        room(1);
        bytes[length++] = '"';
    }

    /** A UUID as a text. */
    public void uuid(long upper, long lower) {
        separate(LONGEST_SHORT_VALUE);
        bytes[length++] = '"';
        hex(upper, 60, 32);
        bytes[length++] = '-';
        hex(upper, 28, 16);
        bytes[length++] = '-';
        hex(upper, 12, 0);
        bytes[length++] = '-';
        hex(lower, 60, 48);
        bytes[length++] = '-';
        hex(lower, 44, 0);
        bytes[length++] = '"';
    }

    private void hex(long bits, int from, int to) {
        int at = length;
        for (int shift = from; shift >= to; shift -= 4) {
            bytes[at++] = HEX[(int) (bits >>> shift) & 15];
        }
        length = at;
    }

    /** A whole number. */
    public void whole(long value) {
        separate(LONGEST_SHORT_VALUE);
        length = Decimals.putWhole(bytes, length, value);
    }

    /** A number with decimals; null if it is infinite or NaN. */
    public void fraction(double value) {
        if (!Double.isFinite(value)) {
            unknown();
            return;
        }
        separate(LONGEST_SHORT_VALUE);
        length = Decimals.put(bytes, length, value);
    }

    /** A truth value. */
    public void flag(boolean value) {
        byte[] word = value ? TRUE : FALSE;
        separate(word.length);
        append(word);
    }

    /** Null. */
    public void unknown() {
        separate(NULL.length);
        append(NULL);
    }

    /** One value that is written by a generator, for values of which a list has few. */
    public void generated(Consumer<JsonGenerator> value) {
        byte[] written = bytesOf(value);
        separate(written.length);
        append(written);
    }

    private static byte[] bytesOf(Consumer<JsonGenerator> value) {
        ByteArrayOutputStream written = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JsonMapper.shared().createGenerator(written)) {
            value.accept(json);
        }
        return written.toByteArray();
    }

    /** Makes room for a value, and adds the comma if another one is before it. */
    private void separate(int more) {
        room(more + 1);
        if (length > 0) {
            byte last = bytes[length - 1];
            if (last != '{' && last != '[' && last != ':') {
                bytes[length++] = ',';
            }
        }
    }

    private void append(byte[] more) {
        room(more.length + 1);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    private void room(int more) {
        if (more > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String getValue() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return getValue();
    }

    @Override
    public int charLength() {
        return getValue().length();
    }

    @Override
    public int appendUnquotedUTF8(byte[] into, int offset) {
        if (length > into.length - offset) {
            return -1;
        }
        System.arraycopy(bytes, 0, into, offset, length);
        return length;
    }

    @Override
    public byte[] asUnquotedUTF8() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public int writeUnquotedUTF8(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        return length;
    }

    @Override
    public int putUnquotedUTF8(ByteBuffer buffer) {
        if (length > buffer.remaining()) {
            return -1;
        }
        buffer.put(bytes, 0, length);
        return length;
    }

    @Override
    public int appendUnquoted(char[] into, int offset) {
        String value = getValue();
        if (value.length() > into.length - offset) {
            return -1;
        }
        value.getChars(0, value.length(), into, offset);
        return value.length();
    }

    // It is JSON, no text in JSON: there is nothing to quote.

    @Override
    public char[] asQuotedChars() {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte[] asQuotedUTF8() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int appendQuotedUTF8(byte[] into, int offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int appendQuoted(char[] into, int offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int writeQuotedUTF8(OutputStream out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int putQuotedUTF8(ByteBuffer buffer) {
        throw new UnsupportedOperationException();
    }
}
