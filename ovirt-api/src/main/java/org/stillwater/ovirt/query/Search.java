package org.stillwater.ovirt.query;

import java.util.List;
import java.util.stream.Stream;

/** Answers queries of the search language (chapter 2.5) over data in memory. Thread-safe. */
@FunctionalInterface
public interface Search {

    /**
     * Selects, sorts and pages.
     *
     * @param query text in the search language; empty for everything
     * @param caseSensitive whether texts compare with case
     * @param max most results, and the size of a page; negative for no limit
     * @param fields searchable fields
     * @param all the collection in its default order, read at most once
     * @return matches, sorted by the query, else in the order of {@code all}; empty for a malformed
     *     query
     */
    <T> List<T> apply(
            String query, boolean caseSensitive, int max, Fields<T> fields, Stream<T> all);
}
