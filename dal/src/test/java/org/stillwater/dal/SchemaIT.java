package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.RuntimeField;

class SchemaIT {

    private static final Set<String> PLACEMENT_COLUMNS =
            Set.of(
                    "run_on_vds",
                    "migrating_to_vds",
                    "last_start_time",
                    "last_stop_time",
                    "boot_time",
                    "downtime",
                    "reason",
                    "is_run_once",
                    "console_cur_user_name",
                    "console_user_id",
                    "runtime_name",
                    "run_generation",
                    "cpu_name",
                    "emulated_machine",
                    "volatile_run",
                    "current_cpu_pinning",
                    "current_sockets",
                    "current_cores",
                    "current_threads",
                    "current_numa_pinning");

    /** The bounds of a partition as PostgreSQL writes them in a session of UTC. */
    private static final Pattern BOUND =
            Pattern.compile("FROM \\('([-0-9 :]+)\\+00'\\) TO \\('([-0-9 :]+)\\+00'\\)");

    private static TestDatabase database;

    @BeforeAll
    static void migrate() throws SQLException {
        database = TestDatabase.migrated();
        // Enough rows that a plan without its index would cost more than any bound below.
        database.execute(
                """
                INSERT INTO host_static (host_id, host_name, address, port)
                SELECT md5('h' || n)::uuid, 'h' || n, 'h', 1 FROM generate_series(1, 100) AS n
                """,
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                SELECT md5('v' || n)::uuid, 'v' || n, 4, 1, 1 FROM generate_series(1, 20000) AS n
                """,
                """
                INSERT INTO vm_dynamic (vm_guid, run_on_vds)
                SELECT md5('v' || n)::uuid, md5('h' || (n % 100 + 1))::uuid FROM generate_series(1, 20000) AS n
                """,
                """
                INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed)
                SELECT md5('i' || n)::uuid, md5('v' || n % 20000 + 1)::uuid, 'nic', 'mac', 1000
                  FROM generate_series(1, 40000) AS n
                """,
                "ANALYZE");
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void everyReportedFieldHasItsColumnWithItsTypeAndNoOtherColumnIsReported() throws SQLException {
        Map<String, String> inTheTable =
                Arrays.stream(RuntimeField.values())
                        .collect(
                                Collectors.toMap(
                                        RuntimeField::column,
                                        field -> field.type().sqlType().sqlName(),
                                        (_, _) -> {
                                            throw new IllegalStateException(
                                                    "two fields, one column");
                                        },
                                        TreeMap::new));
        Map<String, String> inTheView = columns("vm_runtime_light");
        assertThat(inTheView.remove("vm_guid")).isEqualTo("uuid");
        assertThat(inTheView).isEqualTo(inTheTable);
    }

    @Test
    void theTwoOwnersShareNoColumnButTheKeyAndTogetherOwnAll() throws SQLException {
        Set<String> runtime = columns("vm_runtime_light").keySet();
        Set<String> placement = columns("vm_placement_light").keySet();
        Set<String> hash = columns("vm_device_hash_light").keySet();
        Set<String> expectedPlacement = new TreeSet<>(PLACEMENT_COLUMNS);
        expectedPlacement.add("vm_guid");
        assertThat(placement).isEqualTo(expectedPlacement);
        assertThat(hash).containsExactlyInAnyOrder("vm_guid", "hash");

        Set<String> all = new TreeSet<>(runtime);
        all.addAll(placement);
        all.addAll(hash);
        assertThat(all).isEqualTo(columns("vm_dynamic").keySet());
        assertThat(all).hasSize(runtime.size() + placement.size() + hash.size() - 2);
    }

    @Test
    void theMonitoringViewShowsEveryColumnOfVmDynamic() throws SQLException {
        assertThat(columns("vms_monitoring_view")).containsAllEntriesOf(columns("vm_dynamic"));
    }

    @Test
    void theColumnsDefaultsAreThoseOfTheFieldTable() throws SQLException {
        database.execute(
                "INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)"
                        + " VALUES ('00000000-0000-0000-0000-000000000001', 'd', 4, 1, 1)",
                "INSERT INTO vm_runtime_light (vm_guid) VALUES"
                        + " ('00000000-0000-0000-0000-000000000001')");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT * FROM vm_runtime_light WHERE vm_guid ="
                                        + " '00000000-0000-0000-0000-000000000001'")) {
            assertThat(row.next()).isTrue();
            for (RuntimeField field : RuntimeField.values()) {
                assertThat(field.type().fromSql(row.getObject(field.column())))
                        .as(field.name())
                        .isEqualTo(field.defaultValue());
            }
        }
        database.execute(
                "DELETE FROM vm_static WHERE vm_guid = '00000000-0000-0000-0000-000000000001'");
    }

    @Test
    void everyTableViewAndColumnIsExplainedWithItsOwner() throws SQLException {
        List<String> silent =
                list(
                        """
                        SELECT c.relname || coalesce('.' || a.attname, '')
                          FROM pg_class AS c
                          LEFT JOIN pg_attribute AS a
                            ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
                         WHERE c.relnamespace = 'public'::regnamespace
                           AND c.relkind IN ('r', 'p', 'v')
                           AND NOT c.relispartition
                           AND c.relname <> 'schema_history'
                           AND (obj_description(c.oid, 'pg_class') IS NULL
                                OR (a.attnum IS NOT NULL
                                    AND coalesce(col_description(c.oid, a.attnum), '') NOT LIKE '%Owner: %'))
                        """);
        assertThat(silent).isEmpty();
    }

    /** Units as comments spell them. */
    private static final String UNITS =
            "(%|percent|0 to"
                + " 100|\\m(MiB|KiB|GiB|bytes|B/s|MiB/s|Mbit/s|ms|min|s|MHz|Hz|packets|operations|[Pp]ages"
                + "|VMs|cores|sockets|threads|tasks)\\M)";

    /** Numbers without a unit: codes, counts, positions, ports. */
    private static final Set<String> WITHOUT_UNIT =
            Set.of(
                    "audit_log.audit_log_id",
                    "host_belief.decided",
                    "host_belief.revision",
                    "host_belief.scenario",
                    "vm_belief.decided",
                    "vm_belief.revision",
                    "vm_belief.scenario",
                    "host_dynamic.attempts",
                    "host_dynamic.episode",
                    "host_work.episode",
                    "pending_work.run_generation",
                    "vm_configuration.cpu_per_socket",
                    "vm_configuration.cpu_pinning_policy",
                    "vm_configuration.priority",
                    "vm_configuration.threads_per_cpu",
                    "vm_dynamic.current_cores",
                    "vm_dynamic.current_threads",
                    "vm_dynamic.run_generation",
                    "vm_interface.nic_index",
                    "vm_interface_configuration.nic_index",
                    "vm_lease.run_generation",
                    "vm_static.cpu_per_socket",
                    "vm_static.cpu_pinning_policy",
                    "vm_static.priority",
                    "vm_static.threads_per_cpu");

    @Test
    void everyQuantityHasAUnit() throws SQLException {
        List<String> without =
                list(
                        """
                        SELECT c.relname || '.' || a.attname
                          FROM pg_class AS c
                          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                         WHERE c.relnamespace = 'public'::regnamespace
                           AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                           AND c.relname <> 'schema_history'
                           AND a.atttypid = ANY (ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']::regtype[])
                           AND col_description(c.oid, a.attnum) !~ '%s'
                           AND col_description(c.oid, a.attnum) !~ '([Cc]ode of|[Cc]ounts|Samples of|[Nn]umber of|[Pp]ort)'
                         ORDER BY 1
                        """
                                .formatted(UNITS));
        assertThat(without)
                .as("a number needs a unit in its comment, or a line here if it has none")
                .containsExactlyInAnyOrderElementsOf(WITHOUT_UNIT);
    }

    @Test
    void theReferencePageIsTheSchema() throws Exception {
        String page = SCHEMA_HEAD + String.join("\n", list(SCHEMA_PAGE)) + "\n";
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(page);
    }

    private static final Path PAGE = Path.of("..", "docs", "reference", "schema.md");

    private static final String SCHEMA_HEAD =
            """
            # Schema

            Tables and views of the engine's database, from their own comments. *Owner* names the writer of a column: monitoring writes
            *reported* columns, values from hosts, through the light views; *engine* columns hold decisions of the engine or of users. Scripts: `dbscripts/src/main/resources/db`.
            """;

    private static final String SCHEMA_PAGE =
            """
            SELECT CASE WHEN c.relkind IN ('r', 'p')
                        THEN format(E'\\n## %s\\n\\n%s\\n\\n| column | type | meaning |\\n|---|---|---|\\n%s',
                                    c.relname, obj_description(c.oid, 'pg_class'),
                                    string_agg(format('| `%s` | %s | %s |', a.attname,
                                                      format_type(a.atttypid, a.atttypmod)
                                                          || CASE WHEN a.attnotnull THEN ', not null' ELSE '' END,
                                                      col_description(c.oid, a.attnum)), E'\\n' ORDER BY a.attnum))
                        ELSE format(E'\\n## %s\\n\\nView. %s\\n\\nColumns: %s.',
                                    c.relname, obj_description(c.oid, 'pg_class'),
                                    string_agg(format('`%s`', a.attname), ', ' ORDER BY a.attnum)) END
              FROM pg_class AS c
              JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND c.relname <> 'schema_history'
               AND NOT c.relispartition
             GROUP BY c.oid, c.relkind, c.relname
             ORDER BY c.relkind = 'v', c.relname
            """;

    @Test
    void theChangedColumnWriteFindsItsRowsByKey() throws SQLException {
        String plan =
                plan(
                        """
                        UPDATE vm_runtime_light AS d
                           SET vm_fqdn = c.vm_fqdn
                          FROM unnest(ARRAY[md5('v1')::uuid, md5('v2')::uuid], ARRAY['a', 'b']) AS c(vm_guid, vm_fqdn)
                         WHERE d.vm_guid = c.vm_guid AND d.vm_fqdn IS DISTINCT FROM c.vm_fqdn
                        """);
        assertThat(relations(plan)).containsExactly("vm_dynamic");
        assertThat(plan).contains("vm_dynamic_pkey");
        assertThat(cost(plan)).isLessThan(50);
    }

    @Test
    void rowsAreLockedInTheOrderOfTheirKey() throws SQLException {
        String plan =
                plan(
                        """
                        SELECT count(*)
                          FROM (SELECT vm_guid
                                  FROM vm_runtime_light
                                 WHERE vm_guid = ANY (ARRAY[md5('v1')::uuid, md5('v2')::uuid])
                                 ORDER BY vm_guid
                                   FOR NO KEY UPDATE) AS locked
                        """);
        assertThat(relations(plan)).containsExactly("vm_dynamic");
        assertThat(seqScans(plan)).isEmpty();
        assertThat(plan)
                .as("what locks reads rows that are in order")
                .containsPattern(
                        "\"Node Type\": \"LockRows\"(?s:.)*\"Node Type\": \"(Sort|Index Scan)\"")
                .containsAnyOf("\"Sort Key\": [\"vm_dynamic.vm_guid\"]", "\"Index Scan\"");
    }

    @Test
    void openWorkIsFoundWithoutReadingDoneWork() throws SQLException {
        database.execute(
                """
                INSERT INTO pending_work (vm_guid, kind, run_generation, why, created_at, taken_over_at, taken_over_by)
                SELECT vm_guid, 1, 1, 'why', now(), now(), vm_guid FROM vm_dynamic
                """,
                "ANALYZE pending_work");
        try {
            String plan =
                    plan(
                            "SELECT * FROM pending_work WHERE taken_over_at IS NULL ORDER BY"
                                    + " created_at");
            assertThat(plan).contains("idx_pending_work_open");
            assertThat(cost(plan)).isLessThan(20);
        } finally {
            database.execute("TRUNCATE pending_work");
        }
    }

    @Test
    void migratingAgainChangesNothing() throws Exception {
        List<String> before =
                list(
                        "SELECT description || installed_on FROM schema_history ORDER BY"
                                + " installed_rank");
        Database.migrate(database.settings());
        assertThat(
                        list(
                                "SELECT description || installed_on FROM schema_history ORDER BY"
                                        + " installed_rank"))
                .isEqualTo(before);
    }

    @Test
    void aViewOfOthersThatAChangeOfOursWouldBreakIsNamed() throws Exception {
        try (TestDatabase own = TestDatabase.migrated()) {
            own.execute(
                    "CREATE SCHEMA reports",
                    "CREATE VIEW reports.mine AS SELECT * FROM vms_monitoring_view",
                    "UPDATE schema_history SET checksum = 0 WHERE script LIKE"
                            + " '%vms_monitoring_view.sql'");
            assertThatExceptionOfType(StoreUnavailable.class)
                    .isThrownBy(() -> Database.open(own.settings()).close())
                    .withMessageContaining("view reports.mine depends on view vms_monitoring_view")
                    .withMessageContaining("drop them, start this version, and make them again")
                    .withMessageNotContaining("CASCADE");
            own.execute("DROP VIEW reports.mine");
            Database.open(own.settings()).close();
        }
    }

    @Test
    void theMonitoringRoleWritesThroughLightViewsOnly() throws Exception {
        try (Database engine = database.open();
                Connection connection = engine.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT current_user")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("stillwater_monitoring");
            }
            statement.executeUpdate(
                    "UPDATE vm_runtime_light SET vm_fqdn = 'x' WHERE vm_guid = md5('v1')::uuid");
            for (String forbidden :
                    List.of(
                            "UPDATE vm_dynamic SET vm_fqdn = 'x'",
                            "UPDATE vm_static SET vm_name = 'x'",
                            "DELETE FROM vm_dynamic",
                            "DELETE FROM host_static",
                            "INSERT INTO vm_placement_light (vm_guid) VALUES (gen_random_uuid())",
                            "DROP VIEW vm_runtime_light",
                            "CREATE TABLE public.mine (v int)",
                            "UPDATE schema_history SET description = 'x'",
                            "SELECT grant_to_monitoring('ALL', 'vm_dynamic')",
                            "DELETE FROM audit_log")) {
                assertThatExceptionOfType(SQLException.class)
                        .as(forbidden)
                        .isThrownBy(() -> statement.execute(forbidden))
                        .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    void anOwnerWithoutTheRightToMakeRolesGetsAWorkingEngine() throws Exception {
        try (TestDatabase own = TestDatabase.empty()) {
            String name = own.jdbcUrl().replaceAll("^.*/([a-z0-9_]+).*$", "$1");
            String owner = name + "_owner";
            own.execute(
                    "CREATE ROLE " + owner + " LOGIN PASSWORD 'plain' NOSUPERUSER NOCREATEROLE",
                    "ALTER DATABASE " + name + " OWNER TO " + owner,
                    "ALTER SCHEMA public OWNER TO " + owner);
            try {
                DatabaseSettings settings = DatabaseSettings.of(own.jdbcUrl(), owner, "plain");
                try (Database engine = Database.open(settings)) {
                    assertThat(engine.problem()).isNull();
                    assertThat(engine.hosts().loadAll()).isEmpty();
                }
            } finally {
                own.execute(
                        "REASSIGN OWNED BY " + owner + " TO current_user",
                        "DROP OWNED BY " + owner,
                        "ALTER DATABASE " + name + " OWNER TO current_user",
                        "DROP ROLE " + owner);
            }
        }
    }

    @Test
    void anUnreachableDatabaseIsReported() {
        DatabaseSettings nowhere =
                DatabaseSettings.of("jdbc:postgresql://127.0.0.1:1/none", "nobody", "secret");
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> Database.open(nowhere).close())
                .satisfies(e -> assertThat(e.getMessage()).isNotBlank().doesNotContain("secret"));
    }

    private static Map<String, String> columns(String relation) throws SQLException {
        Map<String, String> columns = new TreeMap<>();
        try (Connection connection = database.connect();
                PreparedStatement statement =
                        connection.prepareStatement(
                                """
                                SELECT attname, format_type(atttypid, atttypmod)
                                  FROM pg_attribute
                                 WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped
                                """)) {
            statement.setString(1, relation);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String type = row.getString(2);
                    columns.put(
                            row.getString(1),
                            type.equals("timestamp with time zone") ? "timestamptz" : type);
                }
            }
        }
        return columns;
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

    private static String plan(String query) throws SQLException {
        return String.join("\n", list("EXPLAIN (FORMAT JSON) " + query));
    }

    private static Set<String> relations(String plan) {
        return all(plan, "\"Relation Name\": \"([^\"]+)\"");
    }

    private static Set<String> seqScans(String plan) {
        return all(plan, "\"Node Type\": \"Seq Scan\"[^}]*?\"Relation Name\": \"([^\"]+)\"");
    }

    private static double cost(String plan) {
        return Double.parseDouble(
                all(plan, "^\\[\\s*\\{\\s*\"Plan\": \\{[^{]*?\"Total Cost\": ([0-9.]+)")
                        .iterator()
                        .next());
    }

    private static Set<String> all(String plan, String pattern) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(plan);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** Central European clocks go from 2 to 3 in one night and from 3 to 2 in the other one. */
    @ParameterizedTest
    @ValueSource(strings = {"2031-03-30", "2031-10-26"})
    void aNightInWhichTheClocksChangeHasAPartitionForEachHour(String day) throws SQLException {
        Instant first = Instant.parse(day + "T00:00:00Z");
        List<String> expected = new ArrayList<>();
        for (int hour = 0; hour < 4; hour++) {
            expected.add(
                    "%s to %s"
                            .formatted(
                                    first.plus(Duration.ofHours(hour)),
                                    first.plus(Duration.ofHours(hour + 1))));
        }
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'Europe/Berlin'");
            statement.execute(
                    "SELECT maintain_history('%1$sT00:10Z', '%1$sT03:50Z', '1 day', '1 day', '1 day')"
                            .formatted(day));
            statement.execute("SET timezone = 'UTC'");
            List<String> bounds = new ArrayList<>();
            try (ResultSet rows =
                    statement.executeQuery(
                            """
                            SELECT pg_get_expr(c.relpartbound, c.oid)
                              FROM pg_class c
                              JOIN pg_inherits i ON i.inhrelid = c.oid
                             WHERE i.inhparent = 'vm_samples'::regclass
                               AND c.relname LIKE 'vm_samples_%s%%'
                             ORDER BY c.relname
                            """
                                    .formatted(day.replace("-", "")))) {
                while (rows.next()) {
                    Matcher bound = BOUND.matcher(rows.getString(1));
                    assertThat(bound.find()).as(rows.getString(1)).isTrue();
                    bounds.add(
                            "%s to %s"
                                    .formatted(
                                            Instant.parse(bound.group(1).replace(' ', 'T') + "Z"),
                                            Instant.parse(bound.group(2).replace(' ', 'T') + "Z")));
                }
            }
            assertThat(bounds).isEqualTo(expected);
        }
    }
}
