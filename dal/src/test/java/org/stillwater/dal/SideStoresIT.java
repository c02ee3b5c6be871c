package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostNumaNode;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.JobStore;
import org.stillwater.core.port.LunStore;
import org.stillwater.core.port.NumaStore;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.StatisticsStore.Sample;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.testkit.JobStoreContract;
import org.stillwater.testkit.LunStoreContract;
import org.stillwater.testkit.NumaStoreContract;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.StatisticsStoreContract;

/** Jobs, LUN sizes, NUMA nodes and samples in PostgreSQL, under the rights of monitoring. */
class SideStoresIT {

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

    private static void execute(String... statements) {
        try {
            server.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void onlyVms(Map<VmId, VmStatus> vms) {
        execute("TRUNCATE vm_static, host_static, luns, disk_lun_map CASCADE");
        for (VmId id : vms.keySet()) {
            execute(
                    """
                    INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem,
                                           num_of_sockets, cpu_per_socket, threads_per_cpu)
                    VALUES ('%s', 'v', 3, 1, 1, 2, 2, 2)
                    """
                            .formatted(id),
                    "INSERT INTO vm_dynamic (vm_guid, status) VALUES ('%s', %d)"
                            .formatted(id, vms.get(id).code()));
        }
    }

    private static <T> List<T> query(Reader<T> reader, String sql, Object... parameters) {
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<T> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(reader.read(row));
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    @Nested
    class Jobs extends JobStoreContract {
        @Override
        protected JobStore emptyJobs(Map<VmId, VmStatus> vms) {
            onlyVms(vms);
            return database.stores().jobs();
        }
    }

    @Nested
    class Luns extends LunStoreContract {
        @Override
        protected LunStore tenGibibytes(List<String> luns, VmId vm, VmId other) {
            onlyVms(Map.of(vm, VmStatus.UP, other, VmStatus.UP));
            for (int i = 0; i < luns.size(); i++) {
                String disk = "00000000-0000-0000-0000-00000000000" + i;
                query(
                        row -> row.getString(1),
                        "WITH l AS (INSERT INTO luns VALUES (?, 10) RETURNING lun_id) INSERT INTO"
                                + " disk_lun_map SELECT ?::uuid, lun_id FROM l RETURNING lun_id",
                        luns.get(i),
                        disk);
                for (VmId user : List.of(vm, other)) {
                    execute(
                            """
                            INSERT INTO vm_device (device_id, vm_id, type, device, is_managed, is_plugged)
                            VALUES ('%s', '%s', 'disk', 'disk', true, %s)
                            """
                                    .formatted(disk, user, user.equals(vm)));
                }
            }
            return database.stores().luns();
        }

        @Override
        protected int sizeOf(String lunId) {
            return query(
                            row -> row.getInt(1),
                            "SELECT device_size_gb FROM luns WHERE lun_id = ?",
                            lunId)
                    .getFirst();
        }
    }

    @Nested
    class Numa extends NumaStoreContract {
        @Override
        protected NumaStore emptyNuma(List<HostId> hosts) {
            execute("TRUNCATE vm_static, host_static CASCADE");
            for (HostId host : hosts) {
                execute(
                        """
                        INSERT INTO host_static (host_id, host_name, address, port)
                        VALUES ('%s', '%s', 'h', 1)
                        """
                                .formatted(host, host));
            }
            return database.stores().numa();
        }

        @Override
        protected List<HostNumaNode> nodesOf(HostId host) {
            return query(
                    row ->
                            new HostNumaNode(
                                    row.getInt(1),
                                    row.getObject(2, Long.class),
                                    numbers(row.getArray(3)),
                                    numbers(row.getArray(4)),
                                    Map.of()),
                    "SELECT node_index, mem_total_mb, cpu_ids, distances FROM numa_node WHERE"
                            + " host_id = ? ORDER BY node_index",
                    host.value());
        }

        private static List<Integer> numbers(Array array) throws SQLException {
            return Arrays.asList((Integer[]) array.getArray());
        }

        @Test
        void aHostThatIsGoneIsLeftOut() {
            emptyNuma(List.of());
            assertThat(
                            database.stores()
                                    .numa()
                                    .replace(
                                            List.of(
                                                    new NumaStore.HostNuma(
                                                            Samples.host(1),
                                                            List.of(
                                                                    new HostNumaNode(
                                                                            0, 1L, List.of(),
                                                                            List.of(),
                                                                            Map.of()))))))
                    .isEqualTo(new WriteOutcome.Written(0, List.of()));
        }
    }

    @Nested
    class Statistics extends StatisticsStoreContract {
        @Override
        protected StatisticsStore emptyStatistics(List<VmId> vms) {
            Map<VmId, VmStatus> all = new HashMap<>();
            vms.forEach(vm -> all.put(vm, VmStatus.UP));
            onlyVms(all);
            execute("DELETE FROM host_static");
            execute(
                    "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s',"
                                    .formatted(Samples.host(1))
                            + " 'h', 'a', 54321)");
            return database.stores().statistics();
        }

        @Override
        protected int rowsOf(int interfaces) {
            return 1 + interfaces;
        }

        @Override
        protected Sample sampleOf(VmId vm) {
            List<Sample> rows =
                    query(
                            row ->
                                    new Sample(
                                            vm,
                                            row.getObject(1, Double.class),
                                            row.getObject(2, Double.class),
                                            row.getObject(3, Long.class),
                                            row.getObject(4, Integer.class),
                                            row.getObject(5, Integer.class),
                                            row.getObject(6, Integer.class),
                                            row.getString(7),
                                            row.getObject(8, Long.class),
                                            row.getObject(9, Long.class)),
                            "SELECT cpu_user, cpu_sys, elapsed_time, usage_cpu_percent,"
                                + " usage_mem_percent, usage_network_percent, disks_usage,"
                                + " guest_mem_buffered, guest_mem_cached FROM vm_statistics WHERE"
                                + " vm_guid = ?",
                            vm.toUuid());
            return rows.isEmpty() ? null : rows.getFirst();
        }

        @Test
        void aDumpIsOneStatementOfItsOwnStage() {
            List<VmId> vms = LongStream.range(0, 300).mapToObj(Samples::vm).sorted().toList();
            StatisticsStore store = emptyStatistics(vms);
            long statements = database.statements().statements(SqlStage.DWH);
            assertThat(store.dump(vms.stream().map(vm -> sample(vm, 1)).toList(), List.of()))
                    .isEqualTo(new WriteOutcome.Written(300, List.of()));
            assertThat(database.statements().statements(SqlStage.DWH) - statements).isEqualTo(1);
        }

        @Test
        void aVmThatIsGoneIsLeftOut() {
            StatisticsStore store = emptyStatistics(List.of(Samples.vm(1)));
            assertThat(
                            store.dump(
                                    List.of(sample(Samples.vm(1), 1), sample(Samples.vm(5), 1)),
                                    List.of()))
                    .isEqualTo(new WriteOutcome.Written(1, List.of()));
        }

        @Test
        void aDataWarehouseSeesTimesOfTheWholeMachine() {
            VmId vm = Samples.vm(1);
            emptyStatistics(List.of(vm)).dump(List.of(sample(vm, 7)), List.of());
            execute(
                    "UPDATE vm_dynamic SET status = 1, guest_cur_user_name = 'root', client_ip ="
                            + " '192.0.2.7'");
            List<String> seen =
                    query(
                            row ->
                                    "%d %d %d %s %s %s %s %s %d %d"
                                            .formatted(
                                                    row.getInt("vm_status"),
                                                    row.getInt("cpu_usage_percent"),
                                                    row.getInt("memory_usage_percent"),
                                                    row.getDouble("user_cpu_usage_percent"),
                                                    row.getDouble("system_cpu_usage_percent"),
                                                    row.getBoolean("user_logged_in_to_guest"),
                                                    row.getString("vm_client_ip"),
                                                    row.getString("currently_running_on_host"),
                                                    row.getLong("memory_buffered_kb"),
                                                    row.getLong("memory_cached_kb")),
                            "SELECT * FROM dwh_vm_history_view WHERE vm_id = ?",
                            vm.toUuid());
            // 2 sockets of 2 cores: the threads do not count.
            assertThat(seen).containsExactly("1 6 40 3.125 0.0625 true 192.0.2.7 null 1024 2048");
        }

        @Test
        void anAbsentDatabaseIsToldAndNothingIsLost() {
            VmId vm = Samples.vm(1);
            StatisticsStore store = emptyStatistics(List.of(vm));
            server.allowConnections(false);
            server.dropConnections();
            try {
                assertThat(store.dump(List.of(sample(vm, 1)), List.of()))
                        .isInstanceOf(WriteOutcome.Unavailable.class);
            } finally {
                server.allowConnections(true);
            }
            assertThat(store.dump(List.of(sample(vm, 1)), List.of()))
                    .isInstanceOf(WriteOutcome.Written.class);
        }

        private static Sample sample(VmId vm, long elapsed) {
            return new Sample(
                    vm, 12.5, 0.25, elapsed, 6, 40, 0, "[{\"path\":\"/ü\"}]", 1_024L, 2_048L);
        }
    }
}
