package org.stillwater.xapi.client;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The needed fields of one object, packed into one array, so that a pool is some objects and not a
 * hundred times as many. Each access makes its value anew. Immutable; a field that the server does
 * not know is absent.
 */
public final class XapiRecord {

    /**
     * The reference to no object. In fields of old databases, an empty text has the same meaning.
     */
    public static final String NULL_REFERENCE = "OpaqueRef:NULL";

    private final XapiClass type;
    private final byte[] packed;

    /**
     * Takes the array over.
     *
     * @param packed by {@link RecordWriter}
     */
    XapiRecord(XapiClass type, byte[] packed) {
        this.type = type;
        this.packed = packed;
    }

    /** Its class. */
    public XapiClass type() {
        return type;
    }

    /** The value of a field, or {@code null} if the server did not send it. */
    public @Nullable Object get(String field) {
        int place = type.place(field);
        if (place < 0) {
            throw new IllegalArgumentException("not read: " + type.name() + "." + field);
        }
        return value(place);
    }

    private @Nullable Object value(int place) {
        int start = start(place);
        if (start == 0) {
            return null;
        }
        Texts texts = new Texts(packed, start);
        return switch (type.kinds().get(place)) {
            case STRING, DATETIME -> texts.next();
            case INT -> ShortBytes.eight(packed, start);
            case FLOAT -> Double.longBitsToDouble(ShortBytes.eight(packed, start));
            case BOOL -> packed[start] != 0;
            case STRINGS -> texts.list();
            case MAP -> texts.map();
        };
    }

    /** Where a field's value is; 0 if it is absent. */
    private int start(int place) {
        int width = packed[0];
        int start = 0;
        for (int i = 0; i < width; i++) {
            start |= (packed[1 + place * width + i] & 0xff) << (8 * i);
        }
        return start;
    }

    /** Reads texts one after the other. */
    private static final class Texts {
        private final byte[] bytes;
        private int at;

        Texts(byte[] bytes, int at) {
            this.bytes = bytes;
            this.at = at;
        }

        /** The next one; null at the end of a set or map. */
        @Nullable String next() {
            int count = 0;
            for (int shift = 0; ; shift += 7) {
                byte b = bytes[at++];
                count |= (b & 0x7f) << shift;
                if (b >= 0) {
                    break;
                }
            }
            if (count == 0) {
                return null;
            }
            int length = (count - 1) / 2;
            Charset characters =
                    (count - 1) % 2 == 0 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
            String text = length == 0 ? "" : new String(bytes, at, length, characters);
            at += length;
            return text;
        }

        List<String> list() {
            List<String> list = new ArrayList<>(4);
            for (String text = next(); text != null; text = next()) {
                list.add(text);
            }
            return list.isEmpty() ? List.of() : List.copyOf(list);
        }

        Map<String, String> map() {
            String name = next();
            if (name == null) {
                return Map.of();
            }
            Map<String, String> map = new LinkedHashMap<>();
            for (; name != null; name = next()) {
                map.put(name, Objects.requireNonNullElse(next(), ""));
            }
            return map;
        }
    }

    /** A text; absent is empty. */
    public String text(String field) {
        return Objects.requireNonNullElse((String) get(field), "");
    }

    /** A reference; {@code null} where it refers to nothing. */
    public @Nullable String reference(String field) {
        String ref = text(field);
        return ref.isEmpty() || ref.equals(NULL_REFERENCE) ? null : ref;
    }

    /** An int; absent is 0. */
    public long number(String field) {
        return Objects.requireNonNullElse((Long) get(field), 0L);
    }

    /** A float; absent, infinite and not a number are {@code null}: unknown. */
    public @Nullable Double real(String field) {
        Double value = (Double) get(field);
        return value == null || !Double.isFinite(value) ? null : value;
    }

    /** A bool; absent is false. */
    public boolean flag(String field) {
        return Boolean.TRUE.equals(get(field));
    }

    /** A set of texts or references. */
    @SuppressWarnings("unchecked")
    public List<String> list(String field) {
        return Objects.requireNonNullElse((List<String>) get(field), List.of());
    }

    /** A map, its values as texts. */
    @SuppressWarnings("unchecked")
    public Map<String, String> map(String field) {
        return Objects.requireNonNullElse((Map<String, String>) get(field), Map.of());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof XapiRecord record
                && record.type.name().equals(type.name())
                && Arrays.equals(record.packed, packed);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(packed);
    }

    @Override
    public String toString() {
        List<@Nullable Object> values = new ArrayList<>();
        for (int place = 0; place < type.fields().size(); place++) {
            values.add(value(place));
        }
        return type.name() + values;
    }
}
