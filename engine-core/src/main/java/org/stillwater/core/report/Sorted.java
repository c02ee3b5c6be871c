package org.stillwater.core.report;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Immutable copies of maps in the order of their keys, so that equal reports look equal. */
final class Sorted {

    private Sorted() {}

    static <V> SortedMap<String, V> copyOf(Map<String, V> map) {
        return copyOf(map, UnaryOperator.identity());
    }

    static <V> SortedMap<String, List<V>> copyOfLists(Map<String, List<V>> map) {
        return copyOf(map, List::copyOf);
    }

    static <V> SortedMap<String, Map<String, V>> copyOfNested(Map<String, Map<String, V>> map) {
        return copyOf(map, Sorted::copyOf);
    }

    private static <V> SortedMap<String, V> copyOf(Map<String, V> map, UnaryOperator<V> value) {
        if (map.isEmpty()) {
            return Collections.emptySortedMap();
        }
        TreeMap<String, V> copy = new TreeMap<>(map);
        copy.replaceAll((_, element) -> value.apply(element));
        return Collections.unmodifiableSortedMap(copy);
    }
}
