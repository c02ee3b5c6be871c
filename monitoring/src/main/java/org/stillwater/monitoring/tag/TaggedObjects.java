package org.stillwater.monitoring.tag;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The objects of one kind that have tags; objects without tags take no memory. Readers never lock;
 * changes of tags are guarded by the registry's monitor.
 *
 * @param <T> identity of an object
 */
final class TaggedObjects<T> {

    private final Map<T, TagSet> owners = new ConcurrentHashMap<>();
    private final Function<Set<UUID>, TagSet> maker;
    private final ForeignTags foreign;

    /**
     * No objects.
     *
     * @param maker the set of the tags of these identities that exist
     * @param foreign learns which of its tags objects have
     */
    TaggedObjects(Function<Set<UUID>, TagSet> maker, ForeignTags foreign) {
        this.maker = maker;
        this.foreign = foreign;
    }

    /** The tags of an object. Any thread. */
    TagSet of(T owner) {
        return owners.getOrDefault(owner, TagSet.NONE);
    }

    /** Objects that have tags; changes with them. Any thread. */
    Map<T, TagSet> sets() {
        return Collections.unmodifiableMap(owners);
    }

    /** Forgets all objects. */
    void clear() {
        owners.clear();
    }

    /** Sets the tags of an object. */
    void put(T owner, Set<UUID> ids) {
        TagSet set = maker.apply(ids);
        TagSet before = set.tags().isEmpty() ? owners.remove(owner) : owners.put(owner, set);
        foreign.replaced(before == null ? TagSet.NONE : before, set);
    }

    /** Gives an object a tag; whether it did not have it. */
    boolean add(T owner, UUID tag) {
        Set<UUID> ids = of(owner).ids();
        if (!ids.add(tag)) {
            return false;
        }
        put(owner, ids);
        return true;
    }

    /** Takes a tag from an object; whether it had it. */
    boolean take(T owner, UUID tag) {
        Set<UUID> ids = of(owner).ids();
        if (!ids.remove(tag)) {
            return false;
        }
        put(owner, ids);
        return true;
    }

    /** Makes the sets anew that have one of these tags; returns their objects. */
    List<T> renew(Set<UUID> ids) {
        List<T> changed = new ArrayList<>();
        owners.forEach((owner, set) -> {
            if (set.hasAnyOf(ids)) {
                put(owner, set.ids());
                changed.add(owner);
            }
        });
        return changed;
    }

    /** Forgets an object; whether it had tags. Any thread. */
    boolean forget(T owner) {
        TagSet before = owners.remove(owner);
        if (before == null) {
            return false;
        }
        foreign.replaced(before, TagSet.NONE);
        return true;
    }
}
