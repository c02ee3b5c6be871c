package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Values in oVirt's JSON, in which numbers and truth values are texts. Stateless. */
final class OvirtJson {

    private static final long MEBIBYTE = 1L << 20;

    private OvirtJson() {}

    private static JsonNode at(JsonNode from, String... path) {
        JsonNode node = from;
        for (String each : path) {
            node = node.path(each);
        }
        return node;
    }

    /** The text at this path; empty if there is none. */
    static String text(JsonNode from, String... path) {
        JsonNode node = at(from, path);
        return node.isValueNode() && !node.isNull() ? node.asString("") : "";
    }

    /** The text at this path; null if there is none, or an empty one. */
    static @Nullable String textOrNull(JsonNode from, String... path) {
        String text = text(from, path);
        return text.isEmpty() ? null : text;
    }

    static boolean has(JsonNode from, String... path) {
        return !at(from, path).isMissingNode();
    }

    static boolean flag(JsonNode from, String... path) {
        return text(from, path).equalsIgnoreCase("true");
    }

    /** The number at this path; otherwise this one, also if the value is no number. */
    static long number(JsonNode from, long otherwise, String... path) {
        try {
            String text = text(from, path);
            return text.isEmpty() ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException _) {
            return otherwise;
        }
    }

    /** Bytes at this path in MiB; 0 if there are none. */
    static int mebibytes(JsonNode from, String... path) {
        return Math.clamp(number(from, 0, path) / MEBIBYTE, 0, Integer.MAX_VALUE);
    }

    /** The identity at this path; null if there is none. */
    static @Nullable UUID uuid(JsonNode from, String... path) {
        try {
            String text = text(from, path);
            return text.isEmpty() ? null : UUID.fromString(text);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** The objects below this name: a list, or the one object that some engines give for one. */
    static List<JsonNode> list(JsonNode from, String... path) {
        JsonNode node = at(from, path);
        List<JsonNode> all = new ArrayList<>();
        if (node.isArray()) {
            node.forEach(all::add);
        } else if (node.isObject()) {
            all.add(node);
        }
        return all;
    }

    static String lower(JsonNode from, String... path) {
        return text(from, path).toLowerCase(Locale.ROOT);
    }
}
