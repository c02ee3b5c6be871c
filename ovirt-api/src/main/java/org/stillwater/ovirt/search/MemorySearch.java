package org.stillwater.ovirt.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.query.Search;

/**
 * Searches a stream of entities. A query is compiled once and costs one pass; a sorted list of
 * which only a part is requested keeps no more than that part. Thread-safe: it has no state.
 */
public final class MemorySearch implements Search {

    private static final Logger log = LoggerFactory.getLogger(MemorySearch.class);

    private final SearchLimits limits;
    private final EngineClock clock;

    /**
     * A search.
     *
     * @param clock clock of {@code today}
     */
    public MemorySearch(SearchLimits limits, EngineClock clock) {
        this.limits = limits;
        this.clock = clock;
    }

    @Override
    public <T> List<T> apply(
            String query, boolean caseSensitive, int max, Fields<T> fields, Stream<T> all) {
        try {
            Query parsed = Parser.parse(query, limits);
            Stream<T> met = all;
            if (parsed.condition() != null) {
                Predicate<T> condition =
                        new Compiler(caseSensitive, clock.now())
                                .compile(parsed.condition(), fields);
                met = all.filter(condition);
            }
            Query.Order order = parsed.order();
            Window window = window(parsed.page(), max);
            return order == null
                    ? met.skip(window.from()).limit(window.size()).toList()
                    : sorted(met, Sorting.by(order, fields), window);
        } catch (Malformed e) {
            log.debug("A malformed search has no results: {}", e.getMessage());
            return List.of();
        }
    }

    /** Requested page of the matches. */
    private record Window(long from, long size) {

        boolean isAll() {
            return from == 0 && size == Long.MAX_VALUE;
        }
    }

    private Window window(@Nullable Integer page, int max) {
        if (page == null) {
            return new Window(0, max < 0 ? Long.MAX_VALUE : max);
        }
        int size = max < 0 ? limits.defaultPageSize() : max;
        return new Window((page - 1L) * size, size);
    }

    private static <T> List<T> sorted(Stream<T> met, Comparator<T> order, Window window) {
        long wanted = window.from() + window.size();
        if (window.isAll() || wanted < 0 || wanted > MOST_SELECTED) {
            return met.sorted(order).skip(window.from()).limit(window.size()).toList();
        }
        List<T> first = first(met, order, (int) wanted);
        return first.size() <= window.from()
                ? List.of()
                : List.copyOf(first.subList((int) window.from(), first.size()));
    }

    /** Beyond this, a sort of everything is as cheap as a heap. */
    private static final int MOST_SELECTED = 10_000;

    /** An entity and its index in the stream, which decides between equals: a stable order. */
    private record Placed<T>(T entity, long place) {}

    private static <T> List<T> first(Stream<T> met, Comparator<T> order, int wanted) {
        if (wanted == 0) {
            return List.of();
        }
        Comparator<Placed<T>> stable =
                Comparator.<Placed<T>, T>comparing(Placed::entity, order)
                        .thenComparingLong(Placed::place);
        PriorityQueue<Placed<T>> worstFirst = new PriorityQueue<>(stable.reversed());
        long place = 0;
        for (Iterator<T> each = met.iterator(); each.hasNext(); ) {
            Placed<T> next = new Placed<>(each.next(), place++);
            if (worstFirst.size() < wanted) {
                worstFirst.add(next);
            } else if (stable.compare(next, worstFirst.peek()) < 0) {
                worstFirst.poll();
                worstFirst.add(next);
            }
        }
        List<T> found = new ArrayList<>(worstFirst.size());
        while (!worstFirst.isEmpty()) {
            found.add(worstFirst.poll().entity());
        }
        Collections.reverse(found);
        return found;
    }
}
