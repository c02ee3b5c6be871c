package org.stillwater.ovirt.resource;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.query.Fields;

/**
 * A collection: the source of its items, and the form of one. Stateless, so thread-safe.
 *
 * @param <P> type of the parent
 * @param <T> type of the items
 */
abstract class Resource<P, T> {

    private final Kind kind;
    private final Map<String, Resource<T, ?>> subs = new LinkedHashMap<>();
    private final Map<String, Kind> references = new LinkedHashMap<>();

    /** Parent of the root's collections. */
    enum Root {
        ROOT
    }

    /**
     * An item with its position in the answer.
     *
     * @param parent parent of the item
     * @param parentHref address of the parent; of the collection's items in the root, the base
     * @param item the item
     * @param href its address
     * @param follow links to be replaced by their entities
     */
    record At<P, T>(P parent, String parentHref, T item, String href, Follow follow) {}

    Resource(Kind kind) {
        this(kind, References.of(kind));
    }

    /** A collection with the given references of its items. */
    Resource(Kind kind, Map<String, Kind> references) {
        this.kind = kind;
        references.forEach((element, target) -> this.references.put(Follow.plain(element), target));
    }

    final Kind kind() {
        return kind;
    }

    /** Adds a collection of each item. */
    final <R extends Resource<T, ?>> R sub(R resource) {
        subs.put(resource.kind().path(), resource);
        return resource;
    }

    /** Collections of an item, by path. */
    final Map<String, Resource<T, ?>> subs() {
        Resource<?, T> shown = shown();
        return shown.equals(this) ? subs : shown.subs();
    }

    /** Kinds of entities that items refer to, by element without underscores. */
    final Map<String, Kind> references() {
        return references;
    }

    /** Resource with the collections of the items: another one, if they appear as its items. */
    Resource<?, T> shown() {
        return this;
    }

    /** Items that one parent has at most, roughly, where they may be as many as a fleet has. */
    long most(Scope scope) {
        return 1;
    }

    /** The items that the caller may see, in their default order. */
    abstract List<T> list(Scope scope, P parent);

    /** The item with this identity, if there is one and the caller may see it. */
    @Nullable T find(Scope scope, P parent, String id) {
        for (T item : list(scope, parent)) {
            if (id(item).equals(id)) {
                return item;
            }
        }
        return null;
    }

    /** Identity of an item. */
    abstract String id(T item);

    /** The model of an item. */
    abstract Object tell(Scope scope, At<P, T> at);

    /** Searchable fields; null if there are none. */
    @Nullable Fields<T> fields(Scope scope) {
        return null;
    }

    /** Whether {@link #fields} is not null. */
    boolean isSearchable() {
        return false;
    }

    /** Whether answers change with the numbers of a cycle. */
    boolean isLive() {
        return false;
    }

    /** Whether the collections of an item are linked in it. */
    boolean isLinked(T item) {
        return true;
    }

    /** Whether {@code max} bounds the list. */
    boolean isBounded() {
        return true;
    }
}
