package org.stillwater.ovirt.action;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.SafeText;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.dataformat.xml.deser.FromXmlParser;

/**
 * The body of a request, XML or JSON, read leniently: members are found by name wherever the format
 * puts them, and numbers and truth values may be texts. {@link BodyRules} refuses elements that
 * would be dropped.
 */
public final class Body {

    /** Nothing was sent. */
    public static final Body EMPTY = new Body(JsonNodeFactory.instance.objectNode(), null);

    private final JsonNode node;
    private final @Nullable String root;

    private Body(JsonNode node, @Nullable String root) {
        this.node = node;
        this.root = root;
    }

    /**
     * Reads a body. Its first character determines the format: clients send either, also against
     * their own announcement.
     *
     * @param in the sent bytes
     * @param largest bytes that it may have
     * @param xml reads XML, without entities, document types and depth
     * @param json reads JSON
     * @throws Refused if it is neither
     * @throws IOException if it cannot be read
     */
    public static Body read(InputStream in, long largest, ObjectMapper xml, ObjectMapper json)
            throws IOException {
        BufferedInputStream ahead = new BufferedInputStream(new Bounded(in, largest));
        try {
            int first = firstCharacter(ahead);
            if (first < 0) {
                return EMPTY;
            }
            return first == '{' || first == '[' ? ofJson(json, ahead) : ofXml(xml, ahead);
        } catch (TooLarge e) {
            throw Refused.tooLarge(e.getMessage() + "");
        } catch (JacksonException e) {
            if (e.getCause() instanceof TooLarge large) {
                throw Refused.tooLarge(large.getMessage() + "");
            }
            throw Refused.invalid(
                    "The body is neither the XML nor the JSON that is expected here: "
                            + Refused.shortened(e.getOriginalMessage()));
        }
    }

    private static Body ofJson(ObjectMapper json, InputStream in) {
        JsonNode read = json.readTree(in);
        if (read.isArray() && !read.isEmpty()) {
            throw Refused.invalid("The body is an object in JSON, not a list.");
        }
        return read.isObject() ? new Body(read, null) : EMPTY;
    }

    private static Body ofXml(ObjectMapper xml, InputStream in) {
        try (JsonParser parser = xml.createParser(in)) {
            String root = ((FromXmlParser) parser).getStaxReader().getLocalName();
            JsonNode read = xml.readTree(parser);
            return new Body(
                    read != null && read.isObject() ? read : JsonNodeFactory.instance.objectNode(),
                    root);
        }
    }

    /**
     * This body, if it has the expected root element.
     *
     * @param element its root element; in JSON there is none
     * @throws Refused if it is not
     */
    Body of(String element) {
        if (root != null && !root.equals(element)) {
            throw Refused.invalid(
                    "The body is a <%s> here, not a <%s>."
                            .formatted(element, Refused.shortened(root)));
        }
        return this;
    }

    private static final class TooLarge extends IOException {

        @Serial private static final long serialVersionUID = 1;

        TooLarge(long largest) {
            super("A body may have at most " + largest + " bytes.");
        }
    }

    /** Ends with an exception where there is too much. */
    private static final class Bounded extends FilterInputStream {

        private final long largest;
        private long left;

        Bounded(InputStream in, long largest) {
            super(in);
            this.largest = largest;
            this.left = largest;
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            count(one < 0 ? 0 : 1);
            return one;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = super.read(into, offset, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int bytes) throws IOException {
            left -= bytes;
            if (left < 0) {
                throw new TooLarge(largest);
            }
        }
    }

    /** The first that is no blank and no byte order mark, left to be read; −1 for none. */
    private static int firstCharacter(InputStream in) throws IOException {
        while (true) {
            in.mark(1);
            int next = in.read();
            boolean skipped =
                    next == ' '
                            || next == '\t'
                            || next == '\n'
                            || next == '\r'
                            || next == 0xEF
                            || next == 0xBB
                            || next == 0xBF;
            if (!skipped) {
                in.reset();
                return next;
            }
        }
    }

    /** All that was sent. */
    JsonNode node() {
        return node;
    }

    private JsonNode find(String... path) {
        JsonNode found = node;
        for (String name : path) {
            found = found.path(name);
        }
        return found;
    }

    /** Whether there is such a member, even an empty one. */
    boolean has(String... path) {
        JsonNode found = find(path);
        return !found.isMissingNode() && !found.isNull();
    }

    /** A member that is an object, as a body of its own; empty if there is none. */
    Body object(String... path) {
        JsonNode found = find(path);
        return found.isObject() ? new Body(found, null) : EMPTY;
    }

    /** Names of the members, in the order in which they were sent; some may be empty. */
    List<String> names() {
        return node.propertyNames().stream().filter(name -> !name.isEmpty()).toList();
    }

    /** A member's text, stripped; null if there is none, or nothing in it. */
    @Nullable String text(String... path) {
        String text = raw(path);
        return text == null || text.isBlank() ? null : text.strip();
    }

    /**
     * The member {@code name} of an object; null if there is none, or nothing in it.
     *
     * @param kind of the object, with its article
     * @param before its present name, which may stay as it is; null for a new object
     */
    @Nullable String name(String kind, @Nullable String before) {
        String name = text("name");
        if (name != null && !name.equals(before) && !SafeText.isSafe(name)) {
            throw Refused.invalid(
                    ("The name of %s has no character that is a control character, is invisible or"
                                    + " turns the direction of others.")
                            .formatted(kind));
        }
        return name;
    }

    /** A member's text as it was sent, possibly empty; null if there is no such member. */
    @Nullable String raw(String... path) {
        JsonNode found = find(path);
        if (found.isArray()) {
            found = found.path(found.size() - 1);
        }
        if (found.isObject()) {
            found = found.path(""); // an element with attributes
        }
        if (found.isMissingNode() || found.isNull()) {
            return null;
        }
        if (!found.isValueNode()) {
            return null;
        }
        String text = found.asString();
        if (text.codePoints().anyMatch(Body::cannotBeKept)) {
            throw Refused.invalid(
                    "%s has a character that is cut in half, or none (U+0000): take it out"
                            .formatted(String.join("/", path)));
        }
        return text;
    }

    /** Neither the database nor an answer can hold it. */
    private static boolean cannotBeKept(int point) {
        return point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    /** A truth value; null if there is none. */
    @Nullable Boolean flag(String... path) {
        String text = text(path);
        if (text == null) {
            return null;
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default ->
                    throw Refused.invalid(
                            "%s is true or false, not %s"
                                    .formatted(String.join("/", path), Refused.shortened(text)));
        };
    }

    /** A whole number; null if there is none. */
    @Nullable Long number(String... path) {
        String text = text(path);
        if (text == null) {
            return null;
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException _) {
            throw Refused.invalid(
                    "%s is a whole number, not %s"
                            .formatted(String.join("/", path), Refused.shortened(text)));
        }
    }

    /** The items of a list, as bodies of their own; a lone text is an item without members. */
    List<Body> items(String... path) {
        List<Body> items = new ArrayList<>();
        for (JsonNode each : all(path)) {
            items.add(each.isObject() ? new Body(each, null) : EMPTY);
        }
        return items;
    }

    /** The texts of a list's items. */
    List<String> texts(String... path) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : all(path)) {
            if (each.isValueNode() && !each.isNull()) {
                texts.add(each.asString().strip());
            }
        }
        return texts;
    }

    private List<JsonNode> all(String... path) {
        JsonNode found = find(path);
        List<JsonNode> all = new ArrayList<>();
        if (found.isArray()) {
            found.forEach(all::add);
        } else if (!found.isMissingNode()) {
            all.add(found);
        }
        return all;
    }
}
