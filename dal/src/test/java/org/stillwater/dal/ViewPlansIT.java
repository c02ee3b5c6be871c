package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plan of every view, on a database with 20 000 VMs on 400 hosts. A view without a line here
 * fails, so that none becomes heavy unnoticed.
 */
class ViewPlansIT {

    /**
     * One way to read a view.
     *
     * @param view the view
     * @param where condition, empty for all of it
     * @param tables the tables that it reads, no more and no less
     * @param index the index that it must use, empty for a view that is read as a whole
     * @param cost most that the planner may expect
     */
    record Access(String view, String where, Set<String> tables, String index, int cost) {

        @Override
        public String toString() {
            return view + (where.isEmpty() ? "" : " where " + where);
        }
    }

    private static final String ONE_VM = "vm_guid = md5('v7')::uuid";
    private static final String ONE_HOST = "run_on_vds = md5('h7')::uuid";
    private static final String ONE_SAMPLED_VM = "vm_id = md5('v7')::uuid";
    private static final String HOUR = "20260101h00";
    private static final String SAMPLES = "vm_samples_" + HOUR;
    private static final int WHOLE = 50_000;

    static Stream<Access> accesses() {
        Set<String> dynamic = Set.of("vm_dynamic");
        Set<String> vm = Set.of("vm_dynamic", "vm_static");
        String timekeeping = "dwh_history_timekeeping";
        String mark = "dwh_reader_mark";
        return Stream.of(
                new Access("vm_runtime_light", ONE_VM, dynamic, "vm_dynamic_pkey", 15),
                new Access("vm_placement_light", ONE_VM, dynamic, "vm_dynamic_pkey", 15),
                new Access(
                        "vm_placement_light", ONE_HOST, dynamic, "idx_vm_dynamic_run_on_vds", 800),
                new Access(
                        "vm_definition_light", ONE_VM, Set.of("vm_static"), "vm_static_pkey", 15),
                new Access("vm_device_hash_light", ONE_VM, dynamic, "vm_dynamic_pkey", 15),
                new Access("vms_monitoring_view", ONE_VM, vm, "vm_dynamic_pkey", 30),
                new Access("vms_monitoring_view", ONE_HOST, vm, "idx_vm_dynamic_run_on_vds", 2_500),
                new Access(
                        "vm_interface_monitoring_view",
                        ONE_VM,
                        Set.of("vm_interface", "vm_interface_statistics"),
                        "idx_vm_interface_vm_guid",
                        60),
                new Access(
                        "vm_samples_dense",
                        ONE_SAMPLED_VM,
                        Set.of(SAMPLES, "history_interval"),
                        "vm_id_idx",
                        5_000),
                new Access(
                        "vm_samples_configured",
                        ONE_SAMPLED_VM,
                        Set.of(SAMPLES, "history_interval", "vm_configuration"),
                        "vm_id_idx",
                        5_000),
                new Access(
                        "host_samples_dense",
                        "host_id = md5('h7')::uuid",
                        Set.of("host_samples_" + HOUR, "history_interval"),
                        "host_id_idx",
                        5_000),
                new Access(
                        "dwh_vm_history_view",
                        "",
                        Set.of("vm_dynamic", "vm_static", "vm_statistics", timekeeping, mark),
                        "",
                        WHOLE),
                new Access(
                        "dwh_host_history_view",
                        "",
                        Set.of(
                                "host_dynamic",
                                "host_statistics",
                                "vm_dynamic",
                                "vm_static",
                                timekeeping,
                                mark),
                        "",
                        WHOLE),
                new Access(
                        "dwh_vm_interface_history_view",
                        "",
                        Set.of("vm_interface_statistics", timekeeping, mark),
                        "",
                        WHOLE),
                new Access(
                        "dwh_host_interface_history_view",
                        "",
                        Set.of("host_interface_statistics", timekeeping, mark),
                        "",
                        WHOLE),
                new Access(
                        "dwh_vm_disks_history_view",
                        "",
                        Set.of("disk_image_dynamic", timekeeping, mark),
                        "",
                        WHOLE),
                new Access(
                        "dwh_vm_configuration_history_view",
                        "",
                        Set.of("vm_configuration", timekeeping),
                        "idx_vm_configuration_valid_from",
                        WHOLE * 4),
                new Access(
                        "dwh_vm_interface_configuration_history_view",
                        "",
                        Set.of("vm_interface_configuration", timekeeping),
                        "idx_vm_interface_configuration_valid_from",
                        WHOLE * 4),
                new Access(
                        "dwh_host_configuration_history_view",
                        "",
                        Set.of(
                                "host_configuration",
                                "host_dynamic",
                                "host_statistics",
                                timekeeping),
                        "",
                        WHOLE),
                new Access(
                        "dwh_host_configuration_full_check_view",
                        "",
                        Set.of("host_configuration", "host_dynamic", "host_statistics"),
                        "",
                        WHOLE),
                new Access(
                        "dwh_cluster_configuration_history_view",
                        "",
                        Set.of("cluster_configuration", timekeeping),
                        "",
                        WHOLE),
                new Access(
                        "dwh_datacenter_configuration_history_view",
                        "",
                        Set.of("data_centre_configuration", timekeeping),
                        "",
                        WHOLE),
                new Access(
                        "dwh_host_interface_configuration_history_view",
                        "",
                        Set.of("host_interface", timekeeping),
                        "",
                        WHOLE),
                new Access("vds_interface", "", Set.of("host_interface"), "", WHOLE),
                new Access(
                        "vm_disk_definition",
                        ONE_SAMPLED_VM,
                        Set.of("vm_specification"),
                        "vm_specification_pkey",
                        30),
                new Access(
                        "dwh_vm_disk_configuration_history_view",
                        "",
                        Set.of("vm_device", "vm_specification", timekeeping),
                        "idx_vm_device_changed_at",
                        WHOLE * 4),
                new Access(
                        "dwh_vm_device_history_view",
                        "",
                        Set.of("vm_device", timekeeping),
                        "idx_vm_device_changed_at",
                        WHOLE * 4),
                new Access(
                        "base_disks", "", Set.of("vm_device", "vm_specification"), "", WHOLE * 10),
                new Access("vds_static", "", Set.of("host_static"), "", WHOLE),
                new Access("storage_pool", "", Set.of("data_centre"), "", WHOLE),
                new Access("users", "", Set.of("engine_user"), "", WHOLE),
                new Access(
                        "dwh_users_history_view",
                        "",
                        Set.of("engine_user", timekeeping),
                        "",
                        WHOLE),
                constant("vdc_options"),
                constant("dwh_osinfo"),
                constant("storage_domain_static"),
                constant("storage_pool_iso_map"),
                constant("dwh_datacenter_storage_map_history_view"),
                constant("dwh_storage_domain_configuration_history_view"),
                constant("dwh_storage_domain_history_view"),
                new Access("tags", "", Set.of("tag"), "", WHOLE),
                new Access(
                        "dwh_tags_details_history_view", "", Set.of("tag", timekeeping), "", WHOLE),
                new Access(
                        "dwh_add_tags_relations_history_view",
                        "",
                        Set.of("tag", "tag_vm", "tag_host", timekeeping),
                        "",
                        WHOLE),
                new Access(
                        "dwh_remove_tags_relations_history_view",
                        "",
                        Set.of("tag", "tag_vm", "tag_host"),
                        "",
                        WHOLE));
    }

    /** A view that reads no table. */
    private static Access constant(String view) {
        return new Access(view, "", Set.of(), "", 1);
    }

    private static TestDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = TestDatabase.migrated();
        database.execute(
                """
                INSERT INTO host_static (host_id, host_name, address, port)
                SELECT md5('h' || n)::uuid, 'h' || n, 'h', 1 FROM generate_series(1, 400) AS n
                """,
                "INSERT INTO host_dynamic (host_id) SELECT host_id FROM host_static",
                "INSERT INTO host_statistics (host_id) SELECT host_id FROM host_static",
                "INSERT INTO host_interface_statistics (host_id, name) SELECT host_id, 'ens1' FROM"
                        + " host_static",
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                SELECT md5('v' || n)::uuid, 'v' || n, 4, 1, 1 FROM generate_series(1, 20000) AS n
                """,
                """
                INSERT INTO vm_dynamic (vm_guid, run_on_vds)
                SELECT md5('v' || n)::uuid, md5('h' || (n % 400 + 1))::uuid FROM generate_series(1, 20000) AS n
                """,
                "INSERT INTO vm_statistics (vm_guid) SELECT vm_guid FROM vm_static",
                """
                INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed)
                SELECT md5('i' || n)::uuid, md5('v' || n % 20000 + 1)::uuid, 'nic', 'mac', 1000
                  FROM generate_series(1, 40000) AS n
                """,
                "INSERT INTO vm_interface_statistics (id) SELECT id FROM vm_interface",
                "INSERT INTO disk_image_dynamic (vm_guid, image_id) SELECT vm_guid, vm_guid FROM"
                        + " vm_static",
                """
                INSERT INTO vm_device (device_id, vm_id, type, device, is_managed, is_plugged)
                SELECT md5(v.vm_guid::text || d.type || d.device)::uuid, v.vm_guid, d.type, d.device, true, true
                  FROM vm_static AS v
                 CROSS JOIN (VALUES ('disk', 'disk'), ('disk', 'cdrom'), ('interface', 'bridge'), ('controller', 'pci'),
                                    ('video', 'vga'), ('balloon', 'memballoon')) AS d (type, device)
                """,
                """
                INSERT INTO vm_specification (vm_guid, specification)
                SELECT vm_guid, jsonb_build_object('disks', jsonb_build_array(jsonb_build_object(
                           'id', md5(vm_guid::text || 'diskdisk')::uuid, 'name', 'root', 'format', 'RAW', 'shareable', false,
                           'place', jsonb_build_object('kind', 'volume', 'domain', vm_guid, 'image', vm_guid))))
                  FROM vm_static
                """,
                """
                INSERT INTO host_interface (host_id, name, management, is_bond)
                SELECT host_id, 'ens' || n, false, false FROM host_static CROSS JOIN generate_series(1, 4) AS n
                """,
                "UPDATE dwh_history_timekeeping SET var_datetime = clock_timestamp()",
                "SELECT maintain_history('2026-01-01 00:00:00+00', '2026-01-01 00:30:00+00', '10"
                        + " years', '10 years', '10 years')",
                """
                INSERT INTO history_interval (tier, at, base, run)
                SELECT 1, '2026-01-01 00:00:00+00'::timestamptz + n * interval '1 minute', '2026-01-01 00:00:00+00', now()
                  FROM generate_series(0, 59) AS n
                """,
                """
                INSERT INTO vm_samples (vm_id, at, cpu_usage)
                SELECT vm_guid, '2026-01-01 00:00:00+00'::timestamptz + n * interval '10 minutes', n
                  FROM vm_static CROSS JOIN generate_series(0, 4) AS n
                """,
                """
                INSERT INTO host_samples (host_id, at, cpu_usage)
                SELECT host_id, '2026-01-01 00:00:00+00'::timestamptz + n * interval '1 minute', n
                  FROM host_static CROSS JOIN generate_series(0, 59) AS n
                """,
                "VACUUM ANALYZE");
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accesses")
    void aViewReadsItsTablesOnly(Access access) throws SQLException {
        String plan =
                String.join(
                        "\n",
                        list(
                                "EXPLAIN (FORMAT JSON) SELECT * FROM "
                                        + access.view()
                                        + (access.where().isEmpty()
                                                ? ""
                                                : " WHERE " + access.where())));
        assertThat(all(plan, "\"Relation Name\": \"([^\"]+)\"")).isEqualTo(access.tables());
        if (!access.where().isEmpty()) {
            Set<String> searched =
                    all(plan, "\"Node Type\": \"Seq Scan\"[^}]*?\"Relation Name\": \"([^\"]+)\"");
            // It has one row an hour of each tier, and no key that a VM could name.
            searched.remove("history_interval");
            assertThat(searched).as("what is found by key is not searched for").isEmpty();
        }
        assertThat(plan).contains(access.index());
        double cost =
                Double.parseDouble(
                        all(plan, "^\\[\\s*\\{\\s*\"Plan\": \\{[^{]*?\"Total Cost\": ([0-9.]+)")
                                .iterator()
                                .next());
        assertThat(cost).isLessThan(access.cost());
    }

    @Test
    void everyViewHasItsWaysToBeRead() throws SQLException {
        Set<String> covered = new HashSet<>();
        accesses().forEach(access -> covered.add(access.view()));
        assertThat(list("SELECT viewname FROM pg_views WHERE schemaname = 'public'"))
                .as("a new view needs a line in this test")
                .containsExactlyInAnyOrderElementsOf(covered);
    }

    /** A removal of a dump: a table, the types of the arrays, and the named rows. */
    static Stream<Arguments> removals() {
        String vms = "SELECT vm_guid FROM vm_static LIMIT 5000";
        String ofThese = " vm_guid IN (" + vms + ")";
        return Stream.of(
                        List.of(
                                "vm_interface_statistics",
                                "uuid[], uuid[]",
                                vms,
                                "SELECT id FROM vm_interface WHERE" + ofThese),
                        List.of(
                                "disk_image_dynamic",
                                "uuid[], uuid[], uuid[]",
                                vms,
                                "SELECT vm_guid, image_id FROM disk_image_dynamic WHERE" + ofThese),
                        List.of(
                                "host_interface_statistics",
                                "uuid[], uuid[], text[]",
                                "SELECT host_id FROM host_static",
                                "SELECT host_id, name FROM host_interface_statistics"))
                .flatMap(each ->
                        Stream.of("force_custom_plan", "force_generic_plan")
                                .map(plan ->
                                        Arguments.of(
                                                each.get(0),
                                                plan,
                                                each.get(1),
                                                each.get(2),
                                                each.get(3))));
    }

    /** As the driver prepares it, with a plan for these values and with one for any. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("removals")
    void removedRowsAreSearchedByKey(
            String table, String plans, String types, String owners, String named)
            throws SQLException {
        String sql = JdbcStatisticsStore.removals().get(table);
        for (int i = 1; sql.contains("?"); i++) {
            sql = sql.replaceFirst("\\?", "\\$" + i);
        }
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL plan_cache_mode = " + plans);
            statement.execute("PREPARE removal (" + types + ") AS " + sql);
            List<String> arrays = new ArrayList<>(columns(statement, owners));
            arrays.addAll(columns(statement, named));
            StringBuilder plan = new StringBuilder();
            try (ResultSet row =
                    statement.executeQuery(
                            "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE removal ("
                                    + String.join(", ", arrays)
                                    + ")")) {
                while (row.next()) {
                    plan.append(row.getString(1));
                }
            }
            connection.rollback();
            Set<String> searched =
                    all(
                            plan.toString(),
                            "\"Node Type\": \"Seq Scan\"[^}]*?\"Relation Name\": \"([^\"]+)\"");
            // A few pages, which are read at once.
            searched.remove("host_interface_statistics");
            assertThat(searched).as("%s", plan).isEmpty();
            assertThat(rowsRead(plan.toString()))
                    .as("rows, which may not grow with owners times rows: %s", plan)
                    .isLessThan(100_000);
        }
    }

    /** Rows that all steps of a plan read together, and discarded. */
    private static long rowsRead(String plan) {
        double rows = 0;
        Matcher step =
                Pattern.compile(
                                "\"Actual Rows\": ([0-9.]+),\\s*\"Actual Loops\": ([0-9]+)"
                                        + "|\"Rows Removed by Join Filter\": ([0-9]+)")
                        .matcher(plan);
        while (step.find()) {
            rows +=
                    step.group(3) != null
                            ? Double.parseDouble(step.group(3))
                            : Double.parseDouble(step.group(1)) * Double.parseDouble(step.group(2));
        }
        return (long) rows;
    }

    /** Each selected column, as the text of an array. */
    private static List<String> columns(Statement statement, String query) throws SQLException {
        List<List<String>> columns = new ArrayList<>();
        try (ResultSet row = statement.executeQuery(query)) {
            for (int i = 0; i < row.getMetaData().getColumnCount(); i++) {
                columns.add(new ArrayList<>());
            }
            while (row.next()) {
                for (int i = 0; i < columns.size(); i++) {
                    columns.get(i).add(row.getString(i + 1));
                }
            }
        }
        return columns.stream().map(values -> "'{" + String.join(",", values) + "}'").toList();
    }

    @Test
    void versionsOfOneSubjectAreFoundByKey() throws SQLException {
        String plan =
                String.join(
                        "\n",
                        list(
                                "EXPLAIN (FORMAT JSON) SELECT * FROM vm_configuration WHERE "
                                        + ONE_VM
                                        + " AND version < 7 ORDER BY version DESC LIMIT 100"));
        assertThat(plan).contains("vm_configuration_pkey").doesNotContain("Seq Scan", "\"Sort\"");
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

    private static Set<String> all(String plan, String pattern) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(plan);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
