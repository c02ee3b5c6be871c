package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A collection that needs no more than two functions: its items, and how one is told. */
final class SmallResource<P, T> extends Resource<P, T> {

    private final BiFunction<Scope, P, List<T>> items;
    private final Function<T, String> id;
    private final BiFunction<Scope, At<P, T>, Object> told;
    private final boolean live;

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
        super(kind);
        this.items = items;
        this.id = id;
        this.told = told;
        this.live = live;
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
