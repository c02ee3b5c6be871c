package org.stillwater.ovirt.resource;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a path and parameters of a request: those of the query, and matrix parameters of any
 * segment, of which the query's win (rule 6, rule 21). A parameter without a value is there and
 * empty. Immutable.
 */
final class Parameters {

    private final List<String> segments = new ArrayList<>();
    private final Map<String, String> values = new HashMap<>();

    /**
     * Takes a request apart.
     *
     * @throws Refusal if an escape is wrong, or if it is too long
     */
    Parameters(String path, @Nullable String query, Limits limits) {
        int characters = path.length() + (query == null ? 0 : query.length());
        if (characters > limits.longestQuery()) {
            throw Refusal.invalid(
                    "Path and query may have %d characters together, not %d."
                            .formatted(limits.longestQuery(), characters));
        }
        for (String raw : path.split("/", -1)) {
            String[] parts = raw.split(";", -1);
            if (!parts[0].isEmpty()) {
                segments.add(decoded(parts[0].replace("+", "%2B")));
            }
            for (int i = 1; i < parts.length; i++) {
                parameter(parts[i].replace("+", "%2B"));
            }
        }
        if (segments.size() > limits.deepestPath()) {
            throw Refusal.nothingAt(path);
        }
        if (query != null) {
            for (String part : query.split("&", -1)) {
                parameter(part);
            }
        }
    }

    private void parameter(String text) {
        if (text.isEmpty()) {
            return;
        }
        int equals = text.indexOf('=');
        String name = decoded(equals < 0 ? text : text.substring(0, equals));
        values.put(
                name.toLowerCase(Locale.ROOT),
                equals < 0 ? "" : decoded(text.substring(equals + 1)));
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw Refusal.invalid("An escape in the path or query is not % and two digits.");
        }
    }

    List<String> segments() {
        return segments;
    }

    /** Every value by its name, which is in lower case. */
    Map<String, String> values() {
        return Map.copyOf(values);
    }

    /** A value; null if there is no such parameter. */
    @Nullable String value(String name) {
        return values.get(name);
    }

    /** A value; empty if there is no such parameter. */
    String text(String name) {
        return values.getOrDefault(name, "");
    }

    /**
     * A whole number; null if there is none.
     *
     * @throws Refusal if it is something else
     */
    @Nullable Long number(String name) {
        String text = text(name).strip();
        if (text.isEmpty()) {
            return null;
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException _) {
            throw Refusal.invalid("The parameter " + name + " is a whole number.");
        }
    }

    /** A truth value; null if it is none. Present without a value is true. */
    @Nullable Boolean flag(String name) {
        String text = values.get(name);
        return text == null ? null : text.isBlank() ? Boolean.TRUE : flagOf(text);
    }

    static @Nullable Boolean flagOf(@Nullable String text) {
        return text == null
                ? null
                : switch (text.strip().toLowerCase(Locale.ROOT)) {
                    case "true", "t", "yes", "y", "1" -> Boolean.TRUE;
                    case "false", "f", "no", "n", "0" -> Boolean.FALSE;
                    default -> null;
                };
    }
}
