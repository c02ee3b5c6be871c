package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
        all.put("Nothing", SchemaTypes.typed("object").additionalProperties(false));
        all.put("BatchFilter", conditions(VmFilter.class));
        all.put(
                "Aged",
                described(
                        object("Aged value:any ageSeconds:number? state:text".split(" ", -1)),
                        "A value with its age; state is current, stale or unknown."));
        Schema<?> vm = row(VmTable.COLUMNS.columns(), false, true);
        vm.addProperty("claims", SchemaTypes.of("[VmClaim]"));
        vm.addRequiredItem("claims");
        vm.addProperty("tags", SchemaTypes.of("[text]"));
        vm.addRequiredItem("tags");
        vm.addProperty("hypervisor", SchemaTypes.of("text"));
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
        Schema<Object> schema = SchemaTypes.typed("object");
        schema.setMinProperties(1);
        for (RecordComponent each : filter.getRecordComponents()) {
            Parameter parameter = each.getAccessor().getAnnotation(Parameter.class);
            schema.addProperty(
                    each.getName(),
                    parameter == null || parameter.description().isEmpty()
                            ? SchemaTypes.of("text")
                            : described(SchemaTypes.of("text"), parameter.description()));
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
            all.add(SchemaTypes.reference(name));
        }
        either.setAnyOf(new ArrayList<>(all));
        return either;
    }

    Map<String, Schema<?>> all() {
        return all;
    }

    private static Schema<?> described(Schema<?> schema, String text) {
        schema.setDescription(text);
        return schema;
    }

    private static Schema<?> object(String[] words) {
        Schema<Object> schema = SchemaTypes.typed("object");
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
            schema.addProperty(name, SchemaTypes.of(type));
        }
        schema.setRequired(required);
        return schema;
    }

    private static Schema<?> value(Column<?> column) {
        if (column.group().isEmpty() && NEVER_UNKNOWN.contains(column.name())) {
            return column.type() == Column.Type.UUID
                    ? SchemaTypes.typed("string").format("uuid")
                    : SchemaTypes.typed("string");
        }
        return switch (column.type()) {
            case TEXT -> SchemaTypes.nullable(SchemaTypes.typed("string"));
            case UUID -> SchemaTypes.nullable(SchemaTypes.typed("string").format("uuid"));
            case TIME -> SchemaTypes.nullable(SchemaTypes.typed("string").format("date-time"));
            case WHOLE -> SchemaTypes.nullable(SchemaTypes.typed("integer").format("int64"));
            case FRACTION -> SchemaTypes.nullable(SchemaTypes.typed("number"));
            case FLAG -> SchemaTypes.nullable(SchemaTypes.typed("boolean"));
            case TEXTS -> SchemaTypes.typed("array").items(SchemaTypes.typed("string"));
            case LIST -> SchemaTypes.typed("array").items(new JsonSchema());
        };
    }

    /** A row with its groups. */
    private static <R> Schema<?> row(List<Column<R>> columns, boolean aged, boolean whole) {
        Schema<Object> schema = SchemaTypes.typed("object");
        List<String> required = new ArrayList<>();
        Map<String, Schema<Object>> groups = new LinkedHashMap<>();
        for (Column<R> column : columns) {
            Schema<?> value = aged ? SchemaTypes.reference(AGED) : value(column);
            if (column.group().isEmpty()) {
                if (!whole || column.standard()) {
                    schema.addProperty(column.name(), value);
                    required.add(column.name());
                }
            } else if (!whole) {
                groups.computeIfAbsent(column.group(), _ -> SchemaTypes.typed("object"))
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
        Schema<Object> schema = SchemaTypes.typed("object");
        for (Column<R> column : columns) {
            if (column.isStatistic() || column.group().isEmpty()) {
                schema.addProperty(
                        column.name(), aged ? SchemaTypes.reference(AGED) : value(column));
            }
        }
        return schema;
    }

    private static Schema<?> statistics() {
        Schema<Object> schema = SchemaTypes.typed("object");
        schema.addProperty("vmId", SchemaTypes.typed("string").format("uuid"));
        for (Column<VmRow> column : VmTable.COLUMNS.columns()) {
            if (column.isLeftOut() && (column.standard() || column.type() == Column.Type.LIST)) {
                schema.addProperty(column.name(), value(column));
            }
        }
        schema.setRequired(new ArrayList<>(schema.getProperties().keySet()));
        return schema;
    }
}
