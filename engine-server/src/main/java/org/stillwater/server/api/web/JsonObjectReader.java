package org.stillwater.server.api.web;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.text.SafeText;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Reads the members of one JSON object of a request, one by one. It refuses a member of the wrong
 * type by name, and at the {@link #end} each member that was not read: a misspelt member is an
 * error, not an absent one. {@code null} counts as absent.
 */
public final class JsonObjectReader {

    private final JsonNode object;
    private final String path;
    private final Set<String> read = new HashSet<>();

    private JsonObjectReader(JsonNode object, String path) {
        this.object = object;
        this.path = path;
    }

    /** A body, which must be an object. */
    public static JsonObjectReader of(JsonNode body) {
        return of(body, "");
    }

    /** A request without a body: the same as an empty object. */
    public static JsonObjectReader empty() {
        return of(JsonNodeFactory.instance.objectNode());
    }

    private static JsonObjectReader of(JsonNode node, String path) {
        if (!node.isObject()) {
            throw refused(path.isEmpty() ? "The body" : path, "a JSON object");
        }
        return new JsonObjectReader(node, path.isEmpty() ? "" : path + ".");
    }

    public @Nullable String text(String name) {
        JsonNode value = value(name, JsonNode::isString, "text");
        return value == null ? null : wellFormed(path + name, value.asString());
    }

    /**
     * A character that is cut in half cannot be written anywhere, and U+0000 not into the database.
     */
    private static String wellFormed(String name, String text) {
        if (text.indexOf('\0') >= 0) {
            throw refused(name, "text without the character U+0000");
        }
        if (text.codePoints().anyMatch(point -> point >= 0xD800 && point <= 0xDFFF)) {
            throw refused(name, "Unicode, of which no character is cut in half");
        }
        return text;
    }

    /** A present text that is not blank, without surrounding blanks. */
    public String requiredText(String name) {
        String text = text(name);
        if (text == null || text.isBlank()) {
            throw missing(name);
        }
        return text.strip();
    }

    /** The name of an object: a text that looks in a list or a log as it is. */
    public String requiredName(String name) {
        String text = requiredText(name);
        if (!SafeText.isSafe(text)) {
            throw refused(
                    path + name,
                    "text without control characters, and without characters that are invisible or"
                            + " turn the direction of others");
        }
        return text;
    }

    public String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    /** Text of bounded length. */
    public String text(String name, String otherwise, int longest) {
        String text = text(name, otherwise);
        if (text.length() > longest) {
            throw ApiException.badRequest(
                            "%s%s has at most %d characters".formatted(path, name, longest))
                    .about(path + name);
        }
        return text;
    }

    public @Nullable Boolean flag(String name) {
        JsonNode value = value(name, JsonNode::isBoolean, "true or false");
        return value == null ? null : value.asBoolean();
    }

    public boolean flag(String name, boolean otherwise) {
        Boolean flag = flag(name);
        return flag == null ? otherwise : flag;
    }

    public @Nullable Integer number(String name) {
        JsonNode value = value(name, JsonNode::isIntegralNumber, "a whole number");
        if (value != null && !value.canConvertToInt()) {
            throw refused(path + name, "a whole number of 32 bits");
        }
        return value == null ? null : value.asInt();
    }

    public int number(String name, int otherwise) {
        Integer number = number(name);
        return number == null ? otherwise : number;
    }

    /** An identity, or null. */
    public @Nullable UUID uuid(String name) {
        String text = text(name);
        try {
            return text == null ? null : VmId.parse(text.strip()).toUuid();
        } catch (IllegalArgumentException _) {
            throw refused(path + name, "a UUID");
        }
    }

    public UUID requiredUuid(String name) {
        UUID id = uuid(name);
        if (id == null) {
            throw missing(name);
        }
        return id;
    }

    public int requiredNumber(String name) {
        Integer number = number(name);
        if (number == null) {
            throw missing(name);
        }
        return number;
    }

    /** A number within bounds. */
    public int number(String name, int otherwise, int least, int most) {
        int number = number(name, otherwise);
        if (number < least || number > most) {
            throw refused(path + name, least + " to " + most + ", not " + number);
        }
        return number;
    }

    /** One of a few words, in any case. */
    public <E extends @Nullable Object> E word(
            String name, Map<String, ? extends @NonNull E> words, E otherwise) {
        String text = text(name);
        return text == null ? otherwise : wordOf(path + name, text, words);
    }

    /** A list of a few words; null if left out. */
    public <E> @Nullable List<E> words(String name, Map<String, E> words) {
        if (!object.path(name).isArray()) {
            return value(name, JsonNode::isArray, "a list") == null ? null : List.of();
        }
        List<E> found = new ArrayList<>();
        for (String text : texts(name)) {
            found.add(wordOf(path + name, text, words));
        }
        return found;
    }

    private static <E> E wordOf(String name, String text, Map<String, ? extends E> words) {
        E value = words.get(text.strip().toLowerCase(Locale.ROOT));
        if (value == null) {
            throw ApiException.badRequest(
                            "%s \"%s\" is not one of %s"
                                    .formatted(
                                            name,
                                            Ids.shortened(text),
                                            words.keySet().stream()
                                                    .sorted()
                                                    .collect(Collectors.joining(", "))))
                    .about(name);
        }
        return value;
    }

    /** A list of whole numbers; empty if left out. */
    public List<Integer> numbers(String name) {
        List<Integer> numbers = new ArrayList<>();
        JsonNode value = value(name, JsonNode::isArray, "a list");
        if (value != null) {
            for (JsonNode each : value) {
                if (!each.isIntegralNumber() || !each.canConvertToInt()) {
                    throw refused(path + name, "a list of whole numbers");
                }
                numbers.add(each.asInt());
            }
        }
        return numbers;
    }

    /** An object with only texts as members; empty if missing. */
    public Map<String, String> namedTexts(String name) {
        Map<String, String> texts = new TreeMap<>();
        JsonNode value = value(name, JsonNode::isObject, "an object");
        if (value != null) {
            value.properties()
                    .forEach(each -> {
                        if (!each.getValue().isString()) {
                            throw refused(path + name + "." + Ids.shortened(each.getKey()), "text");
                        }
                        texts.put(
                                wellFormed("a name in " + path + name, each.getKey()),
                                wellFormed(
                                        path + name + "." + Ids.shortened(each.getKey()),
                                        each.getValue().asString()));
                    });
        }
        return texts;
    }

    /** Whether a member is present and not null. */
    public boolean has(String name) {
        return value(name, _ -> true, "") != null;
    }

    /** Whether a member is null, where that must not count as absent. */
    public boolean isNull(String name) {
        return object.path(name).isNull();
    }

    /** A member of any kind; null if left out. */
    public @Nullable JsonNode any(String name) {
        return value(name, _ -> true, "");
    }

    /** To be thrown when a member has to be there. */
    public ApiException missing(String name) {
        return ApiException.badRequest(path + name + " is missing").about(path + name);
    }

    /** Makes a value from the read members; a refusal names the value's path. */
    public <T> T make(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            if (path.isEmpty()) {
                throw ApiException.badRequest(String.valueOf(e.getMessage()));
            }
            String where = path.substring(0, path.length() - 1);
            throw ApiException.badRequest(where + ": " + e.getMessage()).about(where);
        }
    }

    /** A refusal of a member that was read; its text begins with the path of this object. */
    public ApiException refusal(String name, String why) {
        String where = path.isEmpty() ? "" : path.substring(0, path.length() - 1) + ": ";
        return ApiException.badRequest(where + why).about(member(name));
    }

    /** Path of a member in the body. */
    public String member(String name) {
        return path + name;
    }

    /** A list of texts; empty if left out. */
    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        JsonNode value = value(name, JsonNode::isArray, "a list");
        if (value != null) {
            for (JsonNode each : value) {
                if (!each.isString()) {
                    throw refused(path + name, "a list of texts");
                }
                texts.add(wellFormed(path + name, each.asString()));
            }
        }
        return texts;
    }

    /** An object within, or null. */
    public @Nullable JsonObjectReader object(String name) {
        JsonNode value = value(name, _ -> true, "");
        return value == null ? null : of(value, path + name);
    }

    /** A list of objects; empty if left out. */
    public List<JsonObjectReader> objects(String name) {
        List<JsonObjectReader> objects = new ArrayList<>();
        JsonNode value = value(name, JsonNode::isArray, "a list");
        if (value != null) {
            for (JsonNode each : value) {
                objects.add(of(each, path + name + "[" + objects.size() + "]"));
            }
        }
        return objects;
    }

    /** Ignores read-only texts. */
    public void skipTexts(String... names) {
        for (String name : names) {
            JsonNode _ = value(name, JsonNode::isString, "text");
        }
    }

    /** Ignores read-only numbers. */
    public void skipNumbers(String... names) {
        for (String name : names) {
            JsonNode _ = value(name, JsonNode::isIntegralNumber, "a whole number");
        }
    }

    /** Ignores read-only flags. */
    public void skipFlags(String... names) {
        for (String name : names) {
            JsonNode _ = value(name, JsonNode::isBoolean, "true or false");
        }
    }

    /** Refuses members that were not read. */
    public void end() {
        String unknown =
                object.propertyNames().stream()
                        .filter(name -> !read.contains(name))
                        .map(name -> path + Ids.shortened(name))
                        .sorted()
                        .limit(3)
                        .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw ApiException.badRequest("There is no member " + unknown + " here." + members());
        }
    }

    private String members() {
        return read.isEmpty()
                ? ""
                : " The members are "
                        + read.stream().sorted().collect(Collectors.joining(", "))
                        + ".";
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
        return ApiException.badRequest(name + " must be " + expected).about(name);
    }
}
