package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.ConfigurationStore;
import org.stillwater.core.store.ConfigurationStore.HostConfiguration;
import org.stillwater.core.store.ConfigurationStore.VmConfiguration;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.Samples;

/** Each change of a definition keeps a version, from any source. */
class ConfigurationHistoryIT {

    /** Tables of definitions, of their versions, and what is no definition. */
    private record Source(String table, String history, Set<String> leftOut) {}

    private static final List<Source> SOURCES =
            List.of(
                    new Source("data_centre", "data_centre_configuration", Set.of()),
                    new Source("cluster", "cluster_configuration", Set.of()),
                    new Source("host_static", "host_configuration", Set.of("created_at")),
                    new Source(
                            "vm_static",
                            "vm_configuration",
                            Set.of("creation_date", "db_generation")),
                    new Source("vm_interface", "vm_interface_configuration", Set.of()));

    private static final String VERSIONS =
            "SELECT concat_ws(' ', version, vm_name, mem_size_mb, valid_until IS NULL) FROM"
                    + " vm_configuration ORDER BY vm_guid, version";

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws StoreUnavailable {
        server = TestDatabase.migrated();
        database = server.open();
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        server.execute(
                "TRUNCATE vm_static, host_static CASCADE",
                "TRUNCATE vm_configuration, host_configuration, vm_interface_configuration",
                "UPDATE dwh_history_timekeeping SET var_datetime = '2000-01-01 00:00:00+00'");
    }

    private static void add(int vm, String name) throws SQLException {
        server.execute(
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                VALUES ('%s', '%s', 3, 1024, 512)
                """
                        .formatted(Samples.vm(vm), name),
                "INSERT INTO vm_dynamic (vm_guid) VALUES ('%s')".formatted(Samples.vm(vm)));
    }

    private static List<String> list(String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    @Test
    void aChangeEndsOneVersionAndBeginsTheNextWithoutAGap() throws SQLException {
        add(1, "a");
        server.execute("UPDATE vm_static SET mem_size_mb = 2048");
        server.execute("UPDATE vm_static SET vm_name = 'b', mem_size_mb = 4096");
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f", "2 a 2048 f", "3 b 4096 t");
        assertThat(
                        list(
                                """
                                SELECT count(*)
                                  FROM vm_configuration AS a
                                  JOIN vm_configuration AS b ON b.vm_guid = a.vm_guid AND b.version = a.version + 1
                                 WHERE a.valid_until = b.valid_from AND a.valid_from < a.valid_until
                                """))
                .containsExactly("2");
    }

    @Test
    void anUpdateWithoutAChangeIsNoVersion() throws SQLException {
        add(1, "a");
        server.execute(
                "UPDATE vm_static SET mem_size_mb = 1024, vm_name = 'a'",
                "UPDATE vm_static SET mem_size_mb = 7 WHERE false",
                "UPDATE vm_static SET db_generation = db_generation + 1",
                "UPDATE vm_dynamic SET status = 1, vm_fqdn = 'x'",
                "INSERT INTO vm_statistics (vm_guid, cpu_user) VALUES ('%s', 1)"
                        .formatted(Samples.vm(1)));
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 t");
    }

    @Test
    void oneStatementMayChangeSomeOfManyRows() throws SQLException {
        add(1, "a");
        add(2, "b");
        add(3, "c");
        server.execute(
                "UPDATE vm_static SET mem_size_mb = CASE vm_name WHEN 'b' THEN 1024 ELSE 2048 END");
        assertThat(list(VERSIONS))
                .containsExactlyInAnyOrder(
                        "1 a 1024 f", "2 a 2048 t", "1 b 1024 t", "1 c 1024 f", "2 c 2048 t");
    }

    @Test
    void aChangeThatIsNotCommittedIsNoVersion() throws SQLException {
        add(1, "a");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("UPDATE vm_static SET mem_size_mb = 2048");
            connection.rollback();
        }
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 t");
    }

    @Test
    void aTransactionMayChangeSomethingTwice() throws SQLException {
        add(1, "a");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("UPDATE vm_static SET mem_size_mb = 2048");
            statement.execute("UPDATE vm_static SET mem_size_mb = 4096");
            connection.commit();
        }
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f", "2 a 2048 f", "3 a 4096 t");
    }

    @Test
    void aClockThatWasSetBackMakesAShortVersion() throws SQLException {
        add(1, "a");
        server.execute("UPDATE vm_configuration SET valid_from = now() + interval '1 hour'");
        server.execute("UPDATE vm_static SET mem_size_mb = 2048");
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f", "2 a 2048 t");
        server.execute("DELETE FROM vm_static");
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f", "2 a 2048 f");
    }

    @Test
    void versionsOutliveTheirVmAndContinueOnItsReturn() throws SQLException {
        add(1, "a");
        server.execute("DELETE FROM vm_static");
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f");
        add(1, "again");
        server.execute("TRUNCATE vm_static CASCADE");
        assertThat(list(VERSIONS)).containsExactly("1 a 1024 f", "2 again 1024 f");
    }

    @Test
    void aRoleThatChangesDefinitionsCannotWriteHistory() throws SQLException {
        String host = Samples.host(1).toString();
        try (Connection connection = server.connectAs("stillwater_monitoring");
                Statement statement = connection.createStatement()) {
            statement.execute(
                    """
                    INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h', 'a', 1)
                    """
                            .formatted(host));
            for (int port : List.of(1, 2, 2)) {
                statement.execute(
                        """
                        INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h', 'a', %d)
                            ON CONFLICT (host_id) DO UPDATE SET port = excluded.port
                        """
                                .formatted(host, port));
            }
        }
        assertThat(
                        list(
                                "SELECT concat_ws(' ', version, port, valid_until IS NULL) FROM"
                                        + " host_configuration ORDER BY version"))
                .containsExactly("1 1 f", "2 2 t");
    }

    @Test
    void everyColumnOfADefinitionIsKept() throws SQLException {
        for (Source source : SOURCES) {
            Set<String> defined = new TreeSet<>(columns(source.table()));
            defined.removeAll(source.leftOut());
            Set<String> kept = new TreeSet<>(columns(source.history()));
            kept.removeAll(Set.of("version", "valid_from", "valid_until"));
            assertThat(kept)
                    .as("a column that was added to %s needs one in its history", source.table())
                    .isEqualTo(defined);
        }
    }

    private static String kept(Source source) throws SQLException {
        Set<String> columns = new TreeSet<>(columns(source.table()));
        columns.removeAll(source.leftOut());
        return String.join(", ", columns);
    }

    private static List<String> columns(String table) throws SQLException {
        return list(
                "SELECT attname FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped"
                        .formatted(table));
    }

    @Test
    void thePresentDefinitionIsTheOpenVersion() throws SQLException {
        add(1, "a");
        server.execute(
                "INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed) VALUES"
                        + " (gen_random_uuid(), '%s', 'nic1', 'm', 1000)".formatted(Samples.vm(1)),
                "UPDATE vm_interface SET name = 'nic2'",
                "UPDATE cluster SET description = 'changed'");
        for (Source source : SOURCES) {
            assertThat(
                            list(
                                    """
                                    (SELECT %1$s FROM %2$s EXCEPT SELECT %1$s FROM %3$s WHERE valid_until IS NULL)
                                    UNION ALL
                                    (SELECT %1$s FROM %3$s WHERE valid_until IS NULL EXCEPT SELECT %1$s FROM %2$s)
                                    """
                                            .formatted(
                                                    kept(source),
                                                    source.table(),
                                                    source.history())))
                    .as(source.table())
                    .isEmpty();
        }
    }

    @Test
    void aSampleIsJoinedWithTheVersionOfItsTime() throws SQLException {
        add(1, "a");
        server.execute(
                "UPDATE vm_configuration SET valid_from = '2026-01-01 00:00:00+00'",
                "UPDATE vm_static SET mem_size_mb = 2048");
        assertThat(
                        list(
                                """
                                SELECT c.mem_size_mb
                                  FROM (VALUES ('2026-01-02'::timestamptz), (now() + interval '1 second')) AS s (at)
                                  JOIN vm_configuration AS c
                                    ON s.at >= c.valid_from AND (s.at < c.valid_until OR c.valid_until IS NULL)
                                 ORDER BY s.at
                                """))
                .containsExactly("1024", "2048");
    }

    @Test
    void versionsAreReadNewestFirstAndInPages() throws Exception {
        add(1, "a");
        server.execute("UPDATE vm_static SET mem_size_mb = 2048");
        server.execute("UPDATE vm_static SET mem_size_mb = 4096");
        server.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h', 'a', 54321)"
                        .formatted(Samples.host(1)));
        ConfigurationStore store = database.configurations();
        assertThat(store.ofVm(Samples.vm(1), Integer.MAX_VALUE, 2))
                .extracting(VmConfiguration::version, VmConfiguration::memoryMebibytes)
                .containsExactly(tuple(3, 4096), tuple(2, 2048));
        List<VmConfiguration> oldest = store.ofVm(Samples.vm(1), 2, 2);
        assertThat(oldest).hasSize(1);
        assertThat(oldest.getFirst().validUntil()).isNotNull();
        assertThat(oldest.getFirst().cluster()).isEqualTo(ClusterId.DEFAULT);
        HostId host = Samples.host(1);
        List<HostConfiguration> hosts = store.ofHost(host, Integer.MAX_VALUE, 10);
        assertThat(hosts).hasSize(1);
        assertThat(hosts.getFirst().port()).isEqualTo(54321);
        assertThat(hosts.getFirst().validUntil()).isNull();
        assertThat(store.ofHost(Samples.host(2), Integer.MAX_VALUE, 10)).isEmpty();
    }

    @Test
    void aDataWarehouseReadsChangesSinceItsLastRead() throws SQLException {
        Map<String, String> views =
                Map.of(
                        "dwh_datacenter_configuration_history_view",
                        "UPDATE data_centre SET description = description || 'x'",
                        "dwh_cluster_configuration_history_view",
                        "UPDATE cluster SET description = description || 'x'",
                        "dwh_host_configuration_history_view",
                        "UPDATE host_static SET address = address || 'x'",
                        "dwh_vm_configuration_history_view",
                        "UPDATE vm_static SET priority = priority + 1",
                        "dwh_vm_interface_configuration_history_view",
                        "UPDATE vm_interface SET speed = speed + 1");
        add(1, "a");
        server.execute(
                "INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed) VALUES"
                        + " (gen_random_uuid(), '%s', 'nic1', 'm', 1000)".formatted(Samples.vm(1)),
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h', 'a', 54321)"
                        .formatted(Samples.host(1)));
        for (Map.Entry<String, String> view : views.entrySet()) {
            String rows = "SELECT update_date IS NULL FROM " + view.getKey();
            server.execute(
                    "UPDATE dwh_history_timekeeping SET var_datetime = '2000-01-01 00:00:00+00'");
            assertThat(list(rows)).as("%s, never read", view.getKey()).hasSize(1);
            server.execute(
                    "UPDATE dwh_history_timekeeping SET var_datetime = clock_timestamp() WHERE"
                            + " var_name = 'lastSync'");
            assertThat(list(rows)).as("%s, just read", view.getKey()).isEmpty();
            server.execute(view.getValue());
            assertThat(list(rows)).as("%s, changed", view.getKey()).containsExactly("f");
        }
        assertThat(list("SELECT host_name FROM dwh_host_configuration_full_check_view"))
                .as("a host that never answered")
                .containsExactly("h");
    }
}
