package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The elements of one kind of body that a client may write, each with its rule. An element without
 * a rule is refused with status 400: nothing is accepted and dropped. Paths are those of XML,
 * without the root element; the elements of a list have the list's path. Immutable.
 */
public final class BodyRules {

    /** Addresses, which entities that were read bring along; they are ignored everywhere. */
    static final Set<String> ADDRESSES = Set.of("href", "rel", "link", "actions");

    /** Elements that cannot be kept and are named by one fault. */
    private static final int MOST_NAMED = 20;

    private final String subject;
    private final String root;
    private final String verb;
    private final Map<String, ElementRule> elements;

    private BodyRules(Builder builder) {
        this.subject = builder.subject;
        this.root = builder.root;
        this.verb = builder.verb;
        this.elements = Collections.unmodifiableMap(new LinkedHashMap<>(builder.elements));
    }

    /**
     * A table without elements yet.
     *
     * @param subject subject of the body, for people: {@code VM}, {@code start of a VM}
     * @param root the body's root element in XML
     * @param verb action that the refusal of an element names, for example {@code edit VM}
     */
    static Builder of(String subject, String root, String verb) {
        return new Builder(subject, root, verb);
    }

    /** Subject of the body, for people. */
    public String subject() {
        return subject;
    }

    /** The body's root element in XML. */
    public String root() {
        return root;
    }

    /** The elements by path, in the order of the reference page. */
    public Map<String, ElementRule> elements() {
        return elements;
    }

    /** The rule of a path, or of the closest element around it; null if there is none. */
    public @Nullable ElementRule rule(String path) {
        String at = path;
        while (true) {
            ElementRule found = elements.get(at);
            int slash = at.lastIndexOf('/');
            if (found != null || slash < 0) {
                return found;
            }
            at = at.substring(0, slash);
        }
    }

    /** A body, checked by {@link #check(Body, String, BiPredicate)} with the table's own verb. */
    Body read(Body body) {
        return read(body, verb);
    }

    /** The same with another verb. */
    Body read(Body body, String cannot) {
        return read(body, cannot, BodyRules::isKnownOfNothing);
    }

    /**
     * The body of a change, without elements that a changed entity has already.
     *
     * @param cannot action that the refusal of an element names
     */
    Body read(Change change, String cannot) {
        return read(
                change.body(),
                cannot,
                change.method().equals("PUT")
                        ? new CurrentValues(() -> change.lookup().json(change.path()))
                        : BodyRules::isKnownOfNothing);
    }

    /** The same with the table's own verb. */
    Body read(Change change) {
        return read(change, verb);
    }

    /**
     * The same over an entity.
     *
     * @param so whether the entity has a value at a path already
     */
    Body read(Body body, String cannot, BiPredicate<String, String> so) {
        check(body, cannot, so);
        return body;
    }

    /** Whether an entity of which nothing is known has a value already. */
    private static boolean isKnownOfNothing(String path, String value) {
        return false;
    }

    /**
     * Refuses a body with an element that would be dropped.
     *
     * @param cannot action that the refusal names, for example {@code edit VM}
     * @param so whether an entity has a value at a path already, which is therefore no change
     * @throws Refused if the body has another root element, an element is unknown or has another
     *     form (400), or elements cannot be kept (409): all of these are named
     */
    void check(Body body, String cannot, BiPredicate<String, String> so) {
        Walk walk = new Walk(so);
        walk.members(body.of(root).node(), "");
        walk.end(cannot);
    }

    /** Checks one member only of a body that is part of another one. */
    void checkMember(Body body, String name, String cannot) {
        Walk walk = new Walk(BodyRules::isKnownOfNothing);
        walk.element(body.node().path(name), name);
        walk.end(cannot);
    }

    /** One walk through a body, which collects elements that cannot be kept. */
    private final class Walk {

        private final BiPredicate<String, String> so;
        private final List<String> wrong = new ArrayList<>();

        Walk(BiPredicate<String, String> so) {
            this.so = so;
        }

        void end(String cannot) {
            if (!wrong.isEmpty()) {
                throw Refused.notKept("Cannot %s: %s".formatted(cannot, String.join(" ", wrong)));
            }
        }

        void members(JsonNode node, String path) {
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                String name = member.getKey();
                if (!name.isEmpty() && !ADDRESSES.contains(name)) {
                    element(member.getValue(), path.isEmpty() ? name : path + '/' + name);
                }
            }
        }

        void element(JsonNode node, String path) {
            ElementRule rule = rule(path);
            if (elements.keySet().stream().noneMatch(each -> each.startsWith(path + '/'))) {
                if (rule == null) {
                    throw Refused.invalid(
                            "There is no element %s of a %s."
                                    .formatted(Refused.shortened(path), subject));
                }
                apply(rule, node, path);
                return;
            }
            for (JsonNode item : node.isArray() ? node.values() : List.of(node)) {
                if (item.isObject()) {
                    members(item, path);
                } else if (rule != null) {
                    apply(rule, item, path);
                } else if (says(item)) {
                    throw Refused.invalid("%s has elements, not a value.".formatted(path));
                }
            }
        }

        private void apply(ElementRule rule, JsonNode node, String path) {
            switch (rule) {
                case ElementRule.Kept kept -> kept(kept.form(), node, path);
                case ElementRule.Fixed fixed ->
                        leaves(
                                node,
                                path,
                                (at, text) -> {
                                    if (!isOneOf(fixed.values(), text)) {
                                        refuse(at, text, Refused.shortened(text), fixed.why());
                                    }
                                });
                case ElementRule.Unsupported unsupported ->
                        leaves(
                                node,
                                path,
                                (at, text) -> refuse(at, text, "kept", unsupported.why()));
                case ElementRule.Ignored _ -> {}
            }
        }

        private void refuse(String at, String text, String what, String why) {
            if (!so.test(at, text) && wrong.size() < MOST_NAMED) {
                wrong.add(
                        "%s cannot be %s: %s"
                                .formatted(Refused.shortened(at), what, Operations.sentence(why)));
            }
        }
    }

    private static void kept(ElementRule.Form form, JsonNode node, String path) {
        switch (form) {
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
    interface Leaf {
        void take(String path, String text);
    }

    /** The values of an entity with their paths, without addresses. */
    static void leaves(JsonNode entity, Leaf leaf) {
        for (Map.Entry<String, JsonNode> member : entity.properties()) {
            if (!ADDRESSES.contains(member.getKey())) {
                leaves(member.getValue(), member.getKey(), leaf);
            }
        }
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
        private final String verb;
        private final Map<String, ElementRule> elements = new LinkedHashMap<>();

        private Builder(String subject, String root, String verb) {
            this.subject = subject;
            this.root = root;
            this.verb = verb;
        }

        Builder kept(String path, String as) {
            return put(path, new ElementRule.Kept(as, ElementRule.Form.VALUE));
        }

        /** Several without a further explanation. */
        Builder kept(List<String> paths) {
            paths.forEach(path -> kept(path, ""));
            return this;
        }

        Builder list(String path, String as) {
            return put(path, new ElementRule.Kept(as, ElementRule.Form.LIST));
        }

        Builder reference(String path, String as) {
            return put(path, new ElementRule.Kept(as, ElementRule.Form.REFERENCE));
        }

        Builder entity(String path, String as) {
            return put(path, new ElementRule.Kept(as, ElementRule.Form.ENTITY));
        }

        Builder fixed(String path, String value, String why) {
            return fixed(path, List.of(value), why);
        }

        /** With several values that mean the same. */
        Builder fixed(String path, List<String> values, String why) {
            return put(path, new ElementRule.Fixed(values, why));
        }

        /** With a value that depends on the entity. */
        Builder own(String path, String why) {
            return put(path, new ElementRule.Fixed(List.of(), why));
        }

        Builder unsupported(String path, String why) {
            return put(path, new ElementRule.Unsupported(why));
        }

        /** Several of which the same is so. */
        Builder unsupported(List<String> paths, String why) {
            paths.forEach(path -> unsupported(path, why));
            return this;
        }

        Builder ignored(String path, String why) {
            return put(path, new ElementRule.Ignored(why));
        }

        /** Several of which the same is so. */
        Builder ignored(List<String> paths, String why) {
            paths.forEach(path -> ignored(path, why));
            return this;
        }

        private Builder put(String path, ElementRule rule) {
            if (elements.put(path, rule) != null) {
                throw new IllegalStateException(path + " is in the table twice");
            }
            return this;
        }

        BodyRules table() {
            return new BodyRules(this);
        }
    }
}
