package org.stillwater.ovirt.search;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One searchable field of an entity: how its value is read, and by its type which operators and
 * values a query may use. Reading must be cheap and must not block; it happens once per entity and
 * term. Absent values (null, an empty collection) equal nothing.
 *
 * @param <T> the entity
 */
sealed interface Field<T> {

    /**
     * Any number of texts, compared ignoring case unless asked otherwise; {@code =} and {@code !=}.
     */
    record Texts<T>(Function<T, ? extends Collection<String>> values) implements Field<T> {}

    /** One text; as {@link Texts}, and a list can be sorted by it. */
    record Text<T>(Function<T, @Nullable String> value) implements Field<T> {}

    /** A number in the unit that the language's users expect; all six operators. */
    record Numeric<T>(Function<T, @Nullable Number> value) implements Field<T> {}

    /** A point in time; all operators. */
    record Time<T>(Function<T, @Nullable Instant> value) implements Field<T> {}

    /** A length of time, written in s, or with a unit as in {@code 5d} or {@code 90m}. */
    record Span<T>(Function<T, @Nullable Duration> value) implements Field<T> {}

    /** True or false; {@code =} and {@code !=}. */
    record Flag<T>(Function<T, @Nullable Boolean> value) implements Field<T> {}

    /**
     * One of a fixed set of names, compared ignoring case, {@code _} and {@code -}.
     *
     * @param names every name there is, in their order
     * @param aliases other spellings, each with the name that it stands for
     * @param ordered whether the order has a meaning, so that {@code <} and {@code >} are allowed
     */
    record Choice<T>(
            Function<T, @Nullable String> value,
            List<String> names,
            Map<String, String> aliases,
            boolean ordered)
            implements Field<T> {

        public Choice {
            names = List.copyOf(names);
            aliases = Map.copyOf(aliases);
        }
    }

    /** The fields of other entities that this one refers to; one that matches is enough. */
    record Reference<T, R>(Function<T, ? extends Collection<R>> targets, Supplier<Fields<R>> fields)
            implements Field<T> {}
}
