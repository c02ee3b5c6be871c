package org.stillwater.dal.backup;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.stillwater.dal.backup.BackupManifest.Table;

/** The tables of a schema, from PostgreSQL's own catalogue. Stateless. */
final class Catalogue {

    /** Flyway's table: a restore makes its own. */
    static final String VERSIONS = "schema_history";

    /** Tables of samples and their roll-ups, and the parents of their partitions. */
    private static final Set<String> HISTORY =
            Set.of(
                    "history_interval",
                    "vm_samples",
                    "host_samples",
                    "vm_hourly",
                    "host_hourly",
                    "vm_daily",
                    "host_daily");

    private Catalogue() {}

    static boolean isHistory(Table table) {
        return HISTORY.contains(table.name())
                || (table.parent() != null && HISTORY.contains(table.parent()));
    }

    /** Every table of the current schema that holds rows, each after those that it refers to. */
    static List<Table> tables(Connection connection) throws SQLException {
        Map<String, Table> tables = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT c.relname,
                                       (SELECT array_agg(a.attname::text ORDER BY a.attnum)
                                          FROM pg_attribute AS a
                                         WHERE a.attrelid = c.oid AND a.attnum > 0
                                           AND NOT a.attisdropped AND a.attgenerated = ''),
                                       p.relname,
                                       pg_get_expr(c.relpartbound, c.oid),
                                       coalesce(array_to_string(c.reloptions, ', '), '')
                                  FROM pg_class AS c
                                  LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
                                  LEFT JOIN pg_class AS p ON p.oid = i.inhparent
                                 WHERE c.relnamespace = current_schema()::regnamespace
                                   AND c.relkind = 'r' AND c.relname NOT IN ('schema_history', 'dwh_reader_mark')
                                """)) {
            while (row.next()) {
                Table table =
                        new Table(
                                row.getString(1),
                                Arrays.asList((String[]) row.getArray(2).getArray()),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5));
                tables.put(table.name(), table);
            }
        }
        return ordered(tables, references(connection));
    }

    private static Map<String, Set<String>> references(Connection connection) throws SQLException {
        Map<String, Set<String>> references = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT f.conrelid::regclass::text, f.confrelid::regclass::text
                                  FROM pg_constraint AS f
                                 WHERE f.contype = 'f' AND f.conrelid <> f.confrelid
                                   AND f.connamespace = current_schema()::regnamespace
                                """)) {
            while (row.next()) {
                references
                        .computeIfAbsent(row.getString(1), _ -> new TreeSet<>())
                        .add(row.getString(2));
            }
        }
        return references;
    }

    private static List<Table> ordered(
            Map<String, Table> tables, Map<String, Set<String>> references) throws SQLException {
        Map<String, Table> placed = new LinkedHashMap<>();
        List<Table> left = new ArrayList<>(tables.values());
        while (!left.isEmpty()) {
            List<Table> next =
                    left.stream()
                            .filter(each ->
                                    references.getOrDefault(each.name(), Set.of()).stream()
                                            .allMatch(it ->
                                                    placed.containsKey(it)
                                                            || !tables.containsKey(it)))
                            .toList();
            if (next.isEmpty()) {
                throw new SQLException("tables refer to each other in a circle: " + left);
            }
            next.forEach(each -> placed.put(each.name(), each));
            left.removeAll(next);
        }
        return List.copyOf(placed.values());
    }
}
