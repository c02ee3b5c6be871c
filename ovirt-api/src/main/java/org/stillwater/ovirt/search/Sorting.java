package org.stillwater.ovirt.search;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.query.Field;
import org.stillwater.ovirt.query.Fields;

/** Orders of entities by a field; those without a value stand at the end when ascending. */
final class Sorting {

    private static final Comparator<String> TEXTS =
            String.CASE_INSENSITIVE_ORDER.thenComparing(Comparator.naturalOrder());

    private Sorting() {}

    static <T> Comparator<T> by(Query.Order order, Fields<T> fields) throws Malformed {
        Comparator<T> ascending = ascending(Compiler.fieldOf(fields, order.field()));
        return order.descending() ? ascending.reversed() : ascending;
    }

    private static <T> Comparator<T> ascending(Field<T> field) {
        return switch (field.kind()) {
            case TEXT, ID -> on(field, String.class, TEXTS);
            case WORD ->
                    on(
                            field,
                            String.class,
                            field.ranks().isEmpty() ? TEXTS : byRank(field.ranks()));
            case NUMBER -> on(field, Number.class, Sorting::numbers);
            case TIME -> on(field, Instant.class, Comparator.naturalOrder());
            case SPAN -> on(field, Duration.class, Comparator.naturalOrder());
            case FLAG -> on(field, Boolean.class, Comparator.naturalOrder());
        };
    }

    private static Comparator<String> byRank(List<String> words) {
        List<String> ranks = words.stream().map(Compiler::spelled).toList();
        return Comparator.comparingInt(word -> ranks.indexOf(Compiler.spelled(word)));
    }

    private static int numbers(Number left, Number right) {
        boolean whole = isWhole(left) && isWhole(right);
        return whole
                ? Long.compare(left.longValue(), right.longValue())
                : Double.compare(left.doubleValue(), right.doubleValue());
    }

    private static boolean isWhole(Number number) {
        return !(number instanceof Double
                || number instanceof Float
                || number instanceof BigDecimal);
    }

    private static <T, V> Comparator<T> on(Field<T> field, Class<V> type, Comparator<V> order) {
        Function<T, ? extends @Nullable Object> read = field.value();
        return (left, right) -> {
            V a = first(read.apply(left), type);
            V b = first(read.apply(right), type);
            if (a == null) {
                return b == null ? 0 : 1;
            }
            return b == null ? -1 : order.compare(a, b);
        };
    }

    private static <V> @Nullable V first(@Nullable Object value, Class<V> type) {
        Object first = value;
        if (value instanceof Collection<?> values) {
            first = values.isEmpty() ? null : values.iterator().next();
        }
        return type.isInstance(first) ? type.cast(first) : null;
    }
}
