package org.stillwater.server.rest;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The members of one JSON object that somebody sent, read one by one. What is of the wrong kind is
 * refused by name; so is, at the {@link #end}, what nobody asked for, since a rule that is spelled
 * wrong must not count as left out. {@code null} counts as left out.
 */
final class Members {

    private final JsonNode object;
    private final String path;
    private final Set<String> read = new HashSet<>();

    private Members(JsonNode object, String path) {
        this.object = object;
        this.path = path;
    }

    /** A body, which must be an object. */
    static Members of(JsonNode body) {
        return of(body, "");
    }

    private static Members of(JsonNode node, String path) {
        if (!node.isObject()) {
            throw refused(path.isEmpty() ? "The body" : path, "a JSON object");
        }
        return new Members(node, path.isEmpty() ? "" : path + ".");
    }

    @Nullable String text(String name) {
        JsonNode value = value(name, JsonNode::isString, "text");
        return value == null ? null : value.asString();
    }

    /** Text that is there and not blank, without surrounding blanks. */
    String requiredText(String name) {
        String text = text(name);
        if (text == null || text.isBlank()) {
            throw ApiException.badRequest(path + name + " is missing");
        }
        return text.strip();
    }

    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    @Nullable Boolean flag(String name) {
        JsonNode value = value(name, JsonNode::isBoolean, "true or false");
        return value == null ? null : value.asBoolean();
    }

    boolean flag(String name, boolean otherwise) {
        Boolean flag = flag(name);
        return flag == null ? otherwise : flag;
    }

    @Nullable Integer number(String name) {
        JsonNode value =
                value(
                        name,
                        node -> node.isIntegralNumber() && node.canConvertToInt(),
                        "a whole number");
        return value == null ? null : value.asInt();
    }

    int number(String name, int otherwise) {
        Integer number = number(name);
        return number == null ? otherwise : number;
    }

    /** A list of texts; empty if left out. */
    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        JsonNode value = value(name, JsonNode::isArray, "a list");
        if (value != null) {
            for (JsonNode each : value) {
                if (!each.isString()) {
                    throw refused(path + name, "a list of texts");
                }
                texts.add(each.asString());
            }
        }
        return texts;
    }

    /** An object within, or null. */
    @Nullable Members object(String name) {
        JsonNode value = value(name, _ -> true, "");
        return value == null ? null : of(value, path + name);
    }

    /** A list of objects; empty if left out. */
    List<Members> objects(String name) {
        List<Members> objects = new ArrayList<>();
        JsonNode value = value(name, JsonNode::isArray, "a list");
        if (value != null) {
            for (JsonNode each : value) {
                objects.add(of(each, path + name + "[" + objects.size() + "]"));
            }
        }
        return objects;
    }

    /** Reads over what is only told, never taken in. */
    void skip(String... names) {
        read.addAll(List.of(names));
    }

    /** Refuses whatever was not read. */
    void end() {
        String unknown =
                object.propertyNames().stream()
                        .filter(name -> !read.contains(name))
                        .map(name -> path + Ids.shortened(name))
                        .sorted()
                        .limit(3)
                        .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw ApiException.badRequest("There is no member " + unknown + " here.");
        }
    }

    private @Nullable JsonNode value(String name, Predicate<JsonNode> kind, String expected) {
        read.add(name);
        JsonNode value = object.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!kind.test(value)) {
            throw refused(path + name, expected);
        }
        return value;
    }

    private static ApiException refused(String name, String expected) {
        return ApiException.badRequest(name + " must be " + expected);
    }
}
