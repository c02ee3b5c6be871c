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
            Map<String, String> once = new HashMap<>();
            for (String part : query.split("&", -1)) {
                String name = parameter(part);
                String value = values.getOrDefault(name, "");
                String before = once.put(name, value);
                if (before != null && !before.equals(value)) {
                    throw Refusal.invalid(
                            "The parameter %s comes twice, with two values."
                                    .formatted(Parameters.shown(name)));
                }
            }
        }
    }

    /** Keeps a value; returns the name of the parameter, which is empty if there is none. */
    private String parameter(String text) {
        if (text.isEmpty()) {
            return "";
        }
        int equals = text.indexOf('=');
        String name =
                decoded(equals < 0 ? text : text.substring(0, equals)).toLowerCase(Locale.ROOT);
        values.put(name, equals < 0 ? "" : decoded(text.substring(equals + 1)));
        return name;
    }

    /** A name of a caller as answers contain it: short, and fit for a header. */
    static String shown(String name) {
        String plain = name.replaceAll("[^0-9A-Za-z_.-]", "_");
        return plain.length() <= 40 ? plain : plain.substring(0, 40);
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

    /**
     * A truth value; null if there is none. Present without a value is true.
     *
     * @throws Refusal if it is something else
     */
    @Nullable Boolean flag(String name) {
        String text = values.get(name);
        if (text == null || text.isBlank()) {
            return text == null ? null : Boolean.TRUE;
        }
        Boolean flag = flagOf(text);
        if (flag == null) {
            throw Refusal.invalid(
                    "The parameter %s is true or false, not %s."
                            .formatted(name, text.substring(0, Math.min(40, text.length()))));
        }
        return flag;
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
