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
import org.jspecify.annotations.Nullable;
import org.stillwater.dal.backup.BackupManifest.Table;

/** The tables of a schema, from PostgreSQL's own catalogue. Stateless. */
final class Catalogue {

    /** Flyway's table: a restore makes its own. */
    static final String VERSIONS = "schema_history";

    /** Every table that a version of Stillwater made, without partitions. */
    static final Set<String> OWN =
            Set.of(
                    "affinity_group",
                    "affinity_group_member",
                    "alert",
                    "alert_rule",
                    "alert_silence",
                    "api_token",
                    "audit_log",
                    "benchmark_run",
                    "cluster",
                    "cluster_configuration",
                    "cluster_network",
                    "data_centre",
                    "data_centre_configuration",
                    "database_holder",
                    "disk_image_dynamic",
                    "disk_lun_map",
                    "dwh_history_timekeeping",
                    "dwh_reader_mark",
                    "engine_user",
                    "finding",
                    "history_interval",
                    "host_belief",
                    "host_certificate",
                    "host_configuration",
                    "host_daily",
                    "host_dynamic",
                    "host_fence_agent",
                    "host_hourly",
                    "host_interface",
                    "host_interface_statistics",
                    "host_samples",
                    "host_static",
                    "host_statistics",
                    "host_work",
                    "luns",
                    "numa_node",
                    "operation",
                    "pending_work",
                    "regression_points",
                    VERSIONS,
                    "tag",
                    "tag_host",
                    "tag_vm",
                    "user_grant",
                    "vm_belief",
                    "vm_claim",
                    "vm_configuration",
                    "vm_daily",
                    "vm_device",
                    "vm_dynamic",
                    "vm_external_data",
                    "vm_guest_agent_interfaces",
                    "vm_hourly",
                    "vm_interface",
                    "vm_interface_configuration",
                    "vm_interface_statistics",
                    "vm_jobs",
                    "vm_lease",
                    "vm_pool",
                    "vm_pool_member",
                    "vm_run_definition",
                    "vm_samples",
                    "vm_specification",
                    "vm_static",
                    "vm_statistics",
                    "xapi_pool");

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

    private static boolean isOwn(String table, @Nullable String parent) {
        return OWN.contains(parent == null ? table : parent);
    }

    /** Tables of the current schema that are not Stillwater's. */
    static List<String> others(Connection connection) throws SQLException {
        List<String> others = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT c.relname, p.relname
                                  FROM pg_class AS c
                                  LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
                                  LEFT JOIN pg_class AS p ON p.oid = i.inhparent
                                 WHERE c.relnamespace = current_schema()::regnamespace
                                   AND c.relkind IN ('r', 'p', 'f')
                                 ORDER BY c.relname
                                """)) {
            while (row.next()) {
                if (!isOwn(row.getString(1), row.getString(2))) {
                    others.add(row.getString(1));
                }
            }
        }
        return others;
    }

    /**
     * Objects of other schemas, some of them at most, that refer to tables and views of the current
     * schema: they are dropped with it.
     */
    static List<String> dependants(Connection connection) throws SQLException {
        return Server.list(
                connection,
                """
                SELECT DISTINCT CASE WHEN r.oid IS NULL
                                     THEN pg_describe_object(d.classid, d.objid, 0)
                                     ELSE pg_describe_object('pg_class'::regclass, r.ev_class, 0)
                                END AS described
                  FROM pg_depend AS d
                  JOIN pg_class AS t ON d.refclassid = 'pg_class'::regclass AND t.oid = d.refobjid
                  LEFT JOIN pg_rewrite AS r
                         ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
                  LEFT JOIN pg_constraint AS f
                         ON d.classid = 'pg_constraint'::regclass AND f.oid = d.objid
                  LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
                  LEFT JOIN pg_class AS c
                         ON c.oid = CASE WHEN d.classid = 'pg_class'::regclass THEN d.objid
                                         ELSE r.ev_class
                                    END
                 WHERE d.deptype = 'n' AND t.relnamespace = current_schema()::regnamespace
                   AND coalesce(c.relnamespace, f.connamespace, p.pronamespace)
                       <> t.relnamespace
                 ORDER BY 1
                 LIMIT 5
                """);
    }

    /**
     * Every table of Stillwater in the current schema that holds rows, each after those that it
     * refers to.
     */
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
                                   AND c.relkind = 'r' AND c.relname NOT IN ('schema_history', 'database_holder', 'dwh_reader_mark')
                                """)) {
            while (row.next()) {
                Table table =
                        new Table(
                                row.getString(1),
                                Arrays.asList((String[]) row.getArray(2).getArray()),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5));
                if (isOwn(table.name(), table.parent())) {
                    tables.put(table.name(), table);
                }
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
