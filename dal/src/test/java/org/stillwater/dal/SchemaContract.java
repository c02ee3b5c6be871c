package org.stillwater.dal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contract of a schema with programs of one version: its tables and views with the names and
 * types of their columns, and the columns that an inserted row must name.
 */
final class SchemaContract {

    private static final String COLUMNS =
            """
            SELECT CASE WHEN c.relkind = 'v' THEN 'view' ELSE 'table' END, c.relname, a.attname,
                   format_type(a.atttypid, a.atttypmod), a.attnotnull,
                   a.atthasdef OR a.attidentity <> '',
                   EXISTS (SELECT FROM pg_roles AS r
                            WHERE r.rolname = 'stillwater_reader'
                              AND has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT'))
              FROM pg_class AS c
              JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
               AND c.relname NOT LIKE 'schema_history%'
             ORDER BY c.relname, a.attnum
            """;

    private static final String SEPARATOR = "|";
    private static final String REQUIRED = "required";
    private static final String NOT_NULL = "not null";
    private static final String READER = "reader";

    private final Map<String, Map<String, Column>> relations;

    /**
     * One column.
     *
     * @param kind table or view
     * @param notNull whether it refuses null
     * @param filled whether a row gets a value without naming it
     * @param readable whether the role of readers may read it
     */
    record Column(
            String kind,
            String relation,
            String name,
            String type,
            boolean notNull,
            boolean filled,
            boolean readable) {

        /** Whether an inserted row must name it. */
        boolean isRequired() {
            return kind.equals("table") && notNull && !filled;
        }

        String label() {
            return relation + "." + name;
        }

        private String line() {
            return String.join(
                    SEPARATOR,
                    kind,
                    relation,
                    name,
                    type,
                    isRequired() ? REQUIRED : notNull ? NOT_NULL : "",
                    readable ? READER : "");
        }

        private static Column of(String line) {
            String[] parts = line.split("\\|", -1);
            return new Column(
                    parts[0],
                    parts[1],
                    parts[2],
                    parts[3],
                    !parts[4].isEmpty(),
                    !parts[4].equals(REQUIRED),
                    parts[5].equals(READER));
        }
    }

    private SchemaContract(List<Column> columns) {
        this.relations = new TreeMap<>();
        columns.forEach(each ->
                relations
                        .computeIfAbsent(each.relation(), _ -> new LinkedHashMap<>())
                        .put(each.name(), each));
    }

    static SchemaContract of(List<Column> columns) {
        return new SchemaContract(columns);
    }

    /** That of a database. */
    static SchemaContract of(TestDatabase database) throws SQLException {
        List<Column> columns = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(COLUMNS)) {
            while (row.next()) {
                columns.add(
                        new Column(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getBoolean(5),
                                row.getBoolean(6),
                                row.getBoolean(7)));
            }
        }
        return new SchemaContract(columns);
    }

    /** As {@link #lines} wrote it. */
    static SchemaContract parse(List<String> lines) {
        return new SchemaContract(
                lines.stream()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .map(Column::of)
                        .toList());
    }

    /** One line for each column. */
    List<String> lines() {
        return relations.values().stream()
                .flatMap(each -> each.values().stream())
                .map(Column::line)
                .toList();
    }

    /** A query for each table and view that names all its columns, as programs do. */
    List<String> queries() {
        return relations.entrySet().stream()
                .map(each ->
                        "SELECT \"%s\" FROM \"%s\" LIMIT 0"
                                .formatted(
                                        String.join("\", \"", each.getValue().keySet()),
                                        each.getKey()))
                .toList();
    }

    /** Sentences about everything that programs of this version miss in a later schema. */
    List<String> missesIn(SchemaContract later) {
        List<String> missed = new ArrayList<>();
        boolean hasReaders = later.hasReaders();
        relations.forEach((relation, columns) -> {
            Map<String, Column> present = later.relations.get(relation);
            if (present == null) {
                missed.add(relation + " is gone");
                return;
            }
            columns.values()
                    .forEach(each -> compare(each, present.get(each.name()), hasReaders, missed));
            present.values().stream()
                    .filter(each -> each.isRequired() && !columns.containsKey(each.name()))
                    .forEach(each -> missed.add(each.label() + " is new, and rows must name it"));
        });
        return missed;
    }

    private static void compare(
            Column before, @Nullable Column now, boolean hasReaders, List<String> missed) {
        if (now == null) {
            missed.add(before.label() + " is gone");
            return;
        }
        if (!before.kind().equals(now.kind())) {
            missed.add(before.label() + " is of a " + now.kind() + ", was of a " + before.kind());
        }
        if (!before.type().equals(now.type())) {
            missed.add(before.label() + " has type " + now.type() + ", had " + before.type());
        }
        if (now.kind().equals("table") && now.notNull() && !before.notNull()) {
            missed.add(before.label() + " refuses null now");
        } else if (now.isRequired() && !before.isRequired()) {
            missed.add(before.label() + " has no default any more");
        }
        if (hasReaders && before.readable() && !now.readable()) {
            missed.add(before.label() + " may not be read by stillwater_reader any more");
        }
    }

    private boolean hasReaders() {
        return relations.values().stream()
                .flatMap(each -> each.values().stream())
                .anyMatch(Column::readable);
    }
}
