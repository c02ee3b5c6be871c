package org.stillwater.fake.xapi.codec;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.RecordValue;
import org.stillwater.fake.xapi.model.XType.DateTime;

/** Values as JSON text, in the notation of today or in that of servers before 2018. */
final class JsonWriter {

    private final WireBuffer out;
    private final boolean old;
    private final String comma;
    private final String colon;

    JsonWriter(WireBuffer out, boolean old) {
        this.out = out;
        this.old = old;
        this.comma = old ? ", " : ",";
        this.colon = old ? ": " : ":";
    }

    void value(@Nullable Object value) {
        switch (value) {
            case null -> out.put("null");
            case String text -> text(text);
            case DateTime date -> text(date.text());
            case Double number -> out.put(old ? Numbers.oldJson(number) : Numbers.json(number));
            case Long number -> out.put(Long.toString(number));
            case Integer number -> out.put(Integer.toString(number));
            case Boolean flag -> out.put(flag ? "true" : "false");
            case List<?> list -> {
                out.put('[');
                String separator = "";
                for (Object each : list) {
                    out.put(separator);
                    value(each);
                    separator = comma;
                }
                out.put(']');
            }
            case Map<?, ?> map -> {
                out.put('{');
                String separator = "";
                for (Map.Entry<?, ?> each : map.entrySet()) {
                    out.put(separator);
                    member((String) each.getKey(), each.getValue());
                    separator = comma;
                }
                out.put('}');
            }
            case RecordValue fields -> {
                out.put('{');
                String separator = "";
                for (int i = 0; i < fields.values().length; i++) {
                    out.put(separator);
                    member(fields.type().fields().get(i).name(), fields.values()[i]);
                    separator = comma;
                }
                out.put('}');
            }
            default -> throw new IllegalArgumentException("no value: " + value.getClass());
        }
    }

    private void member(String name, @Nullable Object value) {
        text(name);
        out.put(colon);
        value(value);
    }

    private void text(String text) {
        out.put('"');
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            String escaped = escaped(text.charAt(i));
            if (escaped != null) {
                out.put(text.substring(from, i)).put(escaped);
                from = i + 1;
            }
        }
        out.put(from == 0 ? text : text.substring(from));
        out.put('"');
    }

    private @Nullable String escaped(char c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case '/' -> old ? "\\/" : null;
            default -> (c < 0x20 || c == 0x7f) && !old ? "\\u%04x".formatted((int) c) : null;
        };
    }
}
