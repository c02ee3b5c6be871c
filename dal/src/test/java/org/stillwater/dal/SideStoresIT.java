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
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.LunStore;
import org.stillwater.core.store.LunStore.LunSize;
import org.stillwater.core.store.NumaStore;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.DiskSample;
import org.stillwater.core.store.StatisticsStore.NicSample;
import org.stillwater.core.store.StatisticsStore.Sample;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.core.vm.StatisticsField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.JobStoreContract;
import org.stillwater.testkit.contract.LunStoreContract;
import org.stillwater.testkit.contract.NumaStoreContract;
import org.stillwater.testkit.contract.StatisticsStoreContract;

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
        @Test
        void aDeviceReportedByAHostOnlyHasNoLun() {
            VmId vm = Samples.vm(1);
            LunStore store = tenGibibytes(List.of("lun"), vm, Samples.vm(2));
            execute("UPDATE vm_device SET is_managed = false");
            assertThat(store.saveSizes(List.of(new LunSize(vm, "lun", 12))))
                    .isEqualTo(new WriteOutcome.Written(0, List.of()));
            assertThat(sizeOf("lun")).isEqualTo(10);
        }

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
            execute(
                    "UPDATE dwh_history_timekeeping SET var_value = 'dumping' WHERE var_name ="
                            + " 'heartBeat'");
            return database.stores().statistics();
        }

        @Override
        protected UUID interfaceOf(VmId vm) {
            UUID id = new UUID(99, vm.leastSignificantBits());
            execute(
                    "INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed) VALUES ('%s',"
                                    .formatted(id)
                            + " '%s', 'nic1', '02:00:00:00:00:01', 1000)".formatted(vm));
            return id;
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
                                            row.getObject(9, Long.class),
                                            List.of(),
                                            List.of(),
                                            true),
                            "SELECT cpu_user, cpu_sys, elapsed_time, usage_cpu_percent,"
                                + " usage_mem_percent, usage_network_percent, disks_usage,"
                                + " guest_mem_buffered, guest_mem_cached FROM vm_statistics WHERE"
                                + " vm_guid = ?",
                            vm.toUuid());
            return rows.isEmpty() ? null : rows.getFirst();
        }

        @Test
        void aDumpOfAnySizeIsAHandfulOfStatements() {
            List<VmId> vms = LongStream.range(0, 300).mapToObj(Samples::vm).sorted().toList();
            StatisticsStore store = emptyStatistics(vms);
            long statements = database.statements().statements(SqlStage.DWH);
            assertThat(store.dump(vms.stream().map(vm -> full(vm, 1, 1)).toList(), List.of()))
                    .as("a shared disk is written once for each of its VMs")
                    .isEqualTo(new WriteOutcome.Written(600, List.of()));
            assertThat(database.statements().statements(SqlStage.DWH) - statements)
                    .as("VMs, what is left of interfaces, disks, and what is left of those")
                    .isEqualTo(4);
            statements = database.statements().statements(SqlStage.DWH);
            assertThat(
                            store.dump(
                                    vms.stream().map(vm -> full(vm, 2, 2, false)).toList(),
                                    List.of()))
                    .isEqualTo(new WriteOutcome.Written(600, List.of()));
            assertThat(database.statements().statements(SqlStage.DWH) - statements)
                    .as("nothing is looked for where no set changed")
                    .isEqualTo(2);
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
            assertThat(seen).containsExactly("1 6 40 3.0 0.0 true 192.0.2.7 null 1024 2048");
        }

        @Test
        void aDataWarehouseSeesSharedDisksOnceWithTheSumOfTheirVms() {
            List<VmId> vms = List.of(Samples.vm(1), Samples.vm(2));
            emptyStatistics(vms)
                    .dump(
                            List.of(
                                    full(vms.getFirst(), 1, 3L << 30),
                                    full(vms.getLast(), 2, Long.MAX_VALUE)),
                            List.of());
            assertThat(
                            strings(
                                    "SELECT row_to_json(v)::text FROM dwh_vm_disks_history_view AS"
                                            + " v"))
                    .as("a rate that no column of the data warehouse holds is cut off")
                    .containsExactly(
                            "{\"vm_disk_id\":\"00000000-0000-0007-0000-000000000007\","
                                    + "\"image_id\":\"00000000-0000-0007-0000-000000000007\","
                                    + "\"vm_disk_status\":1,\"vm_disk_actual_size_mb\":1024,"
                                    + "\"read_rate_bytes_per_second\":2147483647,"
                                    + "\"read_ops_per_second\":14,"
                                    + "\"read_latency_seconds\":0.250000000,"
                                    + "\"write_rate_bytes_per_second\":0,"
                                    + "\"write_ops_per_second\":null,"
                                    + "\"write_latency_seconds\":0.000000000,"
                                    + "\"flush_latency_seconds\":null,"
                                    + "\"read_ops_total_count\":14,"
                                    + "\"write_ops_total_count\":null}");
        }

        @Test
        void aDataWarehouseSeesInterfacesOfVmsAndHosts() {
            VmId vm = Samples.vm(1);
            StatisticsStore store = emptyStatistics(List.of(vm));
            UUID nic = interfaceOf(vm);
            store.dump(
                    List.of(
                            new Sample(
                                    vm,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    List.of(
                                            new NicSample(
                                                    nic,
                                                    InterfaceStatus.UP,
                                                    12.34567,
                                                    null,
                                                    1L,
                                                    2L,
                                                    10L,
                                                    20L,
                                                    0L,
                                                    0L,
                                                    5.0)),
                                    List.of(),
                                    true)),
                    List.of());
            String seen =
                    "\"receive_rate_percent\":12.3457,\"transmit_rate_percent\":null,"
                            + "\"received_total_byte\":10,\"transmitted_total_byte\":20,"
                            + "\"received_dropped_total_packets\":1,"
                            + "\"transmitted_dropped_total_packets\":2}";
            assertThat(
                            strings(
                                    "SELECT row_to_json(v)::text FROM dwh_vm_interface_history_view"
                                            + " AS v"))
                    .containsExactly("{\"vm_interface_id\":\"" + nic + "\"," + seen);
            execute(
                    """
                    INSERT INTO host_interface_statistics (host_id, name, rx_rate, rx_total, tx_total, rx_drop, tx_drop)
                    VALUES ('%s', 'ens1', 12.3457, 10, 20, 1, 2)
                    """
                            .formatted(Samples.host(1)));
            assertThat(
                            strings(
                                    "SELECT row_to_json(v)::text FROM"
                                            + " dwh_host_interface_history_view AS v"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .endsWith(seen);
        }

        @Test
        void aDataWarehouseSeesHostsWithTheProcessorsOfTheirVms() {
            VmId vm = Samples.vm(1);
            emptyStatistics(List.of(vm));
            execute(
                    "INSERT INTO host_dynamic (host_id, status) VALUES ('%s', 3)"
                            .formatted(Samples.host(1)),
                    "UPDATE vm_dynamic SET run_on_vds = '%s'".formatted(Samples.host(1)),
                    """
                    INSERT INTO host_statistics (host_id, usage_mem_percent, usage_cpu_percent, ksm_cpu_percent, cpu_load,
                                                 cpu_sys, cpu_user, swap_total, swap_free, vm_active, vm_count, mem_shared)
                    VALUES ('%s', 50, 7, NULL, 150.5, 'NaN', -1, 9223372036854775807, 0, 3, 4, 12)
                    """
                            .formatted(Samples.host(1)));
            assertThat(strings("SELECT row_to_json(v)::text FROM dwh_host_history_view AS v"))
                    .as("whatever a host may report, the view answers")
                    .containsExactly(
                            "{\"host_id\":\""
                                    + Samples.host(1)
                                    + "\",\"host_status\":3,\"memory_usage_percent\":50,"
                                    + "\"cpu_usage_percent\":7,\"ksm_cpu_percent\":null,"
                                    + "\"cpu_load\":151,\"system_cpu_usage_percent\":32767,"
                                    + "\"user_cpu_usage_percent\":0,\"swap_used_mb\":2147483647,"
                                    + "\"vm_active\":3,\"total_vms\":4,\"total_vms_vcpus\":4,"
                                    + "\"ksm_shared_memory_mb\":12}");
        }

        @Test
        void aHeartbeatMovesItsRowOnly() throws StoreUnavailable {
            StatisticsStore store = emptyStatistics(List.of());
            execute("UPDATE dwh_history_timekeeping SET var_datetime = '2000-01-01 00:00:00+00'");
            store.heartbeat();
            assertThat(
                            strings(
                                    "SELECT var_name FROM dwh_history_timekeeping WHERE"
                                            + " var_datetime > now() - interval '1 minute'"))
                    .containsExactly("heartBeat");
        }

        @Test
        void everyFieldWithAColumnIsWrittenThereAndNothingElseIs() {
            Set<String> classified = new TreeSet<>();
            for (StatisticsField field : StatisticsField.values()) {
                if (field.column() != null) {
                    classified.add(field.column());
                }
            }
            for (HostField field : HostField.values()) {
                if (field.source() == HostField.Source.STATISTICS && field.storedIn() != null) {
                    classified.add(field.storedIn());
                }
            }
            // What no report has: keys, what the engine computes of hosts, and their interfaces,
            // which are one field.
            classified.remove("host_interface_statistics");
            classified.addAll(
                    Set.of(
                            "vm_statistics.vm_guid",
                            "disk_image_dynamic.vm_guid",
                            "host_statistics.host_id",
                            "host_statistics.usage_cpu_percent",
                            "host_statistics.usage_mem_percent",
                            "host_statistics.usage_network_percent"));
            classified.addAll(columnsOf("host_interface_statistics"));
            assertThat(JdbcStatisticsStore.columns())
                    .containsExactlyInAnyOrderElementsOf(classified);

            Set<String> there = new TreeSet<>();
            for (String table :
                    List.of(
                            "vm_statistics",
                            "vm_interface_statistics",
                            "disk_image_dynamic",
                            "host_statistics",
                            "host_interface_statistics")) {
                there.addAll(columnsOf(table));
            }
            there.removeAll(Set.of("vm_statistics._update_date", "host_statistics._update_date"));
            assertThat(JdbcStatisticsStore.columns()).containsExactlyInAnyOrderElementsOf(there);
        }

        private static List<String> columnsOf(String table) {
            return strings(
                    "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE"
                            + " table_schema = 'public' AND table_name = '"
                            + table
                            + "'");
        }

        private static List<String> strings(String sql) {
            return query(row -> row.getString(1), sql);
        }

        private static Sample full(VmId vm, long elapsed, long rate) {
            return full(vm, elapsed, rate, true);
        }

        private static Sample full(VmId vm, long elapsed, long rate, boolean partsChanged) {
            return new Sample(
                    vm,
                    12.5,
                    0.25,
                    elapsed,
                    6,
                    40,
                    0,
                    null,
                    1_024L,
                    2_048L,
                    List.of(),
                    List.of(
                            new DiskSample(
                                    new UUID(7, 7),
                                    rate,
                                    0L,
                                    7L,
                                    null,
                                    1L << 30,
                                    0.125 * elapsed,
                                    0.0,
                                    null)),
                    partsChanged);
        }

        @Test
        void anAbsentDatabaseIsReportedAndNothingIsLost() throws Exception {
            VmId vm = Samples.vm(1);
            StatisticsStore _ = emptyStatistics(List.of(vm));
            try (Database impatient = server.openImpatient()) {
                StatisticsStore store = impatient.stores().statistics();
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
        }

        private static Sample sample(VmId vm, long elapsed) {
            return new Sample(
                    vm,
                    12.5,
                    0.25,
                    elapsed,
                    6,
                    40,
                    0,
                    "[{\"path\":\"/ü\"}]",
                    1_024L,
                    2_048L,
                    List.of(),
                    List.of(),
                    true);
        }
    }
}
