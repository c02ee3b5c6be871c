package org.stillwater.ovirt.search;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.search.Query.Condition;

/**
 * Makes a predicate of a condition: names become fields and values are read once, so that what
 * remains per entity is a comparison. {@code !=} is the opposite of {@code =} throughout: an entity
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
            case Condition.Compared(var reference, var name, var operator, var value) ->
                    reference == null
                            ? compared(fieldOf(fields, name), operator, value)
                            : ofReference(fieldOf(fields, reference), name, operator, value);
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
        Field<T> field = fields.named(name);
        if (field == null) {
            throw new Malformed("there is no such field");
        }
        return field;
    }

    private <T> Predicate<T> free(String value, Fields<T> fields) {
        TextPattern pattern = TextPattern.within(value, caseSensitive);
        List<Predicate<T>> anywhere = new ArrayList<>();
        for (Field<T> field : fields.freeText()) {
            switch (field) {
                case Field.Text<T>(var read) -> anywhere.add(text(read, pattern));
                case Field.Texts<T>(var read) -> anywhere.add(texts(read, pattern));
                default -> {}
            }
        }
        return any(anywhere);
    }

    private <T> Predicate<T> compared(Field<T> field, Operator operator, String value)
            throws Malformed {
        return switch (field) {
            case Field.Text<T>(var read) ->
                    equality(operator, text(read, TextPattern.whole(value, caseSensitive)));
            case Field.Texts<T>(var read) ->
                    equality(operator, texts(read, TextPattern.whole(value, caseSensitive)));
            case Field.Numeric<T>(var read) -> number(read, operator, value);
            case Field.Time<T>(var read) -> time(read, operator, value);
            case Field.Span<T>(var read) -> span(read, operator, value);
            case Field.Flag<T>(var read) -> flag(read, operator, value);
            case Field.Choice<T> choice -> choice(choice, operator, value);
            case Field.Reference<T, ?> reference -> freeOf(reference, operator, value);
        };
    }

    // ------------------------------------------------------------------------------ references

    private <T> Predicate<T> ofReference(
            Field<T> field, String name, Operator operator, String value) throws Malformed {
        if (!(field instanceof Field.Reference<T, ?> reference)) {
            throw new Malformed("the field refers to nothing");
        }
        return named(reference, name, operator, value);
    }

    private <T, R> Predicate<T> named(
            Field.Reference<T, R> reference, String name, Operator operator, String value)
            throws Malformed {
        Field<R> field = fieldOf(reference.fields().get(), name);
        if (field instanceof Field.Reference) {
            throw new Malformed("a reference leads one step far");
        }
        boolean unequal = operator == Operator.NOT_EQUAL;
        Predicate<R> one = compared(field, unequal ? Operator.EQUAL : operator, value);
        return anyOf(reference.targets(), one, unequal);
    }

    private <T, R> Predicate<T> freeOf(
            Field.Reference<T, R> reference, Operator operator, String value) throws Malformed {
        if (!operator.isEquality()) {
            throw new Malformed("texts have no order");
        }
        Predicate<R> one = free(value, reference.fields().get());
        return anyOf(reference.targets(), one, operator == Operator.NOT_EQUAL);
    }

    private static <T, R> Predicate<T> anyOf(
            Function<T, ? extends Collection<R>> targets, Predicate<R> one, boolean none) {
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

    private static <T> Predicate<T> equality(Operator operator, Predicate<T> equal)
            throws Malformed {
        return switch (operator) {
            case EQUAL -> equal;
            case NOT_EQUAL -> equal.negate();
            case LESS, GREATER, AT_MOST, AT_LEAST -> throw new Malformed("the field has no order");
        };
    }

    private static <T> Predicate<T> text(Function<T, @Nullable String> read, TextPattern pattern) {
        return entity -> {
            String text = read.apply(entity);
            return text != null && pattern.matches(text);
        };
    }

    private static <T> Predicate<T> texts(
            Function<T, ? extends Collection<String>> read, TextPattern pattern) {
        return entity -> {
            for (String text : read.apply(entity)) {
                if (pattern.matches(text)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static <T> Predicate<T> number(
            Function<T, @Nullable Number> read, Operator operator, String value) throws Malformed {
        BigDecimal wanted = Values.number(value);
        return entity -> {
            Number number = read.apply(entity);
            return number == null
                    ? operator == Operator.NOT_EQUAL
                    : operator.holds(Values.compare(number, wanted));
        };
    }

    private <T> Predicate<T> time(
            Function<T, @Nullable Instant> read, Operator operator, String value) throws Malformed {
        TimeRange wanted = TimeRange.parse(value, now, ZoneOffset.UTC);
        return entity -> {
            Instant time = read.apply(entity);
            return time == null ? operator == Operator.NOT_EQUAL : wanted.holds(operator, time);
        };
    }

    private static <T> Predicate<T> span(
            Function<T, @Nullable Duration> read, Operator operator, String value)
            throws Malformed {
        Duration wanted = Values.span(value);
        return entity -> {
            Duration span = read.apply(entity);
            return span == null
                    ? operator == Operator.NOT_EQUAL
                    : operator.holds(span.compareTo(wanted));
        };
    }

    private static <T> Predicate<T> flag(
            Function<T, @Nullable Boolean> read, Operator operator, String value) throws Malformed {
        Boolean wanted = Values.flag(value);
        return equality(operator, entity -> wanted.equals(read.apply(entity)));
    }

    private static <T> Predicate<T> choice(Field.Choice<T> choice, Operator operator, String value)
            throws Malformed {
        Function<T, @Nullable String> read = choice.value();
        if (operator.isEquality()) {
            Set<String> wanted = chosen(choice, value);
            return equality(
                    operator,
                    entity -> {
                        String name = read.apply(entity);
                        return name != null && wanted.contains(name);
                    });
        }
        if (!choice.ordered()) {
            throw new Malformed("the field has no order");
        }
        Set<String> chosen = chosen(choice, value);
        if (chosen.size() != 1) {
            throw new Malformed("the value is not one name");
        }
        List<String> order = choice.names();
        int wanted = order.indexOf(chosen.iterator().next());
        return entity -> {
            String name = read.apply(entity);
            int rank = name == null ? -1 : order.indexOf(name);
            return rank >= 0 && operator.holds(Integer.compare(rank, wanted));
        };
    }

    /** Every name that a value stands for; more than one if it has a wildcard. */
    private static Set<String> chosen(Field.Choice<?> choice, String value) throws Malformed {
        TextPattern pattern = TextPattern.whole(spelled(value), true);
        Set<String> chosen = new HashSet<>();
        for (String name : choice.names()) {
            if (pattern.matches(spelled(name))) {
                chosen.add(name);
            }
        }
        choice.aliases()
                .forEach((spelling, name) -> {
                    if (pattern.matches(spelled(spelling))) {
                        chosen.add(name);
                    }
                });
        if (chosen.isEmpty()) {
            throw new Malformed("no value that the field can have");
        }
        return Set.copyOf(chosen);
    }

    private static String spelled(String name) {
        StringBuilder spelled = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '_' && c != '-' && c != ' ') {
                spelled.append(c);
            }
        }
        return spelled.toString().toLowerCase(Locale.ROOT);
    }
}
