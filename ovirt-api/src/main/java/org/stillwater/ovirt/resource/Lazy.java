package org.stillwater.ovirt.resource;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * A list that makes its items on demand and does not keep them: for writing, once. Several threads
 * may make different items.
 */
final class Lazy<T, R> extends AbstractList<R> {

    private final List<T> source;
    private final Function<T, R> made;

    private Lazy(List<T> source, Function<T, R> made) {
        this.source = source;
        this.made = made;
    }

    static <T, R> List<R> of(List<T> source, Function<T, R> made) {
        return new Lazy<>(source, made);
    }

    @Override
    public R get(int index) {
        return made.apply(source.get(index));
    }

    @Override
    public int size() {
        return source.size();
    }

    @Override
    public Iterator<R> iterator() {
        Iterator<T> each = source.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return each.hasNext();
            }

            @Override
            public R next() {
                return made.apply(each.next());
            }
        };
    }
}
