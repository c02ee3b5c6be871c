package org.stillwater.core.regression;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The object that a series was measured on, and the objects that it shares with others.
 *
 * @param name of the object, unique among the owners
 * @param shared what the object depends on, such as its host, its storage domain and its cluster;
 *     smaller ones first
 */
public record SeriesOwner(String name, List<Shared> shared) {

    /**
     * An object that many series depend on.
     *
     * @param level kind of the object, such as {@code host}
     * @param name of the object, unique within its level
     */
    public record Shared(String level, String name) {}

    public SeriesOwner {
        shared = List.copyOf(shared);
        Set<Shared> distinct = new HashSet<>(shared);
        if (distinct.size() != shared.size()) {
            throw new IllegalArgumentException(name + " depends twice on one object");
        }
    }
}
