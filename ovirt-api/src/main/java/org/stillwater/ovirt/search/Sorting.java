package org.stillwater.ovirt.search;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Orders of entities by a field; those without a value stand at the end when ascending. */
final class Sorting {

    private Sorting() {}

    static <T> Comparator<T> by(Query.Order order, Fields<T> fields) throws Malformed {
        Comparator<T> ascending = ascending(Compiler.fieldOf(fields, order.field()));
        return order.descending() ? ascending.reversed() : ascending;
    }

    private static <T> Comparator<T> ascending(Field<T> field) throws Malformed {
        return switch (field) {
            case Field.Text<T>(var read) ->
                    on(
                            read,
                            String.CASE_INSENSITIVE_ORDER.thenComparing(Comparator.naturalOrder()));
            case Field.Numeric<T>(var read) -> on(read, Sorting::numbers);
            case Field.Time<T>(var read) -> on(read, Comparator.naturalOrder());
            case Field.Span<T>(var read) -> on(read, Comparator.naturalOrder());
            case Field.Flag<T>(var read) -> on(read, Comparator.naturalOrder());
            case Field.Choice<T> choice ->
                    choice.ordered()
                            ? on(choice.value(), byRank(choice.names()))
                            : on(choice.value(), Comparator.naturalOrder());
            case Field.Texts<T> _ -> throw new Malformed("several texts have no order");
            case Field.Reference<T, ?> _ -> throw new Malformed("references have no order");
        };
    }

    private static Comparator<String> byRank(List<String> names) {
        return Comparator.comparingInt(names::indexOf);
    }

    private static int numbers(Number left, Number right) {
        boolean whole = isWhole(left) && isWhole(right);
        return whole
                ? Long.compare(left.longValue(), right.longValue())
                : Double.compare(left.doubleValue(), right.doubleValue());
    }

    private static boolean isWhole(Number number) {
        return number instanceof Long
                || number instanceof Integer
                || number instanceof Short
                || number instanceof Byte;
    }

    private static <T, V> Comparator<T> on(
            Function<T, @Nullable V> read, Comparator<? super V> order) {
        return (left, right) -> {
            V a = read.apply(left);
            V b = read.apply(right);
            if (a == null || b == null) {
                return a == b ? 0 : a == null ? 1 : -1;
            }
            return order.compare(a, b);
        };
    }
}
