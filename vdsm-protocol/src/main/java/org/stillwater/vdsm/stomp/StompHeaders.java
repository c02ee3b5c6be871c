package org.stillwater.vdsm.stomp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a frame, unescaped, in the order they were sent. Immutable.
 *
 * <p>A repeated header keeps its place in the order, but {@link #get} answers with the first one
 * (STOMP 1.2, "Repeated Header Entries").
 */
public final class StompHeaders {
    private static final StompHeaders NONE = new StompHeaders(new String[0]);

    /** Name, value, name, value… A frame has about five headers: a scan beats a map. */
    private final String[] entries;

    private StompHeaders(String[] entries) {
        this.entries = entries;
    }

    /** No header at all. */
    public static StompHeaders none() {
        return NONE;
    }

    /** Headers from alternating names and values. */
    public static StompHeaders of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a header name without a value");
        }
        return new StompHeaders(namesAndValues.clone());
    }

    static StompHeaders ofOwned(List<String> namesAndValues) {
        return namesAndValues.isEmpty()
                ? NONE
                : new StompHeaders(namesAndValues.toArray(new String[0]));
    }

    /** The value of the first header of that name, or null. Names are case-sensitive. */
    public @Nullable String get(String name) {
        for (int i = 0; i < entries.length; i += 2) {
            if (entries[i].equals(name)) {
                return entries[i + 1];
            }
        }
        return null;
    }

    /** The value of the first header of that name, or the given one. */
    public String getOrDefault(String name, String absent) {
        String value = get(name);
        return value == null ? absent : value;
    }

    /** True when a header of that name was sent. */
    public boolean contains(String name) {
        return get(name) != null;
    }

    /** These headers and one more at the end. */
    public StompHeaders with(String name, String value) {
        String[] longer = Arrays.copyOf(entries, entries.length + 2);
        longer[entries.length] = name;
        longer[entries.length + 1] = value;
        return new StompHeaders(longer);
    }

    /** The number of headers, repeated ones included. */
    public int size() {
        return entries.length / 2;
    }

    /** Every header in order, repeated ones included. */
    public void forEach(BiConsumer<? super String, ? super String> action) {
        for (int i = 0; i < entries.length; i += 2) {
            action.accept(entries[i], entries[i + 1]);
        }
    }

    /** The names in order, repeated ones included. */
    public List<String> names() {
        List<String> names = new ArrayList<>(size());
        forEach((name, _) -> names.add(name));
        return names;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StompHeaders that && Arrays.equals(entries, that.entries);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(entries);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        forEach((name, value) ->
                text.append(text.length() > 1 ? ", " : "").append(name).append(':').append(value));
        return text.append('}').toString();
    }
}
