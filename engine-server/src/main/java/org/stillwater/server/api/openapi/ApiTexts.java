package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.models.media.Schema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.StatisticsField;
import org.stillwater.server.api.web.FieldNames;
import tools.jackson.databind.json.JsonMapper;

/**
 * Descriptions of operations and members, for readers of the document or a generated client: from
 * lines of text, and for values of hosts from the tables of fields. Immutable.
 */
final class ApiTexts {

    /** Summary of an operation in one line, and further information for callers. */
    record Summary(String line, String more) {}

    private final Map<String, Summary> summaries = new HashMap<>();
    private final Map<String, String> members = new HashMap<>();
    private final Map<String, String> fields = new HashMap<>();
    private final Map<String, Object> examples = new HashMap<>();

    /**
     * @param summaries lines of {@code summaries.txt}
     * @param members lines of {@code members.txt}
     * @param examples lines of {@code examples.txt}
     */
    ApiTexts(List<String> summaries, List<String> members, List<String> examples) {
        JsonMapper json = JsonMapper.shared();
        for (String line : examples) {
            int end = line.indexOf(' ');
            this.examples.put(
                    line.substring(0, end), json.readValue(line.substring(end + 1), Object.class));
        }
        for (String line : summaries) {
            int end = line.indexOf(": ");
            String[] text = line.substring(end + 2).split(" \\| ", 2);
            this.summaries.put(
                    line.substring(0, end), new Summary(text[0], text.length == 2 ? text[1] : ""));
        }
        for (String line : members) {
            int end = line.indexOf(' ');
            this.members.put(line.substring(0, end), line.substring(end + 1));
        }
        for (RuntimeField field : RuntimeField.values()) {
            String wire = field.wire();
            fields.put(
                    FieldNames.of(field),
                    wire == null
                            ? "Derived from reports of its host" + unit(field.unit())
                            : "As its host reports it (%s)%s".formatted(wire, unit(field.unit())));
        }
        for (StatisticsField field : StatisticsField.values()) {
            fields.putIfAbsent(
                    field.member(),
                    field.rule().isEmpty()
                            ? "As its host reports it" + unit(field.unit())
                            : capital(field.rule()) + unit(field.unit()));
        }
    }

    private static String unit(String unit) {
        return unit.isEmpty() || unit.equals("time") ? "." : ", in " + unit + ".";
    }

    /**
     * @param operation method and path
     * @return null if no line is about it
     */
    @Nullable Summary summary(String operation) {
        return summaries.get(operation);
    }

    /** Description of a query parameter; null if no line is about it. */
    @Nullable String parameter(String name) {
        return members.get("?" + name);
    }

    /** An example of a body as a tree of maps and lists; null if there is none. */
    @Nullable Object example(String schema) {
        return examples.get(schema);
    }

    /** Gives every member of a schema its text. */
    void describe(String name, Schema<?> schema) {
        Map<?, ?> properties = schema.getProperties();
        if (properties == null) {
            return;
        }
        properties.forEach((member, value) -> {
            if (member instanceof String word
                    && value instanceof Schema<?> property
                    && property.getDescription() == null) {
                property.setDescription(text(name, word));
                describe(name, property);
            }
        });
    }

    private String text(String schema, String member) {
        String text = members.get(schema + "." + member);
        if (text == null && (schema.startsWith("Vm") || schema.startsWith("AgedVm"))) {
            text = fields.get(member);
        }
        if (text == null) {
            text = members.get(member);
        }
        return text == null ? words(member) : text;
    }

    /** {@code memoryFreeMebibytes} as words, for values that hosts report. */
    private static String words(String member) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < member.length(); i++) {
            char c = member.charAt(i);
            if (Character.isUpperCase(c)) {
                words.append(' ').append(Character.toLowerCase(c));
            } else {
                words.append(c);
            }
        }
        return capital(words + ", as its host reports it.");
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
