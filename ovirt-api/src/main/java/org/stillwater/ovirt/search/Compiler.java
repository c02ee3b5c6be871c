package org.stillwater.ovirt.search;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.query.Field;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.query.Reference;
import org.stillwater.ovirt.search.Query.Condition;

/**
 * Makes a predicate of a condition: names become fields and values are read once, so that only a
 * comparison remains for each entity. {@code !=} is the opposite of {@code =} throughout: an entity
 * without a value, or without anything it refers to, is unequal to every value.
 */
final class Compiler {

    private final boolean caseSensitive;
    private final Instant now;

    Compiler(boolean caseSensitive, Instant now) {
        this.caseSensitive = caseSensitive;
        this.now = now;
    }

    <T> Predicate<T> compile(Condition condition, Fields<T> fields) throws Malformed {
        return switch (condition) {
            case Condition.Any(var of) -> any(compileEach(of, fields));
            case Condition.All(var of) -> all(compileEach(of, fields));
            case Condition.Free(String value) -> free(value, fields);
            case Condition.Compared(var reference, var name, var operator, var value) -> {
                if (reference != null) {
                    yield named(referenceOf(fields, reference), name, operator, value);
                }
                Field<T> field = fields.field(name);
                yield field == null
                        ? freeOf(referenceOf(fields, name), operator, value)
                        : compared(field, operator, value);
            }
        };
    }

    private <T> List<Predicate<T>> compileEach(List<Condition> conditions, Fields<T> fields)
            throws Malformed {
        List<Predicate<T>> compiled = new ArrayList<>(conditions.size());
        for (Condition each : conditions) {
            compiled.add(compile(each, fields));
        }
        return compiled;
    }

    private static <T> Predicate<T> any(List<Predicate<T>> of) {
        return entity -> {
            for (Predicate<T> each : of) {
                if (each.test(entity)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static <T> Predicate<T> all(List<Predicate<T>> of) {
        return entity -> {
            for (Predicate<T> each : of) {
                if (!each.test(entity)) {
                    return false;
                }
            }
            return true;
        };
    }

    static <T> Field<T> fieldOf(Fields<T> fields, String name) throws Malformed {
        Field<T> field = fields.field(name);
        if (field == null) {
            throw new Malformed("there is no such field");
        }
        return field;
    }

    private static <T> Reference<T, ?> referenceOf(Fields<T> fields, String name) throws Malformed {
        Reference<T, ?> reference = fields.reference(name);
        if (reference == null) {
            throw new Malformed("there is no such field or reference");
        }
        return reference;
    }

    private <T> Predicate<T> free(String value, Fields<T> fields) {
        TextPattern pattern = TextPattern.within(value, caseSensitive);
        List<Predicate<T>> anywhere = new ArrayList<>();
        for (Field<T> field : fields.fields().values()) {
            if (field.kind() == Field.Kind.TEXT || field.kind() == Field.Kind.WORD) {
                anywhere.add(some(field, String.class, pattern::matches));
            }
        }
        return any(anywhere);
    }

    // ------------------------------------------------------------------------------ references

    private <T, R> Predicate<T> named(
            Reference<T, R> reference, String name, Operator operator, String value)
            throws Malformed {
        boolean unequal = operator == Operator.NOT_EQUAL;
        Predicate<R> one =
                compared(
                        fieldOf(reference.fields().get(), name),
                        unequal ? Operator.EQUAL : operator,
                        value);
        return anyOf(reference.targets(), one, unequal);
    }

    private <T, R> Predicate<T> freeOf(Reference<T, R> reference, Operator operator, String value)
            throws Malformed {
        if (!operator.isEquality()) {
            throw new Malformed("texts have no order");
        }
        Predicate<R> one = free(value, reference.fields().get());
        return anyOf(reference.targets(), one, operator == Operator.NOT_EQUAL);
    }

    private static <T, R> Predicate<T> anyOf(
            Function<T, Collection<R>> targets, Predicate<R> one, boolean none) {
        return entity -> {
            for (R target : targets.apply(entity)) {
                if (one.test(target)) {
                    return !none;
                }
            }
            return none;
        };
    }

    // ---------------------------------------------------------------------------------- values

    private <T> Predicate<T> compared(Field<T> field, Operator operator, String value)
            throws Malformed {
        boolean unequal = operator == Operator.NOT_EQUAL;
        Predicate<T> met = met(field, unequal ? Operator.EQUAL : operator, value);
        return unequal ? met.negate() : met;
    }

    /** Whether one of a field's values stands in a relation, which is any but being unequal. */
    private <T> Predicate<T> met(Field<T> field, Operator operator, String value) throws Malformed {
        return switch (field.kind()) {
            case TEXT -> {
                TextPattern pattern = TextPattern.whole(equality(operator, value), caseSensitive);
                yield some(field, String.class, pattern::matches);
            }
            case ID -> {
                TextPattern pattern = TextPattern.whole(equality(operator, value), false);
                yield some(field, String.class, pattern::matches);
            }
            case WORD -> word(field, operator, value);
            case NUMBER -> {
                BigDecimal wanted = Values.number(value);
                yield some(
                        field,
                        Number.class,
                        number -> operator.holds(Values.compare(number, wanted)));
            }
            case TIME -> {
                TimeRange wanted = TimeRange.parse(value, now, ZoneOffset.UTC);
                yield some(field, Instant.class, time -> wanted.holds(operator, time));
            }
            case SPAN -> {
                Duration wanted = Values.span(value);
                yield some(field, Duration.class, span -> operator.holds(span.compareTo(wanted)));
            }
            case FLAG -> {
                Boolean wanted = Values.flag(equality(operator, value));
                yield some(field, Boolean.class, wanted::equals);
            }
        };
    }

    private static String equality(Operator operator, String value) throws Malformed {
        if (operator != Operator.EQUAL) {
            throw new Malformed("the field has no order");
        }
        return value;
    }

    private static <T> Predicate<T> word(Field<T> field, Operator operator, String value)
            throws Malformed {
        String wanted = spelled(value);
        if (operator == Operator.EQUAL) {
            TextPattern pattern = TextPattern.whole(wanted, true);
            return some(field, String.class, word -> pattern.matches(spelled(word)));
        }
        List<String> ranks = field.ranks().stream().map(Compiler::spelled).toList();
        int rank = ranks.indexOf(wanted);
        if (rank < 0) {
            throw new Malformed("the field has no order, or no such value");
        }
        return some(
                field,
                String.class,
                word -> {
                    int of = ranks.indexOf(spelled(word));
                    return of >= 0 && operator.holds(Integer.compare(of, rank));
                });
    }

    static String spelled(String word) {
        StringBuilder spelled = new StringBuilder(word.length());
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c != '_' && c != '-' && c != ' ') {
                spelled.append(c);
            }
        }
        return spelled.toString().toLowerCase(Locale.ROOT);
    }

    /** Whether one of the field's values will do; one of a wrong class is none. */
    private static <T, V> Predicate<T> some(Field<T> field, Class<V> type, Predicate<V> will) {
        Function<T, ? extends @Nullable Object> read = field.value();
        return entity -> {
            Object value = read.apply(entity);
            if (value instanceof Collection<?> values) {
                for (Object each : values) {
                    if (type.isInstance(each) && will.test(type.cast(each))) {
                        return true;
                    }
                }
                return false;
            }
            return type.isInstance(value) && will.test(Objects.requireNonNull(type.cast(value)));
        };
    }
}
