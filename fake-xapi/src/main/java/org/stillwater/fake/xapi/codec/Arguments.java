package org.stillwater.fake.xapi.codec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.model.XType;
import org.stillwater.fake.xapi.model.XType.DateTime;

/** Reads an argument as a type of the datamodel, with the leniency of the real server. */
public final class Arguments {

    private Arguments() {}

    /**
     * The argument as a value of the type.
     *
     * @throws Malformed with the text that the real server puts into {@code INTERNAL_ERROR}
     */
    public static Object read(XType type, @Nullable Object given) throws Malformed {
        return switch (type) {
            case XType.Scalar scalar ->
                    switch (scalar) {
                        case STRING, VOID -> text(given);
                        case INT ->
                                switch (given) {
                                    case Long number -> number;
                                    case String text -> XmlReader.integer(text);
                                    case null, default -> throw unexpected("int64", given);
                                };
                        case FLOAT ->
                                switch (given) {
                                    case Long number -> number.doubleValue();
                                    case Integer number -> number.doubleValue();
                                    case Double number -> number;
                                    case String text -> XmlReader.number(text);
                                    case null, default -> throw unexpected("float", given);
                                };
                        case BOOL -> {
                            if (given instanceof Boolean flag) {
                                yield flag;
                            }
                            throw unexpected("bool", given);
                        }
                        case DATETIME ->
                                switch (given) {
                                    case DateTime date -> date;
                                    case String text -> new DateTime(text);
                                    case null, default -> throw unexpected("DateTime", given);
                                };
                    };
            case XType.EnumOf _, XType.RefTo _ -> text(given);
            case XType.SetOf set -> {
                if (!(given instanceof List<?> list)) {
                    throw unexpected("list", given);
                }
                List<Object> read = new ArrayList<>();
                for (Object each : list) {
                    read.add(read(set.element(), each));
                }
                yield read;
            }
            case XType.MapOf map -> {
                if (!(given instanceof Map<?, ?> members)) {
                    throw unexpected("dict", given);
                }
                Map<String, Object> read = new LinkedHashMap<>();
                for (Map.Entry<?, ?> each : members.entrySet()) {
                    read.put((String) each.getKey(), read(map.value(), each.getValue()));
                }
                yield read;
            }
            case XType.RecordOf _ -> {
                if (!(given instanceof Map<?, ?>)) {
                    throw unexpected("dict", given);
                }
                yield given;
            }
            case XType.OptionOf option -> read(option.value(), given);
        };
    }

    private static String text(@Nullable Object given) throws Malformed {
        if (given instanceof String text) {
            return text;
        }
        throw unexpected("string", given);
    }

    private static Malformed unexpected(String wanted, @Nullable Object given) {
        return new Malformed("Expected " + wanted + ", got '" + given + "'");
    }
}
