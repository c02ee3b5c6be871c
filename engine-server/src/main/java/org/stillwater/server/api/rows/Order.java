package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;

/**
 * The order of a list: by several keys, then by identity, so that it is total. Unknown values come
 * last in both directions of the key. Of a text the first {@value #LONGEST_TEXT} characters count.
 * Used by one thread.
 *
 * @param <R> a row
 */
public final class Order<R> {

    private static final int MOST_KEYS = 5;

    /**
     * Characters of a text that count. A name is shorter; of five long texts a cursor still fits a
     * request.
     */
    static final int LONGEST_TEXT = 300;

    /**
     * One key.
     *
     * @param column null for the identity
     * @param descending largest first
     */
    private record Key<R>(@Nullable Column<R> column, boolean descending) {}

    /** A position in the order. Immutable. */
    public static final class Place {

        /** Type of the keys: {@link Double}, {@link String} or null. */
        private final @Nullable Object[] values;

        private final long upper;
        private final long lower;

        /**
         * @param values of the keys: {@link Double}, {@link String} or null
         * @param upper of the identity of the row
         * @param lower of the identity of the row
         */
        Place(@Nullable Object[] values, long upper, long lower) {
            this.values = values;
            this.upper = upper;
            this.lower = lower;
        }

        public @Nullable Object value(int key) {
            return values[key];
        }

        public long lower() {
            return lower;
        }

        UUID id() {
            return new UUID(upper, lower);
        }

        /** The same without its first key. */
        public Place rest() {
            return new Place(Arrays.copyOfRange(values, 1, values.length), upper, lower);
        }

        /**
         * The same behind one more key.
         *
         * @param first {@link Double}, {@link String} or null
         */
        public Place behind(@Nullable Object first) {
            @Nullable Object[] all = new @Nullable Object[values.length + 1];
            all[0] = first;
            System.arraycopy(values, 0, all, 1, values.length);
            return new Place(all, upper, lower);
        }
    }

    private final String text;
    private final List<Key<R>> keys = new ArrayList<>();
    private final boolean idDescending;
    private final Capture seen = new Capture();

    /**
     * @param text keys by commas, the most important first; a minus turns one round
     */
    public Order(Table<R> table, String text) {
        this.text = text;
        Set<String> named = new HashSet<>();
        boolean descending = false;
        boolean byId = false;
        for (String part : text.split(",", MOST_KEYS + 2)) {
            String key = part.strip();
            boolean down = key.startsWith("-");
            String name = down || key.startsWith("+") ? key.substring(1) : key;
            if (name.isEmpty() || byId || !named.add(name) || named.size() > MOST_KEYS) {
                throw ApiException.badRequest(
                        "sort is 1 to %d different keys by commas, id the last, such as -cpu,name"
                                .formatted(MOST_KEYS));
            }
            if (name.equals("id")) {
                byId = true;
                descending = down;
            } else {
                keys.add(new Key<>(table.sortKey(name), down));
            }
        }
        this.idDescending = descending;
    }

    public String text() {
        return text;
    }

    int size() {
        return keys.size();
    }

    /** The most important key, null for the identity. */
    public @Nullable Column<R> first() {
        return keys.isEmpty() ? null : keys.getFirst().column();
    }

    /** Whether the most important key is sorted largest first. */
    public boolean isFirstDescending() {
        return !keys.isEmpty() && keys.getFirst().descending();
    }

    /** The order of rows that are alike by the first key. */
    public Order<R> rest(Table<R> table) {
        int comma = text.indexOf(',');
        return new Order<>(table, comma < 0 ? "id" : text.substring(comma + 1));
    }

    public boolean usesStatistics() {
        return keys.stream().anyMatch(key -> key.column() != null && key.column().isStatistic());
    }

    /** Whether a key is this column. */
    public boolean uses(String name) {
        return keys.stream()
                .anyMatch(key -> key.column() != null && key.column().name().equals(name));
    }

    /** Whether the most important key is this column, smallest first. */
    public boolean beginsWith(String name) {
        Column<R> first = first();
        return first != null && first.name().equals(name) && !isFirstDescending();
    }

    /** Whether a key changes otherwise than by a new definition. */
    public boolean usesStates() {
        return keys.stream()
                .anyMatch(key ->
                        key.column() != null && key.column().origin() != Column.Origin.DEFINED);
    }

    /** Position of a row. */
    public Place place(R row, long upper, long lower) {
        @Nullable Object[] values = new @Nullable Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            seen.look(keys.get(i).column(), row);
            values[i] = seen.value();
        }
        return new Place(values, upper, lower);
    }

    /** As {@link java.util.Comparator}: negative if the row comes before the position. */
    public int compare(R row, long upper, long lower, Place place) {
        for (int i = 0; i < keys.size(); i++) {
            Key<R> key = keys.get(i);
            seen.look(key.column(), row);
            int order = seen.compare(place.value(i), key.descending());
            if (order != 0) {
                return order;
            }
        }
        return ids(upper, lower, place);
    }

    public int compare(Place one, Place other) {
        for (int i = 0; i < keys.size(); i++) {
            seen.take(one.value(i));
            int order = seen.compare(other.value(i), keys.get(i).descending());
            if (order != 0) {
                return order;
            }
        }
        return ids(one.upper, one.lower, other);
    }

    private int ids(long upper, long lower, Place other) {
        int order = Long.compareUnsigned(upper, other.upper);
        if (order == 0) {
            order = Long.compareUnsigned(lower, other.lower);
        }
        return idDescending ? -order : order;
    }

    /** The characters that count, without half of a pair at their end. */
    static String counting(String text) {
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        boolean split = Character.isHighSurrogate(text.charAt(LONGEST_TEXT - 1));
        return text.substring(0, split ? LONGEST_TEXT - 1 : LONGEST_TEXT);
    }

    /** Catches the value of a key without making anything of it. */
    private static final class Capture implements Sink {

        private boolean known;
        private @Nullable String text;
        private double number;

        <R> void look(@Nullable Column<R> column, R row) {
            known = false;
            text = null;
            if (column != null) {
                column.cell().put(row, this);
            }
        }

        void take(@Nullable Object value) {
            known = value != null;
            text = value instanceof String given ? given : null;
            number = value instanceof Double given ? given : 0;
        }

        @Nullable Object value() {
            if (!known) {
                return null;
            }
            return text != null ? text : (Object) number;
        }

        int compare(@Nullable Object other, boolean descending) {
            if (!known || other == null) {
                return Boolean.compare(!known, other == null);
            }
            int order;
            if (text != null && other instanceof String string) {
                order = text.compareTo(string);
            } else if (text == null && other instanceof Double value) {
                order = Double.compare(number, value);
            } else {
                order = text == null ? -1 : 1;
            }
            return descending ? -order : order;
        }

        @Override
        public void text(@Nullable String value) {
            known = value != null;
            text = value == null ? null : counting(value);
        }

        @Override
        public void whole(long value) {
            known = true;
            number = value;
        }

        @Override
        public void fraction(double value) {
            known = Double.isFinite(value);
            number = value;
        }

        @Override
        public void flag(boolean value) {
            known = true;
            number = value ? 1 : 0;
        }

        @Override
        public void unknown() {
            known = false;
        }

        @Override
        public void composite(Composite value) {
            known = false;
        }
    }
}
