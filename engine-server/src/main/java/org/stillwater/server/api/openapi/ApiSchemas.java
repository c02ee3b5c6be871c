package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.server.api.host.HostTable;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.vm.VmFilter;
import org.stillwater.server.api.vm.VmRow;
import org.stillwater.server.api.vm.VmTable;
import org.stillwater.server.api.web.QueryRecord;

/**
 * Schemas of answers and bodies: from lines of text, and from the tables of columns that answers
 * are written by.
 */
final class ApiSchemas {

    private static final String REFERENCE = "#/components/schemas/";

    /** Prefix of schemas with aged values. */
    private static final String AGED = "Aged";

    /** Texts and ids that every VM and host has, so that they are never null. */
    private static final Set<String> NEVER_UNKNOWN = Set.of("id", "name", "clusterId", "status");

    private final Map<String, Schema<?>> all = new LinkedHashMap<>();

    /** One component a line. */
    ApiSchemas(List<String> lines) {
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            all.put(words[0], object(words));
        }
        all.put("Nothing", typed("object").additionalProperties(false));
        all.put("BatchFilter", conditions(VmFilter.class));
        all.put(
                "Aged",
                described(
                        object("Aged value:any ageSeconds:number? state:text".split(" ", -1)),
                        "A value with its age; state is current, stale or unknown."));
        Schema<?> vm = row(VmTable.COLUMNS.columns(), false, true);
        vm.addProperty("claims", of("[VmClaim]"));
        vm.addRequiredItem("claims");
        vm.addProperty("tags", of("[text]"));
        vm.addRequiredItem("tags");
        vm.addProperty("hypervisor", of("text"));
        vm.addRequiredItem("hypervisor");
        all.put("Vm", vm);
        all.put("VmStatistics", statistics());
        for (boolean aged : new boolean[] {false, true}) {
            rows(aged, "Vm", VmTable.COLUMNS.columns());
            rows(aged, "Host", HostTable.COLUMNS.columns());
        }
        for (String entity : List.of("Vm", "Host")) {
            all.put(
                    entity + "ListOrChanges",
                    either(
                            AGED + entity + "Changes",
                            AGED + entity + "List",
                            entity + "Changes",
                            entity + "List"));
            all.put(
                    entity + "StatisticsAnswer",
                    either(AGED + entity + "StatisticsRows", entity + "StatisticsRows"));
        }
    }

    /** The filters of a list in a body: each of them is a text, and one has to be there. */
    private static Schema<?> conditions(Class<? extends QueryRecord> filter) {
        Schema<Object> schema = typed("object");
        schema.setMinProperties(1);
        for (RecordComponent each : filter.getRecordComponents()) {
            Parameter parameter = each.getAccessor().getAnnotation(Parameter.class);
            schema.addProperty(
                    each.getName(),
                    parameter == null || parameter.description().isEmpty()
                            ? of("text")
                            : described(of("text"), parameter.description()));
        }
        return schema;
    }

    /** Rows and the answers that hold them; those of {@code age=true} have schemas of their own. */
    private <R> void rows(boolean aged, String entity, List<Column<R>> columns) {
        String name = (aged ? AGED : "") + entity;
        all.put(name + "Row", row(columns, aged, false));
        all.put(name + "StatisticsRow", flat(columns, aged));
        String mark = aged ? "aged:flag " : "";
        all.put(
                name + "List",
                object(
                        "L %sitems:[%sRow] total:int? next:text? revision:int"
                                .formatted(mark, name)
                                .split(" ", -1)));
        all.put(
                name + "Changes",
                object(
                        "L %sitems:[%sRow] removed:[uuid] revision:int"
                                .formatted(mark, name)
                                .split(" ", -1)));
        all.put(
                name + "StatisticsRows",
                object(
                        "L %srevision:int items:[%sStatisticsRow]"
                                .formatted(mark, name)
                                .split(" ", -1)));
    }

    /**
     * One of these. Clients that openapi-generator makes in TypeScript give each member the type
     * that it has in the last: a list with plain values. Those in Python take the first that fits,
     * and let members be null that are missing: answers with ages, which have the member {@code
     * aged}, and changes, which have {@code removed}, come before those without.
     */
    private static Schema<?> either(String... names) {
        Schema<Object> either = new JsonSchema();
        List<Schema<?>> all = new ArrayList<>();
        for (String name : names) {
            all.add(reference(name));
        }
        either.setAnyOf(new ArrayList<>(all));
        return either;
    }

    Map<String, Schema<?>> all() {
        return all;
    }

    static Schema<?> reference(String name) {
        return new JsonSchema().$ref(REFERENCE + name);
    }

    private static Schema<?> described(Schema<?> schema, String text) {
        schema.setDescription(text);
        return schema;
    }

    private static Schema<?> object(String[] words) {
        Schema<Object> schema = typed("object");
        List<String> required = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            int colon = words[i].indexOf(':');
            String name = words[i].substring(0, colon);
            String type = words[i].substring(colon + 1);
            if (type.endsWith("~")) {
                type = type.substring(0, type.length() - 1);
            } else {
                required.add(name);
            }
            schema.addProperty(name, of(type));
        }
        schema.setRequired(required);
        return schema;
    }

    private static Schema<?> of(String type) {
        if (type.endsWith("?")) {
            return nullable(of(type.substring(0, type.length() - 1)));
        }
        if (type.startsWith("[")) {
            Schema<Object> list = typed("array");
            list.setItems(of(type.substring(1, type.length() - 1)));
            return list;
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

    private static Schema<Object> typed(String type) {
        Schema<Object> schema = new JsonSchema();
        schema.addType(type);
        return schema;
    }

    private static Schema<?> nullable(Schema<?> schema) {
        if (schema.get$ref() != null) {
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

    private static Schema<?> value(Column<?> column) {
        if (column.group().isEmpty() && NEVER_UNKNOWN.contains(column.name())) {
            return column.type() == Column.Type.UUID
                    ? typed("string").format("uuid")
                    : typed("string");
        }
        return switch (column.type()) {
            case TEXT -> nullable(typed("string"));
            case UUID -> nullable(typed("string").format("uuid"));
            case TIME -> nullable(typed("string").format("date-time"));
            case WHOLE -> nullable(typed("integer").format("int64"));
            case FRACTION -> nullable(typed("number"));
            case FLAG -> nullable(typed("boolean"));
            case TEXTS -> typed("array").items(typed("string"));
            case LIST -> typed("array").items(new JsonSchema());
        };
    }

    /** A row with its groups. */
    private static <R> Schema<?> row(List<Column<R>> columns, boolean aged, boolean whole) {
        Schema<Object> schema = typed("object");
        List<String> required = new ArrayList<>();
        Map<String, Schema<Object>> groups = new LinkedHashMap<>();
        for (Column<R> column : columns) {
            Schema<?> value = aged ? reference(AGED) : value(column);
            if (column.group().isEmpty()) {
                if (!whole || column.standard()) {
                    schema.addProperty(column.name(), value);
                    required.add(column.name());
                }
            } else if (!whole) {
                groups.computeIfAbsent(column.group(), _ -> typed("object"))
                        .addProperty(column.name(), value);
            }
        }
        groups.forEach(schema::addProperty);
        if (whole) {
            schema.setRequired(required);
        }
        return schema;
    }

    private static <R> Schema<?> flat(List<Column<R>> columns, boolean aged) {
        Schema<Object> schema = typed("object");
        for (Column<R> column : columns) {
            if (column.isStatistic() || column.group().isEmpty()) {
                schema.addProperty(column.name(), aged ? reference(AGED) : value(column));
            }
        }
        return schema;
    }

    private static Schema<?> statistics() {
        Schema<Object> schema = typed("object");
        schema.addProperty("vmId", typed("string").format("uuid"));
        for (Column<VmRow> column : VmTable.COLUMNS.columns()) {
            if (column.isLeftOut() && (column.standard() || column.type() == Column.Type.LIST)) {
                schema.addProperty(column.name(), value(column));
            }
        }
        schema.setRequired(new ArrayList<>(schema.getProperties().keySet()));
        return schema;
    }
}
