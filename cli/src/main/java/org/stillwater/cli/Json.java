package org.stillwater.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value (RFC 8259). Numbers keep the characters in which the engine wrote them. Immutable.
 */
sealed interface Json {

    /** A text. */
    record Text(String value) implements Json {}

    /** A number, as it was written. */
    record Num(String written) implements Json {}

    /** {@code true} or {@code false}. */
    record Bool(boolean value) implements Json {}

    /** {@code null}: the only value of its kind. */
    enum Null implements Json {
        NULL
    }

    /** A list. */
    record Array(List<Json> items) implements Json {
        public Array {
            items = List.copyOf(items);
        }
    }

    /** An object; its members keep their order. */
    record Obj(Map<String, Json> members) implements Json {}

    static Json of(@Nullable String text) {
        return text == null ? Null.NULL : new Text(text);
    }

    /** An object of a name and a value each. */
    static Obj object(Map<String, Json> members) {
        return new Obj(new LinkedHashMap<>(members));
    }

    /**
     * @throws Trouble if the text is no JSON
     */
    static Json parse(String text) {
        return new JsonParser(text).whole();
    }

    /** The member of this name; {@link Null#NULL} if this is no object, or has no such member. */
    default Json get(String name) {
        return this instanceof Obj(var members) ? members.getOrDefault(name, Null.NULL) : Null.NULL;
    }

    /**
     * The whole number of a member that every answer of an engine has.
     *
     * @throws Trouble if there is none
     */
    default long number(String name) {
        try {
            return Long.parseLong(get(name).text());
        } catch (NumberFormatException e) {
            throw new Trouble(
                    Exit.NO_ANSWER,
                    "the answer is not that of a Stillwater engine (no number "
                            + name
                            + "): check --url",
                    e);
        }
    }

    /** The member at a path of names with dots between them. */
    default Json at(String path) {
        Json found = this;
        for (String name : path.split("\\.")) {
            found = found.get(name);
        }
        return found;
    }

    /** The items of a list; none if this is no list. */
    default List<Json> list() {
        return this instanceof Array(var items) ? items : List.of();
    }

    default boolean isNull() {
        return this instanceof Null;
    }

    /** A text as it is, any other value as it is written; null for {@code null}. */
    default @Nullable String textOrNull() {
        return switch (this) {
            case Text(String value) -> value;
            case Null _ -> null;
            case Num _, Bool _, Array _, Obj _ -> written();
        };
    }

    /** The same; empty for {@code null}. */
    default String text() {
        String text = textOrNull();
        return text == null ? "" : text;
    }

    /** Whether this is {@code true}. */
    default boolean isTrue() {
        return this instanceof Bool(boolean value) && value;
    }

    /** This value in one line. Characters that could control a terminal are escaped. */
    default String written() {
        StringBuilder out = new StringBuilder();
        write(out);
        return out.toString();
    }

    private void write(StringBuilder out) {
        switch (this) {
            case Text(String value) -> quote(value, out);
            case Num(String written) -> out.append(written);
            case Bool(boolean value) -> out.append(value);
            case Null _ -> out.append("null");
            case Array(List<Json> items) -> {
                out.append('[');
                for (int i = 0; i < items.size(); i++) {
                    out.append(i == 0 ? "" : ",");
                    items.get(i).write(out);
                }
                out.append(']');
            }
            case Obj(Map<String, Json> members) -> {
                out.append('{');
                boolean first = true;
                for (Map.Entry<String, Json> member : members.entrySet()) {
                    out.append(first ? "" : ",");
                    first = false;
                    quote(member.getKey(), out);
                    out.append(':');
                    member.getValue().write(out);
                }
                out.append('}');
            }
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\r' -> out.append("\\r");
                default -> {
                    if (Texts.isHarmless(c)) {
                        out.append(c);
                    } else {
                        out.append(Texts.escaped(c));
                    }
                }
            }
        }
        out.append('"');
    }
}
