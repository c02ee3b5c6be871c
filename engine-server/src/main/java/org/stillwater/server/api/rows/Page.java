package org.stillwater.server.api.rows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.PriorityQueue;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Picks one page out of all rows in one pass, keeping no more than the page. The cursor is the last
 * row's position in the order. Pages ordered by stable keys therefore neither repeat nor skip
 * remaining rows, also if rows come and go between two requests. Used by one thread.
 *
 * @param <R> a row
 * @param <T> kept form of a row until the page is written
 */
public final class Page<R, T> {

    /** The texts of five keys in their longest form, and the order's own. */
    private static final int LONGEST_CURSOR = 14_000;

    private record Entry<T>(Order.Place place, T kept) {}

    /** Two longs of the identity, so that none is made for a row that is not kept. */
    public interface ToIds<R> {
        long upper(R row);

        long lower(R row);
    }

    private final Function<R, T> keep;
    private final ToIds<R> ids;

    private final Order<R> order;
    private final int limit;
    private final JsonMapper mapper;
    private final Order.@Nullable Place after;
    private final PriorityQueue<Entry<T>> kept;
    private final List<Entry<T>> ordered = new ArrayList<>();
    private boolean more;

    public Page(
            Order<R> order,
            String cursor,
            int limit,
            JsonMapper mapper,
            Function<R, T> keep,
            ToIds<R> ids) {
        this.keep = keep;
        this.ids = ids;
        this.order = order;
        this.limit = limit;
        this.mapper = mapper;
        this.after = cursor.isEmpty() ? null : parse(cursor);
        this.kept = new PriorityQueue<>((one, other) -> order.compare(other.place(), one.place()));
    }

    /** Looks at a row. */
    public void offer(R row) {
        long upper = ids.upper(row);
        long lower = ids.lower(row);
        if (after != null && order.compare(row, upper, lower, after) <= 0) {
            return;
        }
        if (kept.size() < limit) {
            add(row, upper, lower);
            return;
        }
        more = true;
        Entry<T> last = kept.element();
        if (order.compare(row, upper, lower, last.place()) < 0) {
            kept.poll();
            add(row, upper, lower);
        }
    }

    private void add(R row, long upper, long lower) {
        kept.add(new Entry<>(order.place(row, upper, lower), keep.apply(row)));
    }

    /**
     * The first key of the last row of a full page, where it is a number; else NaN. Rows with a
     * larger one are behind the page, if that key is sorted smallest first.
     */
    public double lastNumber() {
        return kept.size() == limit && kept.element().place().value(0) instanceof Double number
                ? number
                : Double.NaN;
    }

    /** Notes a row behind a full page, which is no longer checked. */
    public void leaveOut() {
        more = true;
    }

    /** Whether rows behind it are known. */
    public boolean hasMore() {
        return more;
    }

    /** How many rows it has at most. */
    public int limit() {
        return limit;
    }

    /** End of the page before, null for the first page. */
    public Order.@Nullable Place after() {
        return after;
    }

    /**
     * Takes a row at a known position behind all rows taken before.
     *
     * @return false when the page was full before
     */
    public boolean take(R row, Order.Place place) {
        if (ordered.size() == limit) {
            more = true;
            return false;
        }
        ordered.add(new Entry<>(place, keep.apply(row)));
        return true;
    }

    /** Kept rows, in order. */
    public List<T> rows() {
        return sorted().stream().map(Entry::kept).toList();
    }

    /** The cursor of the following page, null at the end. */
    public @Nullable String next() {
        return more ? cursor(sorted().getLast().place()) : null;
    }

    private List<Entry<T>> sorted() {
        if (!kept.isEmpty()) {
            ordered.addAll(kept);
            kept.clear();
            ordered.sort((one, other) -> order.compare(one.place(), other.place()));
        }
        return ordered;
    }

    private String cursor(Order.Place place) {
        java.io.StringWriter text = new java.io.StringWriter();
        try (JsonGenerator json = mapper.createGenerator(text)) {
            json.writeStartArray();
            json.writeString(order.text());
            json.writeString(place.id().toString());
            for (int i = 0; i < order.size(); i++) {
                switch (place.value(i)) {
                    case null -> json.writeNull();
                    case Double number -> json.writeNumber(number);
                    case Object name -> json.writeString(name.toString());
                }
            }
            json.writeEndArray();
        }
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private Order.Place parse(String cursor) {
        try {
            if (cursor.length() <= LONGEST_CURSOR) {
                JsonNode parts = mapper.readTree(Base64.getUrlDecoder().decode(cursor));
                if (parts.isArray()
                        && parts.size() == order.size() + 2
                        && parts.get(0).isString()
                        && parts.get(0).asString().equals(order.text())
                        && parts.get(1).isString()) {
                    @Nullable Object[] values = new @Nullable Object[order.size()];
                    for (int i = 0; i < values.length; i++) {
                        values[i] = value(parts.get(i + 2));
                    }
                    UUID id = Ids.uuid(parts.get(1).asString());
                    return new Order.Place(
                            values, id.getMostSignificantBits(), id.getLeastSignificantBits());
                }
            }
        } catch (IllegalArgumentException | JacksonException | ApiException _) {
            // answered below like any other cursor that was not given out for this order
        }
        throw ApiException.badRequest("cursor does not belong to this list and order");
    }

    private static @Nullable Object value(JsonNode part) {
        if (part.isNull()) {
            return null;
        }
        if (part.isNumber()) {
            return part.asDouble();
        }
        if (part.isString()) {
            return part.asString();
        }
        throw new IllegalArgumentException("no key");
    }
}
