package org.stillwater.xapi.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A class of XAPI as far as the engine reads it. The table {@code fields.tsv}, taken from the
 * datamodel, has all of them once, so that one is equal to itself only; decoders skip every other
 * class and field.
 */
public final class XapiClass {

    /**
     * The form in which a value is kept. XML-RPC does not distinguish an int from a text, so the
     * table must.
     */
    public enum Kind {
        /** Texts, enums and references: {@code String}. */
        STRING,
        /** {@code Long}. */
        INT,
        /** {@code Double}; not a number is kept as such. */
        FLOAT,
        /** {@code Boolean}. */
        BOOL,
        /** {@code String} as on the wire. */
        DATETIME,
        /** {@code List<String>}. */
        STRINGS,
        /** {@code Map<String, String>}; values of other types as texts. */
        MAP
    }

    private static final Map<String, XapiClass> BY_NAME = read();
    private static final Map<String, XapiClass> BY_EVENT_NAME = byEventName();

    private final String name;
    private final String eventName;
    private final List<String> fields;
    private final List<Kind> kinds;
    private final Map<String, Integer> places;
    private final FieldNames names;
    private final XapiRecord bare = new XapiRecord(this, new RecordWriter().pack());

    /** A hint for readers: a wrong one costs a little time. */
    private volatile FieldOrder.Names order = FieldOrder.Names.NONE;

    private XapiClass(
            String name, List<String> fields, List<Kind> kinds, Map<String, Integer> places) {
        this.name = name;
        this.eventName = name.toLowerCase(Locale.ROOT);
        this.fields = List.copyOf(fields);
        this.kinds = List.copyOf(kinds);
        this.places = Map.copyOf(places);
        this.names = new FieldNames(fields);
    }

    private static Map<String, XapiClass> read() {
        Map<String, XapiClass> classes = new LinkedHashMap<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        XapiClass.class.getResourceAsStream("fields.tsv")),
                                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("#")) {
                    continue;
                }
                int tab = line.indexOf('\t');
                List<String> fields = new ArrayList<>();
                List<Kind> kinds = new ArrayList<>();
                Map<String, Integer> places = new HashMap<>();
                for (String each : line.substring(tab + 1).split(" ")) {
                    if (each.isEmpty()) {
                        continue; // a class without fields
                    }
                    int colon = each.indexOf(':');
                    places.put(each.substring(0, colon), fields.size());
                    fields.add(each.substring(0, colon));
                    kinds.add(Kind.valueOf(each.substring(colon + 1).toUpperCase(Locale.ROOT)));
                }
                String name = line.substring(0, tab);
                classes.put(name, new XapiClass(name, fields, kinds, places));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes;
    }

    private static Map<String, XapiClass> byEventName() {
        Map<String, XapiClass> classes = new HashMap<>();
        BY_NAME.values().forEach(each -> classes.put(each.eventName(), each));
        return classes;
    }

    /** All classes of the table. */
    public static List<XapiClass> all() {
        return List.copyOf(BY_NAME.values());
    }

    /** The class of that name. */
    public static XapiClass of(String name) {
        return Objects.requireNonNull(BY_NAME.get(name), name);
    }

    /** The class that events call so, or {@code null}. */
    public static @Nullable XapiClass ofEvent(String name) {
        return BY_EVENT_NAME.get(name);
    }

    /** The name as methods spell it. */
    public String name() {
        return name;
    }

    /** The name in events. */
    public String eventName() {
        return eventName;
    }

    /** The fields that are read, in the order of the table. */
    public List<String> fields() {
        return fields;
    }

    /** Kinds of the fields, at the same places. */
    public List<Kind> kinds() {
        return kinds;
    }

    /** The one record of all objects, if no field is read. */
    XapiRecord bare() {
        return bare;
    }

    /** Place of a field, or {@link Source#UNKNOWN} if it is not read. */
    int place(String field) {
        return places.getOrDefault(field, Source.UNKNOWN);
    }

    /** The same by the bytes of its name. */
    int place(ShortBytes field) {
        return names.place(field);
    }

    /** The order of fields that the last reader met. */
    FieldOrder.Names order() {
        return order;
    }

    void order(FieldOrder.Names met) {
        order = met;
    }

    @Override
    public String toString() {
        return name;
    }
}
