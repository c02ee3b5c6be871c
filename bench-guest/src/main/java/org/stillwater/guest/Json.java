package org.stillwater.guest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON: objects are maps, arrays are lists, numbers are doubles. */
final class Json {

    private static final int MOST_DEPTH = 64;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /**
     * The value of a document.
     *
     * @throws IllegalArgumentException if the text is none
     */
    static @Nullable Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at < text.length()) {
            throw json.wrong();
        }
        return value;
    }

    /** A text in quotes. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at);
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char next() {
        if (at == text.length()) {
            throw wrong();
        }
        return text.charAt(at++);
    }

    private boolean take(char wanted) {
        blanks();
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void require(char wanted) {
        if (!take(wanted)) {
            throw wrong();
        }
    }

    private @Nullable Object value() {
        if (++depth > MOST_DEPTH) {
            throw wrong();
        }
        Object value;
        if (take('{')) {
            value = object();
        } else if (take('[')) {
            value = array();
        } else if (take('"')) {
            value = string();
        } else {
            value = word();
        }
        depth--;
        return value;
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (take('}')) {
            return members;
        }
        do {
            require('"');
            String name = string();
            require(':');
            members.put(name, value());
        } while (take(','));
        require('}');
        return members;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> items = new ArrayList<>();
        if (take(']')) {
            return items;
        }
        do {
            items.add(value());
        } while (take(','));
        require(']');
        return items;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            string.append(c == '\\' ? escaped() : c);
        }
        return string.toString();
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case '"', '\\', '/' -> c;
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw wrong();
                }
                at += 4;
                yield (char) Integer.parseInt(text, at - 4, at, 16);
            }
            default -> throw wrong();
        };
    }

    private @Nullable Object word() {
        int begin = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> Double.valueOf(word);
        };
    }
}
