package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of every element that a client may send of an entity: the engine keeps it, refuses
 * it by its name, or ignores it for a reason. The reference page lists all of them, so that nothing
 * is accepted and dropped. Immutable.
 */
public final class Elements {

    /** Addresses, which clients send back as they were told. */
    private static final Set<String> ANYWHERE = Set.of("id", "href", "rel", "link", "actions");

    private final String entity;
    private final Map<String, Fate> fates;

    /** What becomes of an element. */
    public sealed interface Fate {

        /** The engine keeps it. */
        record Kept() implements Fate {}

        /**
         * The engine refuses it unless it has one of these values.
         *
         * @param values in lower case; none if it is refused whatever it says
         * @param why a clause for people
         */
        record Limited(Set<String> values, String why) implements Fate {}

        /**
         * The engine takes no notice of it.
         *
         * @param why a clause for people
         */
        record Ignored(String why) implements Fate {}
    }

    private Elements(String entity, Map<String, Fate> fates) {
        this.entity = entity;
        this.fates = Collections.unmodifiableMap(new LinkedHashMap<>(fates));
    }

    /** Begins the table of an entity, by its root element. */
    static Builder of(String entity) {
        return new Builder(entity);
    }

    /** Collects the elements of an entity. One thread. */
    static final class Builder {
        private final String entity;
        private final Map<String, Fate> fates = new LinkedHashMap<>();

        private Builder(String entity) {
            this.entity = entity;
        }

        /** The engine keeps these. */
        Builder kept(String... elements) {
            return all(new Fate.Kept(), elements);
        }

        /** The engine ignores these. */
        Builder ignored(String why, String... elements) {
            return all(new Fate.Ignored(why), elements);
        }

        /** The engine refuses these. */
        Builder refused(String why, String... elements) {
            return all(new Fate.Limited(Set.of(), why), elements);
        }

        /** The engine refuses this one unless it says what is so anyway. */
        Builder only(String element, String why, String... values) {
            return all(new Fate.Limited(new LinkedHashSet<>(Arrays.asList(values)), why), element);
        }

        private Builder all(Fate fate, String... elements) {
            for (String element : elements) {
                if (fates.put(element, fate) != null) {
                    throw new IllegalStateException(entity + "/" + element + " is there twice");
                }
            }
            return this;
        }

        Elements build() {
            return new Elements(entity, fates);
        }
    }

    /** The root element. */
    public String entity() {
        return entity;
    }

    /** What becomes of each element; of one within another, by their names with slashes. */
    public Map<String, Fate> fates() {
        return fates;
    }

    /**
     * Reads a body that adds or changes the entity.
     *
     * @param verb what cannot be done if it is refused, for example {@code add Interface}
     * @return the body
     * @throws Refused with 400 if it is of something else or has an unknown element, with 409 if it
     *     says something that is not kept
     */
    Body read(Body body, String verb) {
        Set<String> members = new HashSet<>();
        fates.keySet().forEach(element -> members.add(element.split("/", -1)[0]));
        Body read = body.expected(entity, members);
        refuseUnknown(read, "");
        check(read, verb);
        return read;
    }

    /** Elements that are in no table are of another entity, or misspelt. */
    private void refuseUnknown(Body body, String prefix) {
        for (String name : body.names()) {
            String element = prefix + name;
            if (fates.containsKey(element) || ANYWHERE.contains(name)) {
                continue;
            }
            if (fates.keySet().stream().noneMatch(each -> each.startsWith(element + "/"))) {
                throw Refused.invalid(
                        "%s/%s is no element that clients write."
                                .formatted(entity, Refused.shortened(element)));
            }
            refuseUnknown(body.object(name), element + "/");
        }
    }

    /**
     * Refuses a body that says something that is not kept.
     *
     * @param verb what cannot be done then, for example {@code add Interface}
     */
    private void check(Body body, String verb) {
        List<String> wrong = new ArrayList<>();
        fates.forEach((element, fate) -> {
            if (fate instanceof Fate.Limited(Set<String> values, String why)
                    && says(body, element.split("/", -1), values)) {
                wrong.add("%s/%s cannot be kept: %s.".formatted(entity, element, why));
            }
        });
        if (!wrong.isEmpty()) {
            throw Refused.conflict("Cannot %s: %s".formatted(verb, String.join(" ", wrong)));
        }
    }

    /** Whether there is anything at a path but these values; an address alone is nothing. */
    private static boolean says(Body body, String[] path, Set<String> values) {
        if (!body.has(path)) {
            return false;
        }
        String text = body.text(path);
        if (text != null) {
            return !values.contains(text.toLowerCase(Locale.ROOT));
        }
        return !body.texts(path).stream().allMatch(String::isEmpty)
                || body.items(path).stream()
                        .flatMap(item -> item.names().stream())
                        .anyMatch(name -> !name.equals("href") && !name.equals("rel"));
    }
}
