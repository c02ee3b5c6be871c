package org.stillwater.vdsm.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.Components;
import org.stillwater.core.value.Wire;

/**
 * Reads an object of a host's answer (protocol page §3.4, §3.5) into a record with components that
 * declare their wire names with {@link Wire}. Members that no component names are skipped.
 * Immutable.
 */
final class RecordReader<R extends Record> {

    /** The position of a member's value, and its reader. */
    private record Member(int at, Function<HostReader, @Nullable Object> read) {}

    /** One argument of a record's constructor. */
    private sealed interface Argument {

        /** The first value that was gathered in these places. */
        record Value(int from, int to, @Nullable Object missing) implements Argument {}

        record Group(Assembly<?> assembly) implements Argument {}
    }

    private record Assembly<T extends Record>(
            Constructor<T> constructor, List<Argument> arguments) {

        T create(@Nullable Object[] gathered) {
            @Nullable Object[] values = new @Nullable Object[arguments.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] =
                        switch (arguments.get(i)) {
                            case Argument.Value(int from, int to, Object missing) -> {
                                int at = from;
                                while (at < to && gathered[at] == null) {
                                    at++;
                                }
                                yield at < to ? gathered[at] : missing;
                            }
                            case Argument.Group(Assembly<?> assembly) -> assembly.create(gathered);
                        };
            }
            return Components.create(constructor, values);
        }
    }

    private final Map<String, Member> members = new HashMap<>();
    private final Assembly<R> assembly;

    RecordReader(Class<R> type) {
        this.assembly = assembly(type);
    }

    private <T extends Record> Assembly<T> assembly(Class<T> type) {
        List<Argument> arguments = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Wire wire = component.getAnnotation(Wire.class);
            if (wire == null) {
                throw new IllegalStateException("not declared where it stands: " + component);
            }
            if (component.getType().isRecord()) {
                Class<? extends Record> part = component.getType().asSubclass(Record.class);
                arguments.add(new Argument.Group(assembly(part)));
                continue;
            }
            int from = members.size();
            Function<HostReader, @Nullable Object> read = reader(component, wire);
            for (String name : wire.value()) {
                if (members.put(name, new Member(members.size(), read)) != null) {
                    throw new IllegalStateException("declared twice: " + name + " in " + type);
                }
            }
            arguments.add(
                    new Argument.Value(
                            from, members.size(), Components.missing(component.getType())));
        }
        return new Assembly<>(Components.constructor(type), arguments);
    }

    private static Function<HostReader, @Nullable Object> reader(
            RecordComponent component, Wire wire) {
        return switch (wire.form()) {
            case PLAIN -> plain(component, wire.unit().isEmpty());
            case COUNTER ->
                    reader -> {
                        Long count = reader.whole();
                        return count == null || count < 0 ? null : count;
                    };
            case JSON -> HostReader::json;
            case ON_OFF -> reader -> isOneOf(reader.text(), "on", "true");
            case UP -> reader -> isOneOf(reader.text(), "up", "up");
        };
    }

    /** A quantity with a unit is not negative, as for a host's own fields. */
    private static Function<HostReader, @Nullable Object> plain(
            RecordComponent component, boolean signed) {
        return switch (component.getGenericType().getTypeName()) {
            case "java.lang.String" -> HostReader::textOrNone;
            case "java.lang.Integer", "int" ->
                    signed ? HostReader::integer : HostReader::countInteger;
            case "java.lang.Long" -> signed ? HostReader::whole : HostReader::count;
            case "java.lang.Double" -> signed ? HostReader::number : HostReader::quantity;
            case "java.lang.Boolean" -> HostReader::truth;
            case "java.util.List<java.lang.String>" -> HostReader::texts;
            case "java.util.Map<java.lang.String, java.lang.String>" ->
                    reader -> reader.map(reader::textOrJson);
            default -> throw new IllegalStateException("no reader for " + component);
        };
    }

    private static @Nullable Boolean isOneOf(@Nullable String text, String one, String other) {
        return text == null ? null : (Boolean) (text.equals(one) || text.equals(other));
    }

    /** The record; null, counted, for a value that is no object. */
    @Nullable R read(HostReader reader) {
        if (!reader.isObject()) {
            reader.skipMisfit();
            return null;
        }
        @Nullable Object[] gathered = new @Nullable Object[members.size()];
        reader.members(name -> {
            Member member = members.get(name);
            if (member == null) {
                reader.skip();
            } else {
                gathered[member.at()] = member.read().apply(reader);
            }
        });
        return assembly.create(gathered);
    }
}
