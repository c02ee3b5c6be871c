package org.stillwater.ovirt.search;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query as a tree.
 *
 * @param condition condition on an entity; null matches all
 * @param order how the list is sorted; null for its default order
 * @param page which page is requested, from 1; null for the first entities up to the maximum
 */
record Query(@Nullable Condition condition, @Nullable Order order, @Nullable Integer page) {

    /** Every entity, in the default order. */
    static final Query EVERYTHING = new Query(null, null, null);

    /** Condition on an entity. */
    sealed interface Condition {

        /** At least one of them. */
        record Any(List<Condition> of) implements Condition {}

        /** Each of them. */
        record All(List<Condition> of) implements Condition {}

        /**
         * A field compared.
         *
         * @param reference name of the reference to the entities with the field; null for the
         *     entity itself
         */
        record Compared(@Nullable String reference, String field, Operator operator, String value)
                implements Condition {}

        /** A word in any of the entity's texts. */
        record Free(String value) implements Condition {}
    }

    /** A field to sort by. */
    record Order(String field, boolean descending) {}
}
