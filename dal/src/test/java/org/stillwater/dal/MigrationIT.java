package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.trust.CertificateBinding;

/** Every released version of the schema reaches the newest with its content. */
class MigrationIT {

    /** Everything that makes up the schema, one line each; no object ids, which differ. */
    private static final String CATALOG =
            """
            SELECT format('%s %s options=%s rights=%s rls=%s comment=%s', c.relkind, c.relname, c.reloptions, c.relacl,
                          c.relrowsecurity, obj_description(c.oid, 'pg_class'))
              FROM pg_class AS c
             WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'schema_history%'
            UNION ALL
            SELECT format('column %s %s.%s %s notnull=%s default=%s rights=%s comment=%s', a.attnum, c.relname, a.attname,
                          format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attacl,
                          col_description(c.oid, a.attnum))
              FROM pg_attribute AS a
              JOIN pg_class AS c ON c.oid = a.attrelid
              LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
             WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
               AND c.relname NOT LIKE 'schema_history%'
            UNION ALL
            SELECT format('constraint %s on %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
              FROM pg_constraint
             WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'schema_history%'
            UNION ALL
            SELECT format('index %s: %s', indexrelid::regclass, pg_get_indexdef(indexrelid))
              FROM pg_index AS i
              JOIN pg_class AS c ON c.oid = i.indrelid
             WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'schema_history%'
            UNION ALL
            SELECT format('view %s: %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
            UNION ALL
            SELECT format('function %s rights=%s comment=%s: %s', oid::regprocedure, proacl, obj_description(oid, 'pg_proc'),
                          pg_get_functiondef(oid))
              FROM pg_proc
             WHERE pronamespace = 'public'::regnamespace
            UNION ALL
            SELECT format('trigger %s', pg_get_triggerdef(t.oid))
              FROM pg_trigger AS t
              JOIN pg_class AS c ON c.oid = t.tgrelid
             WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
            UNION ALL
            SELECT format('policy %s on %s for %s to %s: %s', policyname, tablename, cmd, roles, qual) FROM pg_policies
            ORDER BY 1
            """;

    /**
     * Where the rows of one table are looked for; keys in the order of the tables that need them.
     */
    private static final String HOST = "10000000-0000-0000-0000-000000000001";

    private static final String VM = "20000000-0000-0000-0000-000000000001";

    private static final String NIC = "30000000-0000-0000-0000-000000000001";

    /** The version since which hosts are held to their certificates. */
    private static final int CERTIFICATES_ARE_BOUND = 20;

    /** The records of databases of every server since version 16. */
    private static final int CHECKSUM_OF_16 = -2_115_515_325;

    private static List<String> newest;

    @BeforeAll
    static void remember() throws Exception {
        try (TestDatabase fresh = TestDatabase.migrated()) {
            newest = list(fresh, CATALOG);
        }
    }

    @AfterAll
    static void forget() {
        newest = List.of();
    }

    private static Flyway flyway(TestDatabase database, String... locations) {
        return Flyway.configure(MigrationIT.class.getClassLoader())
                .dataSource(database.jdbcUrl(), database.user(), database.password())
                .locations(locations)
                .table("schema_history")
                .load();
    }

    /** All versions but the newest, and none. */
    static Stream<String> releasedVersions() {
        try (TestDatabase empty = TestDatabase.empty()) {
            List<String> versions =
                    Arrays.stream(flyway(empty, "classpath:db/migration").info().all())
                            .map(MigrationInfo::getVersion)
                            .map(MigrationVersion::getVersion)
                            .toList();
            assertThat(versions).hasSizeGreaterThan(8);
            return versions.subList(0, versions.size() - 1).stream();
        }
    }

    static Stream<String> someReleasedVersions() {
        List<String> all = releasedVersions().toList();
        return IntStream.range(0, all.size())
                .filter(n -> n % 10 == 0 || n == all.size() - 1)
                .mapToObj(all::get);
    }

    /** Version 16 is carried out in another form than it has: nothing may differ but that. */
    @Test
    void aDatabaseThatHasVersion16StaysValid() {
        try (TestDatabase empty = TestDatabase.empty()) {
            assertThat(checksums(Schema.flyway(empty.settings(), empty.owner())))
                    .isEqualTo(
                            checksums(flyway(empty, "classpath:db/migration", "classpath:db/view")))
                    .containsEntry("V16__users.sql", CHECKSUM_OF_16);
        }
    }

    private static Map<String, Integer> checksums(Flyway flyway) {
        Map<String, Integer> checksums = new TreeMap<>();
        for (MigrationInfo each : flyway.info().all()) {
            checksums.put(each.getScript(), each.getChecksum());
        }
        return checksums;
    }

    /** Flyway would replace the clause of version 16 in another script, too. */
    @Test
    void onlyVersion16HasAClauseThatPostgres14DoesNotKnow() throws Exception {
        List<String> found = new ArrayList<>();
        try (TestDatabase empty = TestDatabase.empty()) {
            for (MigrationInfo each :
                    flyway(empty, "classpath:db/migration", "classpath:db/view").info().all()) {
                String folder = each.getVersion() == null ? "/db/view/" : "/db/migration/";
                try (InputStream script =
                        MigrationIT.class.getResourceAsStream(folder + each.getScript())) {
                    String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
                    if (text.toUpperCase(Locale.ROOT).contains("UNIQUE NULLS")) {
                        found.add(each.getScript());
                    }
                }
            }
        }
        assertThat(found).containsExactly("V16__users.sql");
    }

    /** As they were made before version 42, by a PostgreSQL that knows the clause. */
    @Test
    void aDatabaseWithTheClauseOfVersion16ReachesTheSameSchema() throws Exception {
        try (TestDatabase old = TestDatabase.empty()) {
            migrateTo("39", old);
            old.execute(
                    """
                    DO $$
                    BEGIN
                        IF current_setting('server_version_num')::integer >= 150000 THEN
                            ALTER TABLE user_grant DROP CONSTRAINT user_grant_user_id_role_cluster_id_vm_guid_key;
                            EXECUTE 'ALTER TABLE user_grant ADD UNIQUE NULLS NOT DISTINCT (user_id, role, cluster_id, vm_guid)';
                        END IF;
                    END
                    $$
                    """);
            Database.migrate(old.settings());
            assertThat(list(old, CATALOG)).isEqualTo(newest);
        }
    }

    @Test
    void anEmptyDatabaseReachesTheNewestVersion() throws Exception {
        try (TestDatabase empty = TestDatabase.empty()) {
            Database.migrate(empty.settings());
            assertThat(list(empty, CATALOG)).isEqualTo(newest);
        }
    }

    @Tag("full")
    @ParameterizedTest(name = "from version {0}")
    @MethodSource("releasedVersions")
    void everyReleasedVersionReachesTheNewestWithItsRows(String version) throws Exception {
        reachesTheNewestWithItsRows(version);
    }

    /** The first, the last, and one of ten in between. */
    @ParameterizedTest(name = "from version {0}")
    @MethodSource("someReleasedVersions")
    void aReleasedVersionReachesTheNewestWithItsRows(String version) throws Exception {
        reachesTheNewestWithItsRows(version);
    }

    private void reachesTheNewestWithItsRows(String version) throws Exception {
        try (TestDatabase old = TestDatabase.empty()) {
            migrateTo(version, old);
            fill(old);
            Map<String, Table> before = tables(old, Map.of());
            assertThat(before.get("vm_static").rows()).hasSize(1);

            Database.migrate(old.settings());

            assertThat(list(old, CATALOG)).isEqualTo(newest);
            Map<String, Table> after = tables(old, before);
            before.forEach((name, table) ->
                    assertThat(after.get(name).rows())
                            .as("rows of %s, in the columns they had", name)
                            .containsAll(withoutWhatMigrationsDecide(name, table.rows())));
            for (String history : List.of("vm_configuration", "host_configuration")) {
                assertThat(
                                list(
                                        old,
                                        "SELECT version FROM %s WHERE valid_until IS NULL"
                                                .formatted(history)))
                        .as("what was there has its first version in %s", history)
                        .containsExactly("1");
            }
            try (Database engine = old.open()) {
                assertThat(engine.hosts().loadAll())
                        .as("the engine finds its hosts")
                        .hasSize(1)
                        .first()
                        .satisfies(
                                host -> assertThat(host.definition().name()).isEqualTo("old host"));
                if (Integer.parseInt(version) < CERTIFICATES_ARE_BOUND) {
                    assertThat(engine.hosts().loadCertificates())
                            .as("a host of before is accepted at its next contact")
                            .hasEntrySatisfying(
                                    new HostId(UUID.fromString(HOST)),
                                    binding ->
                                            assertThat(binding.kind())
                                                    .isEqualTo(CertificateBinding.Kind.OPEN));
                }
                List<String> vms = new ArrayList<>();
                engine.vms().loadAll(vm -> vms.add(vm.definition().name()));
                assertThat(vms).containsExactly("old VM");
            }
        }
    }

    /** The digest says whether interfaces are saved anew, and addresses come from them. */
    @Test
    void addressesThatAreTooLongComeBackWithTheNextPoll() throws Exception {
        try (TestDatabase old = TestDatabase.empty()) {
            migrateTo("22", old);
            fill(old);
            String state =
                    "SELECT concat_ws(' ', guest_agent_nics_hash, left(vm_ip, 9), (SELECT count(*)"
                            + " FROM vm_guest_agent_interfaces)) FROM vm_dynamic";
            old.execute(
                    "UPDATE vm_dynamic SET guest_agent_nics_hash = 7, vm_ip = repeat('192.0.2.1 ',"
                            + " 2000)");
            assertThat(list(old, state)).containsExactly("7 192.0.2.1 1");
            Database.migrate(old.settings());
            assertThat(list(old, state)).containsExactly("0 0");
        }
    }

    @Test
    void workThatNoCommandDidIsDeleted() throws Exception {
        try (TestDatabase old = TestDatabase.empty()) {
            migrateTo("30", old);
            fill(old);
            old.execute(
                    """
                    INSERT INTO pending_work (vm_guid, kind, run_generation, why, created_at)
                    VALUES ('%s', 6, 1, 'it runs the engine', now())
                    """
                            .formatted(VM));
            Database.migrate(old.settings());
            assertThat(list(old, "SELECT kind FROM pending_work")).containsExactly("1");
        }
    }

    private static void migrateTo(String version, TestDatabase database) throws StoreUnavailable {
        SchemaVersions.make(database.settings(), "public", version);
    }

    /** A row in every table that a row can be put into without knowing more than its columns. */
    private static void fill(TestDatabase database) throws SQLException {
        database.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'old host', 'h', 54321)"
                        .formatted(HOST),
                "INSERT INTO host_dynamic (host_id, status, cpu_model) VALUES ('%s', 3, 'old model')"
                        .formatted(HOST),
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                VALUES ('%s', 'old VM', 3, 1024, 512)
                """
                        .formatted(VM),
                "INSERT INTO vm_dynamic (vm_guid, status, run_on_vds, vm_fqdn) VALUES ('%s', 1, '%s', 'old.example')"
                        .formatted(VM, HOST),
                """
                INSERT INTO vm_device (device_id, vm_id, type, device, is_managed, is_plugged)
                VALUES ('%s', '%s', 'disk', 'disk', true, true)
                """
                        .formatted(NIC, VM),
                """
                INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed)
                VALUES ('%s', '%s', 'nic1', '02:00:00:00:00:01', 1000)
                """
                        .formatted(NIC, VM),
                "INSERT INTO vm_interface_statistics (id, rx_rate) VALUES ('%s', 12.5)"
                        .formatted(NIC),
                """
                INSERT INTO vm_guest_agent_interfaces (vm_guid, nic_index, interface_name, mac_addr)
                VALUES ('%s', 0, 'eth0', '02:00:00:00:00:01')
                """
                        .formatted(VM),
                "INSERT INTO vm_statistics (vm_guid, cpu_user) VALUES ('%s', 12.5)".formatted(VM));
        Map<String, String> later =
                Map.of(
                        "pending_work",
                        """
                        INSERT INTO pending_work (vm_guid, kind, run_generation, why, created_at)
                        VALUES ('%2$s', 1, 1, 'old', now())
                        """,
                        "audit_log",
                        """
                        INSERT INTO audit_log (audit_log_id, log_time, log_type, log_type_name, severity, message)
                        VALUES (1, now(), 1, 'OLD', 0, 'old')
                        """,
                        "vm_external_data",
                        "INSERT INTO vm_external_data (vm_guid, kind, hash, data) VALUES ('%2$s',"
                                + " 0, 'h', 'd')",
                        "vm_jobs",
                        "INSERT INTO vm_jobs (vm_job_id, vm_id) VALUES ('%1$s', '%2$s')",
                        "luns",
                        "INSERT INTO luns (lun_id, device_size_gb) VALUES ('lun', 7)",
                        "numa_node",
                        "INSERT INTO numa_node (host_id, node_index, mem_total_mb) VALUES ('%1$s',"
                                + " 0, 7)",
                        "host_statistics",
                        "INSERT INTO host_statistics (host_id, cpu_user) VALUES ('%1$s', 12.5)",
                        "host_interface_statistics",
                        "INSERT INTO host_interface_statistics (host_id, name) VALUES ('%1$s',"
                                + " 'ens1')",
                        "host_work",
                        """
                        INSERT INTO host_work (host_id, kind, episode, attempt, why, created_at)
                        VALUES ('%1$s', 1, 1, 0, 'old', now())
                        """,
                        "disk_image_dynamic",
                        "INSERT INTO disk_image_dynamic (vm_guid, image_id, read_rate) VALUES"
                                + " ('%2$s', '%1$s', 7)");
        for (Map.Entry<String, String> table : later.entrySet()) {
            if (!list(database, "SELECT to_regclass('%s')::text".formatted(table.getKey()))
                    .contains(null)) {
                database.execute(table.getValue().formatted(HOST, VM));
            }
        }
    }

    /** Cluster ids were given to all hosts and VMs in version 7, names of systems a date in 27. */
    private static List<String> withoutWhatMigrationsDecide(String table, List<String> rows) {
        boolean inCluster = table.equals("host_static") || table.equals("vm_static");
        return rows.stream()
                .filter(row -> !inCluster || !row.contains("\"cluster_id\": null"))
                .filter(row -> !row.contains("\"lastOsinfoUpdate\""))
                .toList();
    }

    /**
     * What is in a table.
     *
     * @param columns its columns, each as name and value
     * @param rows as JSON objects
     */
    private record Table(String columns, List<String> rows) {}

    /** Every table with rows, in all of its columns or in those of {@code asked}. */
    private static Map<String, Table> tables(TestDatabase database, Map<String, Table> asked)
            throws SQLException {
        Map<String, Table> tables = new TreeMap<>();
        try (Connection connection = database.connect()) {
            for (String name :
                    list(
                            connection,
                            """
                            SELECT relname FROM pg_class
                             WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                               AND relname <> 'schema_history'
                            """)) {
                Table known = asked.get(name);
                String columns = known != null ? known.columns() : columns(connection, name);
                List<String> rows = new ArrayList<>();
                for (List<String> some : chunks(columns)) {
                    rows.addAll(
                            list(
                                    connection,
                                    "SELECT jsonb_build_object(%s)::text FROM %s"
                                            .formatted(String.join(", ", some), name)));
                }
                if (!rows.isEmpty()) {
                    tables.put(name, new Table(columns, rows));
                }
            }
        }
        return tables;
    }

    private static String columns(Connection connection, String table) throws SQLException {
        return list(
                        connection,
                        """
                        SELECT string_agg(format('%%L, %%I', attname, attname), ', ' ORDER BY attnum)
                          FROM pg_attribute
                         WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped
                        """
                                .formatted(table))
                .getFirst();
    }

    /** A function takes a hundred arguments at most. */
    private static List<List<String>> chunks(String columns) {
        List<String> all = List.of(columns.split(", "));
        List<List<String>> chunks = new ArrayList<>();
        for (int from = 0; from < all.size(); from += 80) {
            chunks.add(all.subList(from, Math.min(from + 80, all.size())));
        }
        return chunks;
    }

    private static List<String> list(TestDatabase database, String query) throws SQLException {
        try (Connection connection = database.connect()) {
            return list(connection, query);
        }
    }

    private static List<String> list(Connection connection, String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }
}
