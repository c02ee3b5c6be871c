package org.stillwater.fake.xapi.codec;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.RecordValue;
import org.stillwater.fake.xapi.model.XType.DateTime;

/** Values as XML-RPC, in the way of today or with the defect that servers had until July 2015. */
final class XmlWriter {

    private final WireBuffer out;
    private final boolean old;

    XmlWriter(WireBuffer out, boolean old) {
        this.out = out;
        this.old = old;
    }

    void value(@Nullable Object value) {
        out.put("<value>");
        switch (value) {
            case null -> out.put("<nil/>");
            case String text -> text(text);
            case DateTime date -> {
                out.put("<dateTime.iso8601>");
                text(date.text());
                out.put("</dateTime.iso8601>");
            }
            case Double number -> out.put("<double>").put(Numbers.xml(number)).put("</double>");
            case Long number -> out.put(Long.toString(number));
            case Integer number -> out.put("<i4>").put(number.toString()).put("</i4>");
            case Boolean flag -> out.put(flag ? "<boolean>1</boolean>" : "<boolean>0</boolean>");
            case byte[] bytes ->
                    out.put("<base64>")
                            .put(Base64.getEncoder().encodeToString(bytes))
                            .put("</base64>");
            case List<?> list -> {
                out.put("<array><data>");
                list.forEach(this::value);
                out.put("</data></array>");
            }
            case Map<?, ?> map -> {
                out.put("<struct>");
                map.forEach((name, member) -> member((String) name, member));
                out.put("</struct>");
            }
            case RecordValue fields -> {
                out.put("<struct>");
                for (int i = 0; i < fields.values().length; i++) {
                    member(fields.type().fields().get(i).name(), fields.values()[i]);
                }
                out.put("</struct>");
            }
            default -> throw new IllegalArgumentException("no value: " + value.getClass());
        }
        out.put("</value>");
    }

    /** Names are not escaped: a real server does not either. */
    private void member(String name, @Nullable Object value) {
        out.put("<member><name>").put(name).put("</name>");
        value(value);
        out.put("</member>");
    }

    void text(String text) {
        int looked = old ? text.length() - 1 : text.length();
        boolean plain = true;
        for (int i = 0; i < looked && plain; i++) {
            plain = escaped(text.charAt(i)) == null;
        }
        if (plain) {
            out.put(text);
            return;
        }
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            String escaped = escaped(text.charAt(i));
            if (escaped != null) {
                out.put(text.substring(from, i)).put(escaped);
                from = i + 1;
            }
        }
        out.put(text.substring(from));
    }

    private static @Nullable String escaped(char c) {
        return switch (c) {
            case '&' -> "&amp;";
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            case '"' -> "&quot;";
            case '\t', '\n', '\r' -> null;
            default -> c < 0x20 ? "" : null;
        };
    }
}
