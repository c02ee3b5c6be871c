package org.stillwater.ovirt.action;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The elements of one kind of body that a client may write, each with its treatment. An element
 * that is in no table is refused with status 400: nothing is accepted and dropped. Paths are those
 * of XML, without the root element; the elements of a list have the list's path. Immutable.
 */
public final class WritableElements {

    /** Addresses, which entities that were read bring along; they are ignored everywhere. */
    static final Set<String> ADDRESSES = Set.of("href", "rel", "link", "actions");

    /** Nothing is known of the entity. */
    static final BiPredicate<String, String> NOTHING_KNOWN = (_, _) -> false;

    private final String subject;
    private final String root;
    private final String refusal;
    private final Map<String, Treatment> elements;

    private WritableElements(Builder builder) {
        this.subject = builder.subject;
        this.root = builder.root;
        this.refusal = builder.refusal;
        this.elements = Collections.unmodifiableMap(new LinkedHashMap<>(builder.elements));
    }

    /**
     * A table without elements yet.
     *
     * @param subject what the body is about, for people: {@code VM}, {@code start of a VM}
     * @param root the body's root element in XML
     * @param refusal what every sentence with which an element is refused begins with
     */
    static Builder of(String subject, String root, String refusal) {
        return new Builder(subject, root, refusal);
    }

    /** What the body is about, for people. */
    public String subject() {
        return subject;
    }

    /** The body's root element in XML. */
    public String root() {
        return root;
    }

    /** The elements by path, in the order of the reference page. */
    public Map<String, Treatment> elements() {
        return elements;
    }

    /** The treatment of a path, or of the closest element around it; null if there is none. */
    public @Nullable Treatment treatment(String path) {
        String at = path;
        while (true) {
            Treatment found = elements.get(at);
            int slash = at.lastIndexOf('/');
            if (found != null || slash < 0) {
                return found;
            }
            at = at.substring(0, slash);
        }
    }

    /**
     * Refuses a body with an element that would be dropped.
     *
     * @param so whether an entity has a value at a path already, which is therefore no change
     * @throws Refused if an element is unknown (400), has another form (400) or cannot be kept
     *     (409)
     */
    void check(Body body, BiPredicate<String, String> so) {
        members(body.node(), "", so);
    }

    /** The same for one member only. */
    void checkMember(Body body, String name, BiPredicate<String, String> so) {
        element(body.node().path(name), name, so);
    }

    private void members(JsonNode node, String path, BiPredicate<String, String> so) {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            String name = member.getKey();
            if (!name.isEmpty() && !ADDRESSES.contains(name)) {
                element(member.getValue(), path.isEmpty() ? name : path + '/' + name, so);
            }
        }
    }

    private void element(JsonNode node, String path, BiPredicate<String, String> so) {
        Treatment treatment = elements.get(path);
        boolean inner = elements.keySet().stream().anyMatch(each -> each.startsWith(path + '/'));
        if (treatment != null && inner && node.isObject()) {
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                String at = path + '/' + member.getKey();
                if (elements.containsKey(at)) {
                    element(member.getValue(), at, so);
                } else if (!ADDRESSES.contains(member.getKey())) {
                    treat(treatment, member.getValue(), at, so);
                }
            }
            return;
        }
        if (treatment != null) {
            treat(treatment, node, path, so);
            return;
        }
        if (!inner) {
            throw Refused.invalid(
                    "There is no element %s of a %s.".formatted(Refused.shortened(path), subject));
        }
        for (JsonNode item : node.isArray() ? node.values() : List.of(node)) {
            if (item.isObject()) {
                members(item, path, so);
            } else if (says(item)) {
                throw Refused.invalid("%s has elements, not a value.".formatted(path));
            }
        }
    }

    private void treat(
            Treatment treatment, JsonNode node, String path, BiPredicate<String, String> so) {
        switch (treatment) {
            case Treatment.Kept kept -> {
                switch (kept.form()) {
                    case VALUE -> value(node, path);
                    case LIST -> {
                        for (JsonNode item : node.isArray() ? node.values() : List.of(node)) {
                            value(item, path);
                        }
                    }
                    case REFERENCE -> reference(node, path);
                    case ENTITY -> {
                        if (says(node) && !node.isObject()) {
                            throw Refused.invalid("%s has elements, not a value.".formatted(path));
                        }
                    }
                }
            }
            case Treatment.Fixed fixed ->
                    leaves(
                            node,
                            path,
                            (at, text) -> {
                                if (!isOneOf(fixed.values(), text) && !so.test(at, text)) {
                                    throw Refused.conflict(
                                            "%s: %s cannot be %s: %s"
                                                    .formatted(
                                                            refusal,
                                                            at,
                                                            Refused.shortened(text),
                                                            Operations.sentence(fixed.why())));
                                }
                            });
            case Treatment.Unsupported unsupported ->
                    leaves(
                            node,
                            path,
                            (at, text) -> {
                                if (!so.test(at, text)) {
                                    throw Refused.conflict(
                                            "%s: %s cannot be kept: %s"
                                                    .formatted(
                                                            refusal,
                                                            Refused.shortened(at),
                                                            Operations.sentence(
                                                                    unsupported.why())));
                                }
                            });
            case Treatment.Ignored _ -> {}
        }
    }

    private static void value(JsonNode node, String path) {
        if (node.isArray() && node.size() > 1) {
            throw Refused.invalid("%s is there more than once.".formatted(path));
        }
        JsonNode one = node.isArray() ? node.path(0) : node;
        boolean members =
                one.isArray()
                        || one.propertyNames().stream()
                                .anyMatch(name -> !name.isEmpty() && !ADDRESSES.contains(name));
        if (members) {
            throw Refused.invalid("%s has a value, not elements.".formatted(path));
        }
    }

    private static void reference(JsonNode node, String path) {
        boolean named =
                node.isObject()
                        && (says(node.path("id")) || says(node.path("name")))
                        && !node.path("id").isContainer()
                        && !node.path("name").isContainer();
        if (says(node) && !named) {
            throw Refused.invalid("%s is named by its id or name.".formatted(path));
        }
    }

    private static boolean isOneOf(List<String> values, String text) {
        return values.stream()
                .anyMatch(each ->
                        each.equalsIgnoreCase(text)
                                || (each.equals("false") && text.equals("0"))
                                || (each.equals("true") && text.equals("1")));
    }

    /** Receives values that are not empty. */
    @FunctionalInterface
    private interface Leaf {
        void take(String path, String text);
    }

    private static void leaves(JsonNode node, String path, Leaf leaf) {
        if (node.isArray()) {
            node.values().forEach(item -> leaves(item, path, leaf));
        } else if (node.isObject()) {
            node.properties()
                    .forEach(member -> {
                        String name = member.getKey();
                        if (!ADDRESSES.contains(name)) {
                            leaves(
                                    member.getValue(),
                                    name.isEmpty() ? path : path + '/' + name,
                                    leaf);
                        }
                    });
        } else if (says(node)) {
            leaf.take(path, node.asString().strip());
        }
    }

    /** Whether there is a value in it. */
    private static boolean says(JsonNode node) {
        if (node.isContainer()) {
            boolean[] found = {false};
            leaves(node, "", (_, _) -> found[0] = true);
            return found[0];
        }
        return !node.isMissingNode() && !node.isNull() && !node.asString().isBlank();
    }

    /** Makes a table. */
    static final class Builder {

        private final String subject;
        private final String root;
        private final String refusal;
        private final Map<String, Treatment> elements = new LinkedHashMap<>();

        private Builder(String subject, String root, String refusal) {
            this.subject = subject;
            this.root = root;
            this.refusal = refusal;
        }

        Builder kept(String path, String as) {
            return put(path, new Treatment.Kept(as, Treatment.Form.VALUE));
        }

        Builder list(String path, String as) {
            return put(path, new Treatment.Kept(as, Treatment.Form.LIST));
        }

        Builder reference(String path, String as) {
            return put(path, new Treatment.Kept(as, Treatment.Form.REFERENCE));
        }

        Builder entity(String path, String as) {
            return put(path, new Treatment.Kept(as, Treatment.Form.ENTITY));
        }

        Builder fixed(String path, String value, String why) {
            return put(path, new Treatment.Fixed(List.of(value), why));
        }

        /** With a value that depends on the entity. */
        Builder own(String path, String why) {
            return put(path, new Treatment.Fixed(List.of(), why));
        }

        Builder unsupported(String path, String why) {
            return put(path, new Treatment.Unsupported(why));
        }

        /** Several of which the same is so. */
        Builder unsupported(List<String> paths, String why) {
            paths.forEach(path -> unsupported(path, why));
            return this;
        }

        Builder ignored(String path, String why) {
            return put(path, new Treatment.Ignored(why));
        }

        /** Several of which the same is so. */
        Builder ignored(List<String> paths, String why) {
            paths.forEach(path -> ignored(path, why));
            return this;
        }

        private Builder put(String path, Treatment treatment) {
            if (elements.put(path, treatment) != null) {
                throw new IllegalStateException(path + " is in the table twice");
            }
            return this;
        }

        WritableElements table() {
            return new WritableElements(this);
        }
    }
}
