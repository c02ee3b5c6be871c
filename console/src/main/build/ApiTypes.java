import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the schemas of the OpenAPI document as TypeScript interfaces: a page that reads a member
 * which the interface lacks does not pass the type check.
 */
final class ApiTypes {

    private static final String REFERENCE = "#/components/schemas/";

    private ApiTypes() {}

    /** Reads the document and writes the types, both UTF-8. */
    static void write(Path document, Path file) throws IOException {
        JsonNode schemas =
                new JsonMapper().readTree(Files.readString(document)).path("components").path("schemas");
        StringBuilder text =
                new StringBuilder("// Made of ").append(document.getFileName()).append(" by the build.\n");
        for (String name : schemas.propertyNames()) {
            JsonNode schema = schemas.path(name);
            text.append('\n');
            if (schema.has("properties")) {
                text.append("export interface ").append(name).append(' ').append(object(schema, "")).append('\n');
            } else {
                text.append("export type ").append(name).append(" = ").append(type(schema, "")).append(";\n");
            }
        }
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String object(JsonNode schema, String indent) {
        Set<String> required = new HashSet<>();
        schema.path("required").forEach(each -> required.add(each.asString()));
        StringBuilder text = new StringBuilder("{\n");
        JsonNode members = schema.path("properties");
        for (String name : members.propertyNames()) {
            JsonNode member = members.path(name);
            String inner = indent + "  ";
            String comment = member.path("description").asString("").replace("*/", "*\\/");
            if (!comment.isEmpty()) {
                text.append(inner).append("/** ").append(comment).append(" */\n");
            }
            text.append(inner)
                    .append(name.matches("\\w+") ? name : quoted(name))
                    .append(required.contains(name) ? ": " : "?: ")
                    .append(type(member, inner))
                    .append(";\n");
        }
        return text.append(indent).append('}').toString();
    }

    private static String type(JsonNode schema, String indent) {
        if (schema.has("$ref")) {
            return schema.path("$ref").asString().substring(REFERENCE.length());
        }
        JsonNode choice = schema.has("anyOf") ? schema.path("anyOf") : schema.path("oneOf");
        List<String> all = new ArrayList<>();
        if (!choice.isMissingNode()) {
            choice.forEach(each -> all.add(type(each, indent)));
        } else if (schema.has("enum")) {
            schema.path("enum").forEach(each -> all.add(each.isString() ? quoted(each.asString()) : each.toString()));
            if (schema.path("type").toString().contains("\"null\"") && !all.contains("null")) {
                all.add("null");
            }
        } else if (schema.path("type").isArray()) {
            schema.path("type").forEach(each -> all.add(simple(each.asString(), schema, indent)));
        } else {
            all.add(simple(schema.path("type").asString(""), schema, indent));
        }
        return String.join(" | ", all);
    }

    private static String simple(String type, JsonNode schema, String indent) {
        return switch (type) {
            case "string", "boolean", "null" -> type;
            case "integer", "number" -> "number";
            case "array" -> "(" + type(schema.path("items"), indent) + ")[]";
            case "object" -> {
                if (schema.has("properties")) {
                    yield object(schema, indent);
                }
                JsonNode others = schema.path("additionalProperties");
                yield others.isObject()
                        ? "Record<string, " + type(others, indent) + ">"
                        : others.isBoolean() && !others.booleanValue()
                                ? "Record<string, never>"
                                : "Record<string, unknown>";
            }
            default -> "unknown";
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
