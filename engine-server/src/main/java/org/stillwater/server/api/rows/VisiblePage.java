package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A page of those items of a long list that a caller may see. The list is read page by page, up to
 * a bound.
 *
 * @param items the visible items, one more than requested if there is one
 * @param last the last item that was read, after which the next page begins; null at the end of the
 *     list
 */
public record VisiblePage<T>(List<T> items, @Nullable T last) {

    /** The list, page by page. */
    @FunctionalInterface
    public interface Pages<T, E extends Exception> {

        /** At most this many of those after one of them; null for the first. */
        List<T> after(@Nullable T last, int most) throws E;
    }

    /**
     * Looks through the list until enough is found.
     *
     * @param wanted how many are wanted
     * @param page how many are checked at once
     * @param looks how many pages are checked
     */
    public static <T, E extends Exception> VisiblePage<T> through(
            Pages<T, E> pages, Predicate<T> seen, int wanted, int page, int looks) throws E {
        List<T> items = new ArrayList<>();
        T last = null;
        for (int look = 0; look < looks && items.size() <= wanted; look++) {
            List<T> found = pages.after(last, page);
            found.stream().filter(seen).limit(wanted + 1L - items.size()).forEach(items::add);
            if (found.size() < page) {
                return new VisiblePage<>(items, null);
            }
            last = found.getLast();
        }
        return new VisiblePage<>(items, last);
    }

    /** The visible ones of as many as are wanted. */
    public List<T> told(int wanted) {
        return items.size() > wanted ? items.subList(0, wanted) : items;
    }

    /** The one after which the next page begins; null if there is none. */
    public @Nullable T next(int wanted) {
        return items.size() > wanted ? items.get(wanted - 1) : last;
    }
}
