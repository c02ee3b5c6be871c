package org.stillwater.ovirt.search;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The searchable fields of one kind of entity, by name. Immutable; make one per kind and keep it.
 *
 * <p>
 *
 * {@snippet :
 * static final Fields<VmView> VMS =
 *         Fields.<VmView>builder()
 *                 .text("name", VmView::name)
 *                 .number("memory", vm -> vm.memoryBytes() >> 20) // MB, as oVirt's users write it
 *                 .choice("status", vm -> vm.status().label(), List.of("up", "down", "migrating"))
 *                 .spelling("status", "MigratingFrom", "migrating")
 *                 .reference("hosts", vm -> hostsOf(vm), () -> HOSTS)
 *                 .also("host", "hosts")
 *                 .build();
 * }
 *
 * @param <T> the entity
 */
public final class Fields<T> {

    private final Map<String, Field<T>> byName;
    private final List<Field<T>> freeText;

    private Fields(Map<String, Field<T>> byName) {
        this.byName = Map.copyOf(byName);
        freeText =
                byName.values().stream()
                        .filter(field ->
                                field instanceof Field.Text || field instanceof Field.Texts)
                        .distinct()
                        .toList();
    }

    /** Starts a table of fields. */
    public static <T> Builder<T> builder() {
        return new Builder<>();
    }

    /** The field of this name, in any case; null if there is none. */
    @Nullable Field<T> named(String name) {
        return byName.get(name.toLowerCase(Locale.ROOT));
    }

    /** The fields that a bare word is looked for in: those that hold text. */
    List<Field<T>> freeText() {
        return freeText;
    }

    /**
     * Collects fields; not for use by several threads. Names are written in lower case.
     *
     * @param <T> the entity
     */
    public static final class Builder<T> {

        private final Map<String, Field<T>> byName = new HashMap<>();

        private Builder() {}

        /** A text; null if the entity has none. */
        public Builder<T> text(String name, Function<T, @Nullable String> value) {
            return add(name, new Field.Text<>(value));
        }

        /** Several texts, such as tags or addresses. */
        public Builder<T> texts(String name, Function<T, ? extends Collection<String>> values) {
            return add(name, new Field.Texts<>(values));
        }

        /** A number in the unit that users of the language expect (memory in MB, sizes in GB). */
        public Builder<T> number(String name, Function<T, @Nullable Number> value) {
            return add(name, new Field.Numeric<>(value));
        }

        /** A point in time. */
        public Builder<T> time(String name, Function<T, @Nullable Instant> value) {
            return add(name, new Field.Time<>(value));
        }

        /** A length of time. */
        public Builder<T> span(String name, Function<T, @Nullable Duration> value) {
            return add(name, new Field.Span<>(value));
        }

        /** True or false. */
        public Builder<T> flag(String name, Function<T, @Nullable Boolean> value) {
            return add(name, new Field.Flag<>(value));
        }

        /**
         * One of a fixed set of names; a query may write them in any case and without their
         * underscores, so that {@code PoweringUp} finds {@code powering_up}.
         *
         * @param names every name that the value may have; another one in a query is malformed
         */
        public Builder<T> choice(
                String name, Function<T, @Nullable String> value, List<String> names) {
            return add(name, new Field.Choice<>(value, names, Map.of(), false));
        }

        /** As {@link #choice}, but the names are in an order: {@code severity>warning}. */
        public Builder<T> ordered(
                String name, Function<T, @Nullable String> value, List<String> names) {
            return add(name, new Field.Choice<>(value, names, Map.of(), true));
        }

        /** One more spelling for a name of a choice that is there already. */
        public Builder<T> spelling(String choice, String spelling, String name) {
            if (!(byName.get(choice) instanceof Field.Choice<T> field)
                    || !field.names().contains(name)) {
                throw new IllegalArgumentException(
                        "the search field " + choice + " is no choice of " + name);
            }
            Map<String, String> aliases = new HashMap<>(field.aliases());
            aliases.put(spelling, name);
            Field<T> respelt =
                    new Field.Choice<>(field.value(), field.names(), aliases, field.ordered());
            byName.replaceAll((_, other) -> other.equals(field) ? respelt : other);
            return this;
        }

        /**
         * Entities referred to, and their fields: {@code hosts.name=…}, and {@code hosts=…} for
         * text in any of their fields.
         *
         * @param fields asked when a query is compiled, so that tables may refer to each other
         */
        public <R> Builder<T> reference(
                String name,
                Function<T, ? extends Collection<R>> targets,
                Supplier<Fields<R>> fields) {
            return add(name, new Field.Reference<>(targets, fields));
        }

        /** Another name for a field that is there already. */
        public Builder<T> also(String alias, String name) {
            Field<T> field = byName.get(name);
            if (field == null) {
                throw new IllegalArgumentException("there is no search field " + name);
            }
            return add(alias, field);
        }

        /** The table. */
        public Fields<T> build() {
            return new Fields<>(byName);
        }

        private Builder<T> add(String name, Field<T> field) {
            if (!name.equals(name.toLowerCase(Locale.ROOT))
                    || byName.putIfAbsent(name, field) != null) {
                throw new IllegalArgumentException(
                        "the search field " + name + " is there already, or not in lower case");
            }
            return this;
        }
    }
}
