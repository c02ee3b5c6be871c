package org.stillwater.ovirt.query;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The searchable fields of one collection and its references to others, by lower-case name.
 * Immutable.
 *
 * @param <T> type of the collection's items
 * @param fields by name, in the order in which they were declared
 * @param references by name
 */
public record Fields<T>(Map<String, Field<T>> fields, Map<String, Reference<T, ?>> references) {

    public Fields {
        fields = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        references = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(references));
    }

    /** The field of this name in any case; null if there is none. */
    public @Nullable Field<T> field(String name) {
        return fields.get(name.toLowerCase(Locale.ROOT));
    }

    /** The reference of this name in any case; null if there is none. */
    public @Nullable Reference<T, ?> reference(String name) {
        return references.get(name.toLowerCase(Locale.ROOT));
    }

    /** Begins a table of fields. */
    public static <T> Builder<T> of() {
        return new Builder<>();
    }

    /** Collects fields, in order. Not thread-safe. */
    public static final class Builder<T> {

        private final Map<String, Field<T>> fields = new LinkedHashMap<>();
        private final Map<String, Reference<T, ?>> references = new LinkedHashMap<>();

        private Builder() {}

        private Builder<T> add(
                String name,
                Field.Kind kind,
                Function<T, ? extends @Nullable Object> value,
                List<String> ranks) {
            fields.put(name, new Field<>(name, kind, value, ranks));
            return this;
        }

        /** A text. */
        public Builder<T> text(String name, Function<T, @Nullable String> value) {
            return add(name, Field.Kind.TEXT, value, List.of());
        }

        /** Several texts. */
        public Builder<T> texts(String name, Function<T, ? extends Collection<String>> values) {
            return add(name, Field.Kind.TEXT, values, List.of());
        }

        /** A word of an enumeration. */
        public Builder<T> word(String name, Function<T, @Nullable String> value) {
            return add(name, Field.Kind.WORD, value, List.of());
        }

        /**
         * Words that all stand for the value, the API's own first: a migrating VM is {@code
         * migrating} and {@code migrating_from}.
         */
        public Builder<T> words(String name, Function<T, ? extends Collection<String>> values) {
            return add(name, Field.Kind.WORD, values, List.of());
        }

        /** A word of an ordered enumeration, its words from least to greatest. */
        public Builder<T> ranked(
                String name, Function<T, @Nullable String> value, List<String> ranks) {
            return add(name, Field.Kind.WORD, value, ranks);
        }

        /** A number. */
        public Builder<T> number(String name, Function<T, ? extends @Nullable Number> value) {
            return add(name, Field.Kind.NUMBER, value, List.of());
        }

        /** A length of time. */
        public Builder<T> span(String name, Function<T, @Nullable Duration> value) {
            return add(name, Field.Kind.SPAN, value, List.of());
        }

        /** A moment. */
        public Builder<T> time(String name, Function<T, @Nullable Instant> value) {
            return add(name, Field.Kind.TIME, value, List.of());
        }

        /** A truth value. */
        public Builder<T> flag(String name, Function<T, @Nullable Boolean> value) {
            return add(name, Field.Kind.FLAG, value, List.of());
        }

        /** An identity. */
        public Builder<T> id(String name, Function<T, @Nullable String> value) {
            return add(name, Field.Kind.ID, value, List.of());
        }

        /** A step to another collection. */
        public <R> Builder<T> reference(Reference<T, R> reference) {
            references.put(reference.name().toLowerCase(Locale.ROOT), reference);
            return this;
        }

        /** The table. */
        public Fields<T> build() {
            return new Fields<>(fields, references);
        }
    }
}
