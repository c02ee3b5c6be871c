package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The rights of each role. Every table and view has a line here: one without a line fails, so that
 * no role gets a right by omission.
 */
class RolesIT {

    private static final String MONITORING = "stillwater_monitoring";
    private static final String READER = "stillwater_reader";
    private static final String WAREHOUSE = "stillwater_dwh";

    /** The engine's login when another one migrates: it has only the rights of its role. */
    private static final String WORKER = TestDatabase.WORKER_ROLE;

    /** A refused right, and a view or a column of one that no login can write through. */
    private static final List<String> REFUSALS = List.of("42501", "55000", "0A000");

    /**
     * Rights of a role on a table or view.
     *
     * @param monitoring some of SELECT, INSERT, UPDATE and DELETE by their first letters; small
     *     when not all columns may be read or written
     * @param reader the same
     * @param warehouse the same
     */
    private record Rights(String monitoring, String reader, String warehouse) {

        String of(String role) {
            return switch (role) {
                case MONITORING, WORKER -> monitoring;
                case READER -> reader;
                case WAREHOUSE -> warehouse;
                default -> throw new IllegalArgumentException(role);
            };
        }
    }

    private static final Map<String, Rights> DECIDED =
            Map.ofEntries(
                    Map.entry("affinity_group", new Rights("SIUD", "S", "")),
                    Map.entry("affinity_group_member", new Rights("SID", "S", "")),
                    Map.entry("alert", new Rights("SIUD", "S", "")),
                    Map.entry("alert_rule", new Rights("SIUD", "S", "")),
                    Map.entry("alert_silence", new Rights("SIUD", "S", "")),
                    Map.entry("tag", new Rights("SIUD", "S", "")),
                    Map.entry("tag_host", new Rights("SID", "S", "")),
                    Map.entry("tag_vm", new Rights("SID", "S", "")),
                    // Hashes of tokens.
                    Map.entry("api_token", new Rights("SID", "", "")),
                    Map.entry("audit_log", new Rights("SI", "S", "i")),
                    Map.entry("benchmark_run", new Rights("SID", "S", "")),
                    Map.entry("cluster", new Rights("SIU", "S", "s")),
                    Map.entry("cluster_configuration", new Rights("S", "S", "")),
                    Map.entry("cluster_network", new Rights("SID", "S", "")),
                    Map.entry("data_centre", new Rights("SIU", "S", "")),
                    Map.entry("data_centre_configuration", new Rights("S", "S", "")),
                    Map.entry("database_holder", new Rights("SIU", "S", "")),
                    Map.entry("disk_image_dynamic", new Rights("SIUD", "S", "")),
                    Map.entry("disk_lun_map", new Rights("S", "S", "")),
                    Map.entry("dwh_reader_mark", new Rights("", "", "")),
                    Map.entry("dwh_history_timekeeping", new Rights("Su", "S", "SIu")),
                    // Hashes of passwords.
                    Map.entry("engine_user", new Rights("SIUD", "", "")),
                    Map.entry("finding", new Rights("SIUD", "S", "")),
                    Map.entry("host_certificate", new Rights("SIU", "S", "")),
                    Map.entry("host_configuration", new Rights("S", "S", "")),
                    Map.entry("host_dynamic", new Rights("SIU", "S", "")),
                    // Passwords of management boards.
                    Map.entry("host_fence_agent", new Rights("SIUD", "", "")),
                    Map.entry("host_interface", new Rights("", "S", "")),
                    Map.entry("host_interface_statistics", new Rights("SIUD", "S", "")),
                    Map.entry("host_static", new Rights("SIU", "S", "")),
                    Map.entry("host_statistics", new Rights("SIU", "S", "")),
                    Map.entry("host_work", new Rights("SIUD", "S", "")),
                    Map.entry("luns", new Rights("SU", "S", "")),
                    Map.entry("numa_node", new Rights("SIUD", "S", "")),
                    Map.entry("operation", new Rights("SIUD", "S", "")),
                    Map.entry("pending_work", new Rights("SIUD", "S", "")),
                    Map.entry("regression_points", new Rights("SIUD", "S", "")),
                    // The working login sees whether to migrate.
                    Map.entry("schema_history", new Rights("S", "", "")),
                    Map.entry("user_grant", new Rights("SID", "", "")),
                    Map.entry("vm_configuration", new Rights("S", "S", "")),
                    Map.entry("vm_device", new Rights("SIUD", "S", "s")),
                    // First rows; changes go through the light views.
                    Map.entry("vm_dynamic", new Rights("SI", "S", "")),
                    // Keys of guests.
                    Map.entry("vm_external_data", new Rights("SIU", "", "")),
                    Map.entry("vm_guest_agent_interfaces", new Rights("SID", "S", "")),
                    Map.entry("vm_interface", new Rights("SIUD", "S", "s")),
                    Map.entry("vm_interface_configuration", new Rights("S", "S", "")),
                    Map.entry("vm_interface_statistics", new Rights("SIUD", "S", "")),
                    Map.entry("vm_jobs", new Rights("SIUD", "S", "")),
                    Map.entry("vm_pool", new Rights("SIUD", "S", "")),
                    Map.entry("vm_pool_member", new Rights("SIUD", "S", "")),
                    Map.entry("vm_specification", new Rights("SIU", "S", "")),
                    Map.entry("vm_lease", new Rights("SIUD", "S", "")),
                    Map.entry("vm_run_definition", new Rights("SIU", "S", "")),
                    Map.entry("vm_claim", new Rights("SID", "S", "")),
                    Map.entry("vm_static", new Rights("SIu", "S", "s")),
                    Map.entry("vm_statistics", new Rights("SIU", "S", "")),
                    // Passwords of pools.
                    Map.entry("xapi_pool", new Rights("SIUD", "", "")),
                    // History.
                    Map.entry("history_interval", new Rights("SI", "S", "")),
                    Map.entry("vm_samples", new Rights("SI", "S", "")),
                    Map.entry("host_samples", new Rights("SI", "S", "")),
                    Map.entry("vm_hourly", new Rights("SIU", "S", "")),
                    Map.entry("host_hourly", new Rights("SIU", "S", "")),
                    Map.entry("vm_daily", new Rights("SIU", "S", "")),
                    Map.entry("host_daily", new Rights("SIU", "S", "")),
                    Map.entry("vm_belief", new Rights("SI", "S", "")),
                    Map.entry("host_belief", new Rights("SI", "S", "")),
                    // Views.
                    Map.entry("host_samples_dense", new Rights("S", "S", "")),
                    Map.entry("vm_samples_configured", new Rights("S", "S", "")),
                    Map.entry("vm_samples_dense", new Rights("S", "S", "")),
                    Map.entry("dwh_cluster_configuration_history_view", new Rights("S", "S", "S")),
                    Map.entry(
                            "dwh_datacenter_configuration_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_host_configuration_full_check_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_host_configuration_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_vm_configuration_history_view", new Rights("S", "S", "S")),
                    Map.entry(
                            "dwh_vm_interface_configuration_history_view",
                            new Rights("S", "S", "S")),
                    Map.entry("dwh_host_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_host_interface_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_vm_disks_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_vm_history_view", new Rights("S", "S", "S")),
                    Map.entry("dwh_vm_interface_history_view", new Rights("S", "S", "S")),
                    Map.entry("base_disks", new Rights("", "S", "S")),
                    Map.entry("dwh_add_tags_relations_history_view", new Rights("", "S", "S")),
                    Map.entry("dwh_datacenter_storage_map_history_view", new Rights("", "S", "S")),
                    Map.entry(
                            "dwh_host_interface_configuration_history_view",
                            new Rights("", "S", "S")),
                    Map.entry("dwh_osinfo", new Rights("", "S", "S")),
                    Map.entry("dwh_remove_tags_relations_history_view", new Rights("", "S", "S")),
                    Map.entry(
                            "dwh_storage_domain_configuration_history_view",
                            new Rights("", "S", "S")),
                    Map.entry("dwh_storage_domain_history_view", new Rights("", "S", "S")),
                    Map.entry("dwh_tags_details_history_view", new Rights("", "S", "S")),
                    // The roles.
                    Map.entry("dwh_users_history_view", new Rights("", "", "S")),
                    Map.entry("users", new Rights("", "", "S")),
                    Map.entry("dwh_vm_device_history_view", new Rights("", "S", "S")),
                    Map.entry("dwh_vm_disk_configuration_history_view", new Rights("", "S", "S")),
                    Map.entry("storage_domain_static", new Rights("", "S", "S")),
                    Map.entry("storage_pool", new Rights("", "S", "S")),
                    Map.entry("storage_pool_iso_map", new Rights("", "S", "S")),
                    Map.entry("tags", new Rights("", "S", "S")),
                    Map.entry("vdc_options", new Rights("", "S", "S")),
                    Map.entry("vds_interface", new Rights("", "S", "S")),
                    Map.entry("vds_static", new Rights("", "S", "S")),
                    Map.entry("vm_disk_definition", new Rights("", "S", "")),
                    Map.entry("vm_definition_light", new Rights("SU", "S", "")),
                    Map.entry("vm_device_hash_light", new Rights("SU", "S", "")),
                    Map.entry("vm_interface_monitoring_view", new Rights("S", "S", "")),
                    Map.entry("vm_placement_light", new Rights("SU", "S", "")),
                    Map.entry("vm_runtime_light", new Rights("SIU", "S", "")),
                    Map.entry("vms_monitoring_view", new Rights("S", "S", "")));

    /** Writable columns of the tables with a small letter. */
    private static final Map<String, List<String>> WRITABLE_COLUMNS =
            Map.of(
                    "dwh_history_timekeeping",
                    List.of("var_datetime", "var_value"),
                    "vm_static",
                    List.of("db_generation"));

    /** Columns of the tables with a small letter that a data warehouse may read. */
    private static final Map<String, List<String>> READABLE_COLUMNS =
            Map.of(
                    "cluster",
                    List.of("cluster_id"),
                    "vm_device",
                    List.of("device", "device_id", "type", "vm_id"),
                    "vm_interface",
                    List.of("id"),
                    "vm_static",
                    List.of("vm_guid"));

    /** The same for insertions. */
    private static final Map<String, List<String>> INSERTABLE_COLUMNS =
            Map.of(
                    "audit_log",
                    List.of("log_time", "log_type", "log_type_name", "message", "severity"));

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.migrated();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static List<String> list(String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    /** Table or view, and one of its columns with its type. */
    private static Map<String, String[]> relations() throws SQLException {
        Map<String, String[]> relations = new TreeMap<>();
        for (String line :
                list(
                        """
                        SELECT DISTINCT ON (c.relname) c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                          FROM pg_class AS c
                          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                         WHERE c.relnamespace = 'public'::regnamespace
                           AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                           AND NOT c.relispartition
                         ORDER BY c.relname,
                                  a.attname IN ('db_generation', 'var_value', 'message') DESC,
                                  a.attnum
                        """)) {
            relations.put(line.split(" ", 3)[0], line.split(" ", 3));
        }
        return relations;
    }

    @Test
    void everyTableAndViewIsDecidedUpon() throws SQLException {
        assertThat(relations().keySet())
                .as("a new table or view needs a line in this test, and its grants")
                .containsExactlyInAnyOrderElementsOf(DECIDED.keySet());
    }

    @Test
    void everyRoleHasItsRightsAndNoOthers() throws SQLException {
        Map<String, String> wrong = new TreeMap<>();
        for (String role : List.of(MONITORING, WORKER, READER, WAREHOUSE)) {
            try (Connection connection = database.connectAs(role);
                    Statement statement = connection.createStatement()) {
                for (String[] relation : relations().values()) {
                    String name = relation[0];
                    String rights = DECIDED.get(name).of(role).toUpperCase(Locale.ROOT);
                    String column = relation[1];
                    check(wrong, role, statement, rights, "S", "SELECT 1 FROM %s LIMIT 0", name);
                    check(
                            wrong,
                            role,
                            statement,
                            rights,
                            "I",
                            "INSERT INTO %s ("
                                    + column
                                    + ") SELECT NULL::"
                                    + relation[2]
                                    + " WHERE false",
                            name);
                    check(
                            wrong,
                            role,
                            statement,
                            rights,
                            "U",
                            "UPDATE %s SET " + column + " = NULL WHERE false",
                            name);
                    check(wrong, role, statement, rights, "D", "DELETE FROM %s WHERE false", name);
                    check(wrong, role, statement, rights, "T", "TRUNCATE %s", name);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static void check(
            Map<String, String> wrong,
            String role,
            Statement statement,
            String rights,
            String right,
            String sql,
            String relation) {
        String outcome;
        try {
            statement.execute(sql.formatted(relation));
            outcome = "done";
        } catch (SQLException e) {
            outcome = REFUSALS.contains(e.getSQLState()) ? "refused" : e.getMessage();
        }
        String expected = rights.contains(right) ? "done" : "refused";
        // No login can truncate an object that is no table.
        if (!outcome.equals(expected)
                && !(right.equals("T") && outcome.contains("is not a table"))) {
            wrong.put(role + " " + relation + " " + right, outcome);
        }
    }

    @Test
    void whereSomeColumnsMayBeReadOrWrittenTheOthersMayNot() throws SQLException {
        for (String role : List.of(MONITORING, WORKER, READER, WAREHOUSE)) {
            Map<String, List<String>> updatable = columns(role, "UPDATE");
            Map<String, List<String>> readable = columns(role, "SELECT");
            Map<String, List<String>> insertable = columns(role, "INSERT");
            for (Map.Entry<String, Rights> line : DECIDED.entrySet()) {
                String table = line.getKey();
                String rights = line.getValue().of(role);
                assertThat(updatable.getOrDefault(table, List.of()))
                        .as("%s in %s", role, table)
                        .isEqualTo(rights.contains("u") ? WRITABLE_COLUMNS.get(table) : List.of());
                assertThat(readable.getOrDefault(table, List.of()))
                        .as("%s in %s", role, table)
                        .isEqualTo(rights.contains("s") ? READABLE_COLUMNS.get(table) : List.of());
                assertThat(insertable.getOrDefault(table, List.of()))
                        .as("%s in %s", role, table)
                        .isEqualTo(
                                rights.contains("i") ? INSERTABLE_COLUMNS.get(table) : List.of());
            }
        }
    }

    /** Columns for which a role has a right that it has not for their table, by table. */
    private static Map<String, List<String>> columns(String role, String right)
            throws SQLException {
        Map<String, List<String>> columns = new TreeMap<>();
        for (String line :
                list(
                        """
                        SELECT c.relname || ' ' || a.attname
                          FROM pg_class AS c
                          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                         WHERE c.relnamespace = 'public'::regnamespace
                           AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                           AND has_column_privilege('%1$s', c.oid, a.attnum, '%2$s')
                           AND NOT has_table_privilege('%1$s', c.oid, '%2$s')
                         ORDER BY c.relname, a.attname
                        """
                                .formatted(role, right))) {
            String[] parts = line.split(" ", 2);
            columns.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts[1]);
        }
        return columns;
    }

    @Test
    void noRoleMakesTablesOrCallsFunctionsOfTheOwner() throws SQLException {
        for (String role : List.of(MONITORING, WORKER, READER, WAREHOUSE)) {
            try (Connection connection = database.connectAs(role);
                    Statement statement = connection.createStatement()) {
                List<String> forbidden =
                        new ArrayList<>(
                                List.of(
                                        "CREATE TABLE public.mine (v int)",
                                        "DROP VIEW vm_runtime_light",
                                        "ALTER TABLE vm_static ADD COLUMN mine int",
                                        "ALTER TABLE vm_static OWNER TO " + role,
                                        "DROP TABLE audit_log",
                                        "CREATE SCHEMA mine",
                                        "UPDATE schema_history SET checksum = 0",
                                        "SELECT grant_to('" + role + "', 'ALL', 'vm_dynamic')",
                                        "SELECT grant_to_monitoring('ALL', 'vm_dynamic')",
                                        "SELECT grant_reading('vm_external_data')",
                                        "SELECT grant_reading('host_fence_agent')",
                                        "SELECT grant_reading('xapi_pool')",
                                        "SELECT grant_reading('engine_user')",
                                        "SELECT retention_clock()",
                                        "CREATE ROLE mine"));
                if (!role.equals(MONITORING) && !role.equals(WORKER)) {
                    forbidden.add(
                            "SELECT maintain_history(now(), now(), '1 day', '1 day', '1 day')");
                    forbidden.add("SELECT maintain_beliefs(now(), now(), '1 day')");
                    forbidden.add("SELECT remove_host(gen_random_uuid())");
                    forbidden.add("SELECT remove_vm(gen_random_uuid())");
                    forbidden.add("SELECT maintain_audit_log(now(), now(), '2000-01-01')");
                }
                for (String sql : forbidden) {
                    assertThatExceptionOfType(SQLException.class)
                            .as("%s: %s", role, sql)
                            .isThrownBy(() -> statement.execute(sql))
                            .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
                }
            }
        }
    }

    @Test
    void eachSideChangesItsOwnRowsOfTheTimekeepingOnly() throws SQLException {
        String all = "UPDATE dwh_history_timekeeping SET var_datetime = now()";
        int rows = list("SELECT var_name FROM dwh_history_timekeeping").size();
        try (Connection connection = database.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(all))
                    .as("all but the heartbeat")
                    .isEqualTo(rows - 1);
        }
        try (Connection connection = database.connectAs(MONITORING);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(all)).as("the heartbeat").isEqualTo(1);
        }
    }

    @Test
    void theEngineIsNoSuperuserInAnySession() throws Exception {
        try (Database engine = database.open();
                Connection connection = engine.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT current_user, string_agg(rolname, ', ') FROM pg_roles WHERE"
                                    + " rolsuper AND pg_has_role(session_user, oid, 'MEMBER')")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo(MONITORING);
                assertThat(row.getString(2)).as("superusers that it could become").isNull();
            }
            statement.execute("RESET ROLE");
            try (ResultSet row = statement.executeQuery("SHOW is_superuser")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("off");
            }
        }
    }

    @Test
    void noViewShowsASecret() throws SQLException {
        assertThat(
                        new TreeSet<>(
                                list(
                                        """
                                        SELECT view_name || ' ' || table_name || '.' || column_name
                                          FROM information_schema.view_column_usage
                                         WHERE table_name IN ('vm_external_data', 'host_fence_agent', 'xapi_pool',
                                                              'engine_user', 'user_grant', 'api_token')
                                        """)))
                .as("who there is, and only to a data warehouse")
                .containsExactly(
                        "dwh_users_history_view engine_user.created_at",
                        "dwh_users_history_view engine_user.enabled",
                        "dwh_users_history_view engine_user.name",
                        "dwh_users_history_view engine_user.user_id",
                        "users engine_user.user_id");
    }

    @Test
    void theGuideHasTheStatementsThatMakeTheRoles() throws Exception {
        try (InputStream roles = RolesIT.class.getResourceAsStream("/db/role/roles.sql")) {
            assertThat(Files.readString(Path.of("..", "docs/how-to/use-an-external-postgresql.md")))
                    .contains(new String(roles.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
