package org.stillwater.fake.xapi.codec;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** Reads calls as the real server's JSON reader does: lenient where it is, strict where it is. */
public final class JsonReader {

    private static final BigInteger LOWEST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger HIGHEST = BigInteger.valueOf(Long.MAX_VALUE);

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                    .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
                    .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                    .build();

    private JsonReader() {}

    /** Reads a call of either version. */
    public static Request request(String body) throws Malformed {
        if (!(document(body) instanceof Map<?, ?> members)) {
            throw new Malformed("Invalid request body");
        }
        int version = 1;
        if (members.containsKey("jsonrpc")) {
            if (!"2.0".equals(members.get("jsonrpc"))) {
                throw new Malformed("Invalid field 'jsonrpc' in request body");
            }
            version = 2;
        }
        if (!members.containsKey("method")) {
            throw new Malformed("Required field method is missing");
        }
        if (!(members.get("method") instanceof String method)) {
            throw new Malformed("Invalid field 'method' in request body");
        }
        Object id = members.get("id");
        if (!(id instanceof Long || id instanceof String)) {
            throw new Malformed("Invalid field 'id' in request body");
        }
        return new Request(method, arguments(members, version), id, version);
    }

    private static List<@Nullable Object> arguments(Map<?, ?> members, int version)
            throws Malformed {
        Object params = members.get("params");
        if (params instanceof List<?> list) {
            return Collections.unmodifiableList(new ArrayList<>(list));
        }
        if (version == 1 && !members.containsKey("params")) {
            throw new Malformed("Required field params is missing");
        }
        if (version == 2 && params == null) {
            return List.of();
        }
        if (version == 2 && params instanceof Map<?, ?>) {
            return List.of(params);
        }
        throw new Malformed("Invalid field 'params' in request body");
    }

    static @Nullable Object document(String body) throws Malformed {
        if (body.startsWith("\uFEFF")) {
            throw new Malformed("Invalid token");
        }
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), body)) {
            if (parser.nextToken() == null) {
                throw new Malformed("Blank input data");
            }
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new Malformed("Junk after end of JSON value");
            }
            return value;
        } catch (JacksonException e) {
            throw new Malformed(String.valueOf(e.getOriginalMessage()));
        }
    }

    private static @Nullable Object value(JsonParser parser) throws Malformed {
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = text(parser.currentName());
                    parser.nextToken();
                    Object value = value(parser);
                    if (!map.containsKey(name)) {
                        map.put(name, value);
                    }
                }
                yield map;
            }
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_STRING -> text(parser.getString());
            case VALUE_NUMBER_INT -> {
                BigInteger number = parser.getBigIntegerValue();
                if (number.compareTo(LOWEST) < 0 || number.compareTo(HIGHEST) > 0) {
                    throw new Malformed("Int64.of_string");
                }
                yield number.longValue();
            }
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new Malformed("Unexpected " + token);
        };
    }

    private static String text(@Nullable String text) throws Malformed {
        String present = text == null ? "" : text;
        for (int i = 0; i < present.length(); i++) {
            char c = present.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c)
                        || i + 1 == present.length()
                        || !Character.isLowSurrogate(present.charAt(i + 1))) {
                    throw new Malformed("Missing escape sequence representing low surrogate");
                }
                i++;
            }
        }
        return present;
    }
}
