package org.stillwater.ovirt.action;

import java.util.List;

/** Treatment of an element that a client writes. */
public sealed interface ElementRule {

    /**
     * The element is stored and returned.
     *
     * @param as name of the kept value
     * @param form which values it has
     */
    record Kept(String as, Form form) implements ElementRule {}

    /** Forms of elements that are kept. */
    enum Form {
        /** One value. */
        VALUE,
        /** Values of a list. */
        LIST,
        /** A reference to an entity, by {@code id} or {@code name}; the rest of it is ignored. */
        REFERENCE,
        /** An entity with elements that are checked on their own. */
        ENTITY
    }

    /**
     * The element has one value only, which is accepted; another one is refused with status 409.
     *
     * @param values the values; none if they depend on the entity
     * @param why why the value cannot be changed
     */
    record Fixed(List<String> values, String why) implements ElementRule {

        public Fixed {
            values = List.copyOf(values);
        }
    }

    /**
     * The element is refused with status 409, unless it is empty.
     *
     * @param why reason why it cannot be kept, and the replacement
     */
    record Unsupported(String why) implements ElementRule {}

    /**
     * The element is accepted and has no effect.
     *
     * @param why why it is not refused
     */
    record Ignored(String why) implements ElementRule {}
}
