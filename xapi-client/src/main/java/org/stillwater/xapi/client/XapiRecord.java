package org.stillwater.xapi.client;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The needed fields of one object. Immutable; a field that the server does not know is absent. */
public final class XapiRecord {

    /**
     * The reference to no object. In fields of old databases, an empty text has the same meaning.
     */
    public static final String NULL_REFERENCE = "OpaqueRef:NULL";

    private final XapiClass type;
    private final @Nullable Object[] values;

    /** Takes the array over. */
    XapiRecord(XapiClass type, @Nullable Object[] values) {
        this.type = type;
        this.values = values;
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
        return values[place];
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
                && Arrays.equals(record.values, values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return type.name() + Arrays.toString(values);
    }
}
