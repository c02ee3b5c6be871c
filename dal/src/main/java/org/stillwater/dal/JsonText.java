package org.stillwater.dal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values as compact JSON, for columns that hold structures. Equal values give equal texts: members
 * of maps stand in the order of their keys, those of records in the order of their declaration;
 * null members are left out. Reads records by reflection, which suits rare writes.
 */
final class JsonText {

    private final StringBuilder json = new StringBuilder();

    private JsonText() {}

    /** Null for null and for empty values: they were not reported. */
    static @Nullable String of(@Nullable Object value) {
        if (value == null
                || (value instanceof Collection<?> list && list.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty())) {
            return null;
        }
        JsonText text = new JsonText();
        text.value(value);
        return text.json.toString();
    }

    private void value(Object value) {
        switch (value) {
            case CharSequence text -> text(text);
            case Number number -> json.append(number);
            case Boolean truth -> json.append(truth);
            case Collection<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            case Record composed -> composed(composed);
            default -> throw new IllegalArgumentException("no JSON form of " + value.getClass());
        }
    }

    private void list(Collection<?> list) {
        json.append('[');
        String comma = "";
        for (Object element : list) {
            json.append(comma);
            value(element);
            comma = ",";
        }
        json.append(']');
    }

    private void map(Map<?, ?> map) {
        json.append('{');
        String comma = "";
        for (Map.Entry<?, ?> member : new TreeMap<>(map).entrySet()) {
            json.append(comma);
            text(member.getKey().toString());
            json.append(':');
            value(member.getValue());
            comma = ",";
        }
        json.append('}');
    }

    private void composed(Record composed) {
        json.append('{');
        String comma = "";
        for (RecordComponent component : composed.getClass().getRecordComponents()) {
            Object member = member(composed, component);
            if (member != null) {
                json.append(comma);
                text(component.getName());
                json.append(':');
                value(member);
                comma = ",";
            }
        }
        json.append('}');
    }

    private static @Nullable Object member(Record composed, RecordComponent component) {
        try {
            return component.getAccessor().invoke(composed);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalArgumentException("cannot read " + component, e);
        }
    }

    private void text(CharSequence text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
