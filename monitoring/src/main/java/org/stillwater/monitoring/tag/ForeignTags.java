package org.stillwater.monitoring.tag;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Tag;

/**
 * Tags that other systems keep for their objects, such as XAPI's pools: named by their source, in
 * memory only. One that no object has is forgotten with the next change. Readers never lock; {@link
 * #next} is called under the registry's monitor.
 */
final class ForeignTags {

    /** Between the source of a tag and its word. */
    private static final String SEPARATOR = ":";

    private final Map<UUID, Foreign> known = new ConcurrentHashMap<>();

    /** How many objects have a tag; none is missing. */
    private final Map<UUID, Integer> uses = new ConcurrentHashMap<>();

    /** Whether a tag may have lost its last object. */
    private volatile boolean unused;

    private record Foreign(Tag tag, String source) {}

    /**
     * The next tags of an object.
     *
     * @param ids all of them, also those of others than the source
     * @param changed whether they differ from those before
     * @param isComplete whether the source has no others
     */
    record Next(Set<UUID> ids, boolean changed, boolean isComplete) {}

    private static Tag tag(String source, String word) {
        String name = source + SEPARATOR + word;
        return new Tag(
                UUID.nameUUIDFromBytes(("foreign " + name).getBytes(StandardCharsets.UTF_8)),
                name,
                "of " + source + ", where it is changed",
                null);
    }

    /**
     * The tags of an object after its source has named those that it keeps.
     *
     * @param before the object's tags
     * @param most different tags of the source at most
     */
    Next next(Set<UUID> before, String source, Collection<String> words, int most) {
        if (unused) {
            unused = false;
            known.keySet().removeIf(id -> !uses.containsKey(id));
        }
        Set<UUID> ids = new HashSet<>(before);
        ids.removeIf(id -> source.equals(source(id)));
        boolean isComplete = true;
        for (String word : new TreeSet<>(words)) {
            Tag tag = tag(source, word);
            if (!known.containsKey(tag.id())) {
                if (count(source) >= most) {
                    isComplete = false;
                    continue;
                }
                known.put(tag.id(), new Foreign(tag, source));
            }
            ids.add(tag.id());
        }
        return new Next(ids, !ids.equals(before), isComplete);
    }

    private long count(String source) {
        return known.values().stream().filter(each -> each.source().equals(source)).count();
    }

    /** An object has other tags than before. */
    void replaced(TagSet before, TagSet after) {
        after.tags().forEach(tag -> use(tag, 1));
        before.tags().forEach(tag -> use(tag, -1));
    }

    private void use(Tag tag, int change) {
        if (known.containsKey(tag.id())) {
            Integer left =
                    uses.merge(
                            tag.id(),
                            change,
                            (one, other) -> one + other == 0 ? null : (Integer) (one + other));
            if (left == null) {
                unused = true;
            }
        }
    }

    /** A tag by its id; null if it is none of these. */
    @Nullable Tag find(UUID id) {
        Foreign found = known.get(id);
        return found == null ? null : found.tag();
    }

    /** The source of a tag; null if it is none of these. */
    @Nullable String source(UUID id) {
        Foreign found = known.get(id);
        return found == null ? null : found.source();
    }

    /** Tags that objects have. */
    List<Tag> used() {
        return known.values().stream()
                .map(Foreign::tag)
                .filter(tag -> uses.containsKey(tag.id()))
                .toList();
    }
}
