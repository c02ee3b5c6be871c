package org.stillwater.ovirt.action;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * CurrentValues values of an entity, as the API shows them: a client may read an entity and write
 * all of it back, including members that cannot change. The entity is read when the first value is
 * needed. Not thread-safe.
 */
final class CurrentValues implements BiPredicate<String, String> {

    private final Supplier<JsonNode> entity;
    private @Nullable Map<String, Set<String>> values;

    /**
     * Values of an entity.
     *
     * @param entity reads it, as JSON
     */
    CurrentValues(Supplier<JsonNode> entity) {
        this.entity = entity;
    }

    /** Whether the entity has a value at a path; one of a list has all of its values there. */
    @Override
    public boolean test(String path, String value) {
        Map<String, Set<String>> known = values;
        if (known == null) {
            Map<String, Set<String>> read = new HashMap<>();
            BodyRules.leaves(
                    entity.get(),
                    (at, text) -> read.computeIfAbsent(at, _ -> new HashSet<>()).add(text));
            values = read;
            known = read;
        }
        return known.getOrDefault(path, Set.of()).contains(value);
    }
}
