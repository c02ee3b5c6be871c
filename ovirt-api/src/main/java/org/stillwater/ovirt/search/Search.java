package org.stillwater.ovirt.search;

import java.util.List;
import java.util.stream.Stream;

/** Finds entities by a query of the search language (REST contract §2.5). Any thread may call. */
public interface Search {

    /**
     * The entities that a query asks for, in its order ({@code sortby}), else in that of the
     * stream; its page ({@code page n}), else the first {@code max}.
     *
     * @param query the text as the client sent it; empty asks for everything. Malformed text,
     *     unknown fields and values that do not fit their field find nothing.
     * @param caseSensitive whether texts are compared with their case
     * @param max the most to answer, and the size of a page; negative means no limit
     * @param all every entity that the caller may see, in the default order
     */
    <T> List<T> apply(
            String query, boolean caseSensitive, int max, Fields<T> fields, Stream<T> all);
}
