package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.query.Fields;

/** A collection that needs no more than two functions: its items, and the form of one. */
final class SmallResource<P, T> extends Resource<P, T> {

    private final BiFunction<Scope, P, List<T>> items;
    private final Function<T, String> id;
    private final BiFunction<Scope, At<P, T>, Object> told;
    private final boolean live;
    private final @Nullable Resource<?, T> shown;
    private ToLongFunction<Scope> most = _ -> 1;
    private @Nullable Fields<T> fields;

    SmallResource(
            Kind kind,
            BiFunction<Scope, P, List<T>> items,
            Function<T, String> id,
            BiFunction<Scope, At<P, T>, Object> told) {
        this(kind, items, id, told, false);
    }

    SmallResource(
            Kind kind,
            BiFunction<Scope, P, List<T>> items,
            Function<T, String> id,
            BiFunction<Scope, At<P, T>, Object> told,
            boolean live) {
        this(kind, items, id, told, live, null);
    }

    private SmallResource(
            Kind kind,
            BiFunction<Scope, P, List<T>> items,
            Function<T, String> id,
            BiFunction<Scope, At<P, T>, Object> told,
            boolean live,
            @Nullable Resource<?, T> shown) {
        super(kind);
        this.shown = shown;
        this.items = items;
        this.id = id;
        this.told = told;
        this.live = live;
    }

    /** Some items of another collection, with its form and addresses. */
    static <P, T> SmallResource<P, T> of(
            Resource<Root, T> whole, BiFunction<Scope, P, List<T>> items) {
        return like(
                whole,
                items,
                (scope, at) ->
                        whole.tell(
                                scope,
                                new At<>(
                                        Root.ROOT,
                                        scope.base(),
                                        at.item(),
                                        scope.base()
                                                + "/"
                                                + whole.kind().path()
                                                + "/"
                                                + whole.id(at.item()),
                                        at.follow())));
    }

    /** A collection with items like those of another. */
    static <P, T> SmallResource<P, T> like(
            Resource<?, T> other,
            BiFunction<Scope, P, List<T>> items,
            BiFunction<Scope, At<P, T>, Object> told) {
        return new SmallResource<>(other.kind(), items, other::id, told, other.isLive(), other);
    }

    /** Returns the number of items that a parent may have. */
    SmallResource<P, T> most(ToLongFunction<Scope> items) {
        most = items;
        return this;
    }

    /** Sets the searchable fields. */
    SmallResource<P, T> searchable(Fields<T> searched) {
        fields = searched;
        return this;
    }

    @Override
    boolean isSearchable() {
        return fields != null;
    }

    @Override
    @Nullable Fields<T> fields(Scope scope) {
        return fields;
    }

    @Override
    long most(Scope scope) {
        return most.applyAsLong(scope);
    }

    @Override
    Resource<?, T> shown() {
        return shown == null ? this : shown;
    }

    @Override
    List<T> list(Scope scope, P parent) {
        return items.apply(scope, parent);
    }

    @Override
    String id(T item) {
        return id.apply(item);
    }

    @Override
    boolean isLive() {
        return live;
    }

    @Override
    Object tell(Scope scope, At<P, T> at) {
        return told.apply(scope, at);
    }
}
