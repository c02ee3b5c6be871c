package org.stillwater.server.api.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.swagger.v3.oas.models.media.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every body has an example that its schema accepts, with no other members: the engine refuses
 * unknown ones, and pages to try the interface on send the examples as they are.
 */
class ApiExamplesTest {

    private final Map<String, Schema<?>> schemas =
            new ApiSchemas(ApiDescription.lines("schemas.txt")).all();
    private final ApiTexts texts =
            new ApiTexts(List.of(), List.of(), ApiDescription.lines("examples.txt"));
    private final List<String> wrong = new ArrayList<>();

    private static Set<String> bodies() {
        Set<String> bodies = new TreeSet<>();
        for (String line : ApiDescription.lines("operations.txt")) {
            for (String word : line.split(" ", -1)) {
                if (word.startsWith("body:")) {
                    bodies.add(word.substring("body:".length()));
                }
            }
        }
        return bodies;
    }

    @Test
    void everyBodyHasAnExampleThatItsSchemaAccepts() {
        for (String body : bodies()) {
            Object example = texts.example(body);
            if (example == null) {
                wrong.add(body + " has no example");
            } else {
                check(body, example, Objects.requireNonNull(schemas.get(body), body));
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyExampleIsThatOfABody() {
        assertThat(bodies())
                .containsAll(
                        ApiDescription.lines("examples.txt").stream()
                                .map(line -> line.substring(0, line.indexOf(' ')))
                                .toList());
    }

    @Test
    void otherMembersTypesAndMissingMembersAreFound() {
        check(
                "body",
                Map.of("name", 7, "comment", "rack 7"),
                Objects.requireNonNull(schemas.get("NewDataCentre")));
        check(
                "other",
                Map.of("name", "north", "description", List.of()),
                Objects.requireNonNull(schemas.get("NewDataCentre")));
        check("none", Map.of(), Objects.requireNonNull(schemas.get("NewToken")));
        assertThat(wrong)
                .contains(
                        "body.comment is no member",
                        "body.name is no string: 7",
                        "none lacks label")
                .anyMatch(text -> text.startsWith("other.description"));
    }

    private void check(String where, Object value, Schema<?> given) {
        Schema<?> schema = resolved(given);
        if (schema == null) {
            return; // any value
        }
        if (value instanceof Map<?, ?> members && accepts(schema, "object")) {
            members(where, members, schema);
        } else if (value instanceof List<?> entries && accepts(schema, "array")) {
            for (Object entry : entries) {
                check(where + "[]", entry, schema.getItems());
            }
        } else if (!accepts(schema, type(value))) {
            wrong.add(
                    "%s is no %s: %s".formatted(where, String.join(" or ", types(schema)), value));
        } else if (schema.getEnum() != null && !schema.getEnum().contains(value)) {
            wrong.add("%s is none of %s: %s".formatted(where, schema.getEnum(), value));
        }
    }

    private void members(String where, Map<?, ?> members, Schema<?> schema) {
        members.forEach((name, value) -> {
            String member = where + "." + name;
            Schema<?> property =
                    schema.getProperties() == null
                            ? null
                            : schema.getProperties().get(String.valueOf(name));
            if (property != null) {
                check(member, value, property);
            } else if (schema.getAdditionalProperties() instanceof Schema<?> any) {
                check(member, value, any);
            } else {
                wrong.add(member + " is no member");
            }
        });
        if (schema.getRequired() != null) {
            for (String name : schema.getRequired()) {
                if (!members.containsKey(name)) {
                    wrong.add(where + " lacks " + name);
                }
            }
        }
    }

    /** The schema itself; null if it accepts everything. */
    private @Nullable Schema<?> resolved(@Nullable Schema<?> schema) {
        if (schema != null && schema.get$ref() != null) {
            String reference = schema.get$ref();
            return schemas.get(reference.substring(reference.lastIndexOf('/') + 1));
        }
        if (schema != null && schema.getAnyOf() != null) {
            return resolved(schema.getAnyOf().getFirst());
        }
        return schema == null || types(schema).isEmpty() ? null : schema;
    }

    private static Set<String> types(Schema<?> schema) {
        return schema.getTypes() == null ? Set.of() : schema.getTypes();
    }

    private static boolean accepts(Schema<?> schema, String type) {
        Set<String> types = types(schema);
        return types.contains(type) || (type.equals("integer") && types.contains("number"));
    }

    private static String type(Object value) {
        return switch (value) {
            case String _ -> "string";
            case Boolean _ -> "boolean";
            case Integer _, Long _ -> "integer";
            case Number _ -> "number";
            case List<?> _ -> "array";
            default -> "object";
        };
    }
}
