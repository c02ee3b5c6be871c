package org.stillwater.server.profile;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Figures by name, for a bounded number of names: further ones share one. Not thread-safe.
 *
 * @param <K> type of the names
 * @param <V> the figures, which change
 */
final class Tally<K, V> {

    private final int most;
    private final K rest;
    private final Supplier<V> nothing;
    private final Map<K, V> all = new HashMap<>();

    Tally(int most, K rest, Supplier<V> nothing) {
        this.most = most;
        this.rest = rest;
        this.nothing = nothing;
    }

    /** The figures of a name, or those of all further names. */
    V of(K name) {
        V known = all.get(name);
        if (known != null) {
            return known;
        }
        return all.computeIfAbsent(all.size() < most ? name : rest, _ -> nothing.get());
    }

    Map<K, V> all() {
        return all;
    }
}
