package org.stillwater.monitoring.tag;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.cluster.Tag;

/** The tags of a VM or host, by name. All objects with the same tags share one set. Immutable. */
public final class TagSet {

    /** No tags. */
    public static final TagSet NONE = new TagSet(List.of());

    private final List<Tag> tags;
    private final List<String> names;

    /** A set of tags in the order of their names. */
    TagSet(List<Tag> tags) {
        this.tags = List.copyOf(tags);
        this.names = this.tags.stream().map(Tag::name).distinct().toList();
    }

    /** The tags, by name. */
    public List<Tag> tags() {
        return tags;
    }

    /** Their names, in order. */
    public List<String> names() {
        return names;
    }

    /** Whether one of the tags has one of these names. Allocates nothing. */
    public boolean hasAny(Set<String> wanted) {
        for (int i = 0; i < names.size(); i++) {
            if (wanted.contains(names.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Identities of the tags, as a set of the caller's own. */
    Set<UUID> ids() {
        Set<UUID> ids = new HashSet<>();
        tags.forEach(tag -> ids.add(tag.id()));
        return ids;
    }

    /** Whether one of the tags is one of these. */
    boolean hasAnyOf(Set<UUID> ids) {
        for (int i = 0; i < tags.size(); i++) {
            if (ids.contains(tags.get(i).id())) {
                return true;
            }
        }
        return false;
    }
}
