package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Schemas of types in short: {@code text}, {@code [uuid]}, {@code int(1..100)?}, as the lines
 * beside this class write them. Stateless.
 */
final class SchemaTypes {

    private static final String REFERENCE = "#/components/schemas/";
    private static final String UUID = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";

    private SchemaTypes() {}

    /** The schema of a type. */
    static Schema<?> of(String type) {
        if (type.endsWith("?")) {
            return nullable(of(type.substring(0, type.length() - 1)));
        }
        if (type.endsWith(")")) {
            int begin = type.lastIndexOf('(');
            return bounded(
                    of(type.substring(0, begin)), type.substring(begin + 1, type.length() - 1));
        }
        if (type.startsWith("[")) {
            Schema<Object> list = typed("array");
            list.setItems(of(type.substring(1, type.length() - 1)));
            return list;
        }
        if (type.startsWith("commas:")) {
            String words = type.substring("commas:".length());
            return commas(words.equals("uuid") ? UUID : "(" + words + ")");
        }
        if (type.indexOf('|') > 0) {
            Schema<Object> word = typed("string");
            word.setEnum(new ArrayList<>(List.of(type.split("\\|", -1))));
            return word;
        }
        return switch (type) {
            case "text" -> typed("string");
            case "uuid" -> typed("string").format("uuid");
            case "time" -> typed("string").format("date-time");
            case "int" -> typed("integer").format("int64");
            case "number" -> typed("number");
            case "flag" -> typed("boolean");
            case "any" -> new JsonSchema();
            case "map" -> typed("object").additionalProperties(typed("integer"));
            case "texts" -> typed("object").additionalProperties(typed("string"));
            default -> reference(type);
        };
    }

    private static Schema<?> commas(String each) {
        return typed("string").pattern("^%s(,%s)*$".formatted(each, each));
    }

    /**
     * A schema with bounds.
     *
     * @param bounds the least and the most with two dots between them; either may be missing. They
     *     are those of a number, of the length of a text, or of the size of a list
     */
    private static Schema<?> bounded(Schema<?> schema, String bounds) {
        String[] both = bounds.split("\\.\\.", -1);
        Set<String> types = schema.getTypes();
        for (int i = 0; i < both.length; i++) {
            boolean least = i == 0;
            if (both[i].isEmpty()) {
                continue;
            }
            BigDecimal bound = new BigDecimal(both[i]);
            if (types.contains("string") && least) {
                schema.setMinLength(bound.intValueExact());
            } else if (types.contains("string")) {
                schema.setMaxLength(bound.intValueExact());
            } else if (types.contains("array") && least) {
                schema.setMinItems(bound.intValueExact());
            } else if (types.contains("array")) {
                schema.setMaxItems(bound.intValueExact());
            } else if (least) {
                schema.setMinimum(bound);
            } else {
                schema.setMaximum(bound);
            }
        }
        return schema;
    }

    static Schema<?> reference(String name) {
        return new JsonSchema().$ref(REFERENCE + name);
    }

    static Schema<Object> typed(String type) {
        Schema<Object> schema = new JsonSchema();
        schema.addType(type);
        return schema;
    }

    /** The same, or null. */
    static Schema<?> nullable(Schema<?> schema) {
        if (schema.get$ref() != null || schema.getEnum() != null) {
            Schema<Object> either = new JsonSchema();
            either.setAnyOf(List.of(schema, typed("null")));
            return either;
        }
        Set<String> types = schema.getTypes();
        if (types != null) {
            Set<String> both = new LinkedHashSet<>(types);
            both.add("null");
            schema.setTypes(both);
        }
        return schema;
    }
}
