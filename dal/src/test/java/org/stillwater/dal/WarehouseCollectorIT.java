package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.TagStore;
import org.stillwater.dal.CollectorStatement.Given;
import org.stillwater.dal.CollectorStatement.Read;
import org.stillwater.dal.CollectorStatement.Selected;
import org.stillwater.dal.CollectorStatement.Write;
import org.stillwater.testkit.Samples;

/**
 * Every statement of the collector of oVirt's data warehouse, run with the rights of a data
 * warehouse on a fleet that the engine's own stores wrote.
 */
class WarehouseCollectorIT {

    private static final String WAREHOUSE = "stillwater_dwh";

    private static TestDatabase server;
    private static WarehouseFleet fleet;

    @BeforeAll
    static void open() throws Exception {
        server = TestDatabase.migrated();
        fleet = new WarehouseFleet(server);
    }

    @AfterAll
    static void close() {
        fleet.close();
        server.close();
    }

    @BeforeEach
    void begin() throws SQLException {
        server.execute(
                "DELETE FROM dwh_history_timekeeping WHERE var_name IN ('lastSampling',"
                        + " 'lastErrorSent', 'timesFailed', 'lastOsinfoSync')",
                "UPDATE dwh_history_timekeeping SET var_datetime = '2000-01-01 00:00:00+00' WHERE"
                        + " var_name IN ('lastSync', 'lastFullHostCheck')");
    }

    static Stream<Read> reads() {
        return CollectorStatement.all().stream()
                .filter(Read.class::isInstance)
                .map(Read.class::cast);
    }

    static Stream<Write> writes() {
        return CollectorStatement.all().stream()
                .filter(Write.class::isInstance)
                .map(Write.class::cast);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("reads")
    void readColumnsExistWithTheirTypes(Read read) throws SQLException {
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(read.sql())) {
            assertThat(types(row.getMetaData())).isEqualTo(expected(read));
            int rows = 0;
            while (row.next()) {
                rows++;
                for (Selected column : read.columns()) {
                    Object value = get(row, column);
                    if (column.required()) {
                        assertThat(value).as(column.name()).isNotNull();
                    }
                }
            }
            assertThat(rows > 0).as("%s rows", rows).isEqualTo(read.rows());
        }
    }

    private static Map<String, JDBCType> types(ResultSetMetaData data) throws SQLException {
        Map<String, JDBCType> types = new LinkedHashMap<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            types.put(data.getColumnLabel(i), JDBCType.valueOf(data.getColumnType(i)));
        }
        return types;
    }

    private static Map<String, JDBCType> expected(Read read) {
        Map<String, JDBCType> types = new LinkedHashMap<>();
        read.columns().forEach(column -> types.put(column.name(), column.type()));
        return types;
    }

    private static @Nullable Object get(ResultSet row, Selected column) throws SQLException {
        String name = column.name();
        Object value =
                switch (column.getter()) {
                    case "Object" -> row.getObject(name);
                    case "String" -> row.getString(name);
                    case "Short" -> row.getShort(name);
                    case "Integer" -> row.getInt(name);
                    case "Long" -> row.getLong(name);
                    case "Double" -> row.getDouble(name);
                    case "Boolean" -> row.getBoolean(name);
                    case "Timestamp" -> row.getTimestamp(name);
                    default -> throw new IllegalArgumentException(column.getter());
                };
        return row.wasNull() ? null : value;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("writes")
    void writtenRowsAreAccepted(Write write) throws SQLException {
        try (Connection connection = server.connectAs(WAREHOUSE)) {
            if (write.key().isEmpty()) {
                assertThat(run(connection, insert(write), write.values())).isEqualTo(1);
            } else {
                // It updates and adds what it misses, or counts first.
                if (run(connection, update(write), write.values(), write.key()) == 0) {
                    run(connection, insert(write), write.key(), write.values());
                }
                assertThat(count(connection, write)).isEqualTo(1);
                assertThat(run(connection, update(write), write.values(), write.key()))
                        .isEqualTo(1);
            }
        }
        for (Given value : write.values()) {
            assertThat(
                            list(
                                    "SELECT count(*) FROM %s WHERE %s = '%s'"
                                            .formatted(
                                                    write.relation(),
                                                    value.column(),
                                                    value.value())))
                    .as("rows with %s", value)
                    .isNotEqualTo(List.of("0"));
        }
    }

    private static String insert(Write write) {
        List<String> columns =
                Stream.concat(write.key().stream(), write.values().stream())
                        .map(Given::column)
                        .toList();
        return "INSERT INTO %s (%s) VALUES (%s)"
                .formatted(
                        write.relation(),
                        String.join(", ", columns),
                        columns.stream().map(_ -> "?").collect(Collectors.joining(", ")));
    }

    private static String update(Write write) {
        return "UPDATE %s SET %s WHERE %s"
                .formatted(
                        write.relation(), equal(write.values(), ", "), equal(write.key(), " AND "));
    }

    private static String equal(List<Given> columns, String between) {
        return columns.stream()
                .map(given -> given.column() + " = ?")
                .collect(Collectors.joining(between));
    }

    @SafeVarargs
    private static int run(Connection connection, String sql, List<Given>... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            return statement.executeUpdate();
        }
    }

    private static int count(Connection connection, Write write) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT COUNT(1) FROM %s WHERE %s"
                                .formatted(write.relation(), equal(write.key(), " AND ")))) {
            bind(statement, write.key());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    @SafeVarargs
    private static void bind(PreparedStatement statement, List<Given>... parameters)
            throws SQLException {
        int index = 0;
        for (List<Given> list : parameters) {
            for (Given given : list) {
                index++;
                switch (given.type()) {
                    case "String" -> statement.setString(index, given.value());
                    case "Integer" -> statement.setInt(index, Integer.parseInt(given.value()));
                    case "Timestamp" ->
                            statement.setTimestamp(index, Timestamp.valueOf(given.value()));
                    default -> throw new IllegalArgumentException(given.type());
                }
            }
        }
    }

    @Test
    void everyViewForAWarehouseIsReadByAStatement() throws SQLException {
        assertThat(reads().map(Read::relation))
                .containsAll(
                        list(
                                "SELECT viewname FROM pg_views WHERE schemaname = 'public' AND"
                                        + " viewname LIKE 'dwh%'"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO dwh_history_timekeeping (var_name) VALUES ('heartBeat')",
                "DELETE FROM dwh_history_timekeeping",
                "UPDATE dwh_history_timekeeping SET var_name = 'x'",
                "INSERT INTO audit_log (log_time, log_type_name, log_type, severity, message)"
                        + " VALUES (now(), 'VM_DOWN', 61, 0, 'm')",
                "INSERT INTO audit_log (log_time, log_type_name, log_type, severity, message)"
                        + " VALUES (now(), 'DWH_ERROR', 9704, 2, repeat('m', 4001))",
                "INSERT INTO audit_log (audit_log_id, log_time, log_type_name, log_type, severity,"
                        + " message) VALUES (1, now(), 'DWH_ERROR', 9704, 2, 'm')",
                "SELECT FROM audit_log",
                "SELECT name FROM cluster",
                "SELECT vm_name FROM vm_static",
                "SELECT mac_addr FROM vm_interface",
                "SELECT spec_params FROM vm_device",
                "SELECT password_hash FROM engine_user",
                "SELECT FROM vm_disk_definition"
            })
    void statementsOutsideTheCollectorsAreRefused(String sql) throws SQLException {
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.execute(sql))
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5",
                "[1, 2]",
                "{\"disks\": 7}",
                "{\"disks\": {\"id\": 1}, \"found\": 3}",
                "{\"disks\": [7, null, \"x\", []]}",
                "{\"disks\": [{\"id\": \"no uuid\"}, {\"id\": 12}]}",
                "{\"disks\": [{\"id\": \"%1$s\", \"shareable\": \"maybe\", \"place\": 3}]}",
                "{\"disks\": [{\"id\": \"%1$s\", \"place\": {\"kind\": \"volume\", \"domain\": 1,"
                        + " \"image\": \"i\"}}]}"
            })
    void aSpecificationOfAnotherShapeCostsItsOwnDisksOnly(String shape) throws Exception {
        UUID whole = new UUID(0x7000, 1);
        String insert =
                """
                INSERT INTO vm_specification (vm_guid, specification) VALUES ('%s', '%s')
                    ON CONFLICT (vm_guid) DO UPDATE SET specification = excluded.specification
                """;
        fleet.addVm(3);
        fleet.addVm(4);
        try {
            server.execute(
                    insert.formatted(Samples.vm(3), shape.formatted(new UUID(0x7000, 2))),
                    insert.formatted(
                            Samples.vm(4),
                            """
                            {"disks": [{"id": "%s", "name": "vda", "shareable": true, "place": {
                                "kind": "volume", "domain": "%1$s", "image": "%1$s"}}]}
                            """
                                    .formatted(whole)));
            assertThat(
                            list(
                                    "SELECT concat_ws(' ', name, shareable, storage_domain_id,"
                                        + " image_id) FROM vm_disk_definition WHERE device_id = '"
                                            + whole
                                            + "'"))
                    .containsExactly("vda t " + whole + " " + whole);
            assertThat(list("SELECT d::text FROM vm_disk_definition AS d"))
                    .as("every column of every disk")
                    .anyMatch(row -> row.contains(whole.toString()));
            assertThat(list("SELECT disk_id FROM base_disks")).isNotEmpty();
            assertThat(list("SELECT d::text FROM dwh_vm_disk_configuration_history_view AS d"))
                    .isNotEmpty();
        } finally {
            server.execute(
                    "DELETE FROM vm_specification WHERE vm_guid IN ('%s', '%s')"
                            .formatted(Samples.vm(3), Samples.vm(4)));
        }
    }

    @Test
    void itsEntriesAreKeptBesideThoseOfTheEngine() throws Exception {
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO audit_log (log_time, log_type_name, log_type, severity, message)"
                            + " VALUES (now(), 'DWH_ERROR', 9704, 2, 'kept')");
        }
        assertThat(list("SELECT audit_log_id < 0 FROM audit_log WHERE message = 'kept'"))
                .as("a number that is none of the engine's")
                .containsExactly("t");
        assertThat(fleet.engine().audit().newest(AuditFilter.ANY, null, 10))
                .as("the engine tells of its own events")
                .isEmpty();
    }

    @Test
    void interfacesOfHostsEqualTheReport() throws SQLException {
        assertThat(
                        list(
                                """
                                SELECT concat_ws(' ', host_interface_name, host_interface_type, host_interface_speed_bps,
                                                 mac_address, logical_network_name, ip_address, gateway, bond,
                                                 bond_name, vlan_id, update_date)
                                  FROM dwh_host_interface_configuration_history_view
                                 WHERE host_id = '%s'
                                 ORDER BY host_interface_name
                                """
                                        .formatted(Samples.host(1))))
                .as("bond9 is of nothing")
                .containsExactly(
                        "bond0 0 02:00:00:00:00:03 192.0.2.9 t",
                        "bond0.7 0 storage 198.51.100.1 f 7",
                        "ens1 2 10000 02:00:00:00:00:01 ovirtmgmt 192.0.2.1 192.0.2.254 f",
                        "ens2 0 1000 02:00:00:00:00:02 f bond0");
    }

    @Test
    void tagsAreThoseOfTagsHostsAndVms() throws Exception {
        String details =
                """
                SELECT concat_ws(' ', tag_name, tag_description, update_date IS NOT NULL)
                  FROM dwh_tags_details_history_view
                 ORDER BY tag_name
                """;
        assertThat(list(details)).containsExactly("cellar  f", "site where it is f");
        String relations =
                """
                SELECT concat_ws(' ', entity_type, entity_id, parent_id, move_date IS NOT NULL)
                  FROM dwh_add_tags_relations_history_view
                 ORDER BY entity_type, entity_id
                """;
        assertThat(list(relations))
                .as("oVirt's numbers of a VM, a host and a tag")
                .containsExactly(
                        "2 %s %s f".formatted(Samples.vm(2), WarehouseFleet.CELLAR),
                        "3 %s %s f".formatted(Samples.host(1), WarehouseFleet.SITE),
                        "18 %s f".formatted(WarehouseFleet.SITE),
                        "18 %s %s f".formatted(WarehouseFleet.CELLAR, WarehouseFleet.SITE));

        server.execute(
                "UPDATE dwh_history_timekeeping SET var_datetime = clock_timestamp() WHERE var_name"
                        + " = 'lastSync'");
        assertThat(list(details)).as("it is read once").isEmpty();
        assertThat(list(relations)).isEmpty();
        TagStore tags = fleet.engine().tags();
        tags.save(new Tag(WarehouseFleet.SITE, "site", "where it is", null));
        assertThat(list(details)).as("nothing differs").isEmpty();
        tags.save(new Tag(WarehouseFleet.CELLAR, "cellar", "", null));
        assertThat(list(details)).containsExactly("cellar  t");
        assertThat(list(relations)).containsExactly("18 %s t".formatted(WarehouseFleet.CELLAR));
        tags.detach(WarehouseFleet.SITE, Samples.host(1));
        assertThat(
                        list(
                                "SELECT entity_id FROM dwh_remove_tags_relations_history_view WHERE"
                                        + " parent_id IS NOT NULL"))
                .as("what is gone is found out by what is there")
                .containsExactly(Samples.vm(2).toString());
        tags.attach(WarehouseFleet.SITE, Samples.host(1));
        tags.save(new Tag(WarehouseFleet.CELLAR, "cellar", "", WarehouseFleet.SITE));
    }

    @Test
    void disksAndDevicesAreThoseOfTheirVms() throws SQLException {
        assertThat(
                        list(
                                """
                                SELECT concat_ws(' ', vm_disk_id, vm_disk_name, storage_domain_id, vm_disk_format, is_shared,
                                                 vm_disk_size_mb, update_date IS NOT NULL)
                                  FROM dwh_vm_disk_configuration_history_view
                                 ORDER BY vm_disk_id
                                """))
                .as("the shared one changed when the second VM got it")
                .containsExactly(
                        WarehouseFleet.SHARED + " shared 5 t t",
                        WarehouseFleet.FOUND + " f f",
                        WarehouseFleet.IMAGE + " root " + WarehouseFleet.DOMAIN + " 4 f f");
        assertThat(
                        list(
                                """
                                SELECT concat_ws(' ', type, address, is_managed, is_plugged, is_readonly, update_date)
                                  FROM dwh_vm_device_history_view
                                 WHERE vm_id = '%s'
                                 ORDER BY type, device_id
                                """
                                        .formatted(Samples.vm(1))))
                .as("neither CD drives nor controllers")
                .containsExactly(
                        "disk {slot=2} t t f", "disk {slot=1} t t f", "interface {slot=3} t t f");
    }

    @Test
    void usersHaveTheirLoginAndItsProfile() throws SQLException {
        assertThat(
                        list(
                                "SELECT concat_ws(' ', username, domain, active, external_id ="
                                        + " user_id::text) FROM dwh_users_history_view ORDER BY 1"))
                .containsExactly("jane@example internal t t", "root  t t");
    }

    @Test
    void samplesOfAFleetAreItsOwn() throws SQLException {
        assertThat(
                        list(
                                """
                                SELECT concat_ws(' ', vm_disk_id, vm_disk_actual_size_mb, read_rate_bytes_per_second,
                                                 read_ops_total_count, write_ops_total_count, read_ops_per_second)
                                  FROM dwh_vm_disks_history_view
                                 ORDER BY vm_disk_id
                                """))
                .containsExactly(
                        WarehouseFleet.SHARED + " 1024 2000 14 6 14",
                        WarehouseFleet.IMAGE + " 0 5 7 3 7");
        assertThat(
                        list(
                                "SELECT concat_ws(' ', vm_status, cpu_usage_percent,"
                                        + " memory_usage_percent) FROM dwh_vm_history_view WHERE"
                                        + " vm_id = '%s'".formatted(Samples.vm(1))))
                .containsExactly("1 6 40");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "datacenter_id dwh_datacenter_configuration_history_view id storage_pool",
                "cluster_id dwh_cluster_configuration_history_view cluster_id cluster",
                "host_id dwh_host_configuration_history_view vds_id vds_static",
                "host_interface_id dwh_host_interface_configuration_history_view id vds_interface",
                "vm_id dwh_vm_configuration_history_view vm_guid vm_static",
                "vm_disk_id dwh_vm_disk_configuration_history_view disk_id base_disks",
                "vm_interface_id dwh_vm_interface_configuration_history_view id vm_interface",
                "device_id dwh_vm_device_history_view device_id vm_device",
                "user_id dwh_users_history_view user_id users",
                // A sample without a configuration is thrown away.
                "host_id dwh_host_history_view host_id dwh_host_configuration_history_view",
                "host_interface_id dwh_host_interface_history_view host_interface_id"
                        + " dwh_host_interface_configuration_history_view",
                "vm_id dwh_vm_history_view vm_id dwh_vm_configuration_history_view",
                "vm_disk_id dwh_vm_disks_history_view vm_disk_id"
                        + " dwh_vm_disk_configuration_history_view",
                "vm_interface_id dwh_vm_interface_history_view vm_interface_id"
                        + " dwh_vm_interface_configuration_history_view"
            })
    void collectedRowsAreFoundAgain(String both) throws SQLException {
        String[] part = both.split(" ");
        List<String> collected = list("SELECT DISTINCT %s FROM %s".formatted(part[0], part[1]));
        assertThat(collected).isNotEmpty();
        assertThat(list("SELECT %s FROM %s".formatted(part[2], part[3]))).containsAll(collected);
    }

    @Test
    void collectedRowsAreReadAgainOnlyAfterAChange() throws Exception {
        UUID disk = new UUID(7, 33);
        fleet.addHost(3);
        fleet.report(3, WarehouseFleet.card(10_000));
        fleet.addVm(3);
        fleet.addDevices(3, WarehouseFleet.disk(disk, "{slot=1}"));
        collect();
        assertThat(changed()).isEmpty();

        fleet.report(3, WarehouseFleet.card(10_000));
        fleet.updateDevice(3, WarehouseFleet.disk(disk, "{slot=1}"));
        assertThat(changed()).as("nothing differs").isEmpty();

        fleet.report(3, WarehouseFleet.card(25_000));
        fleet.updateDevice(3, WarehouseFleet.disk(disk, "{slot=2}"));
        assertThat(changed())
                .containsExactly(
                        "device {slot=2} updated", "disk updated", "interface 25000 updated");
        collect();
        fleet.addVm(4);
        fleet.addDevices(4, WarehouseFleet.disk(disk, "{slot=1}"));
        assertThat(changed())
                .as("another VM has the disk: the disk is another, the first VM's device is not")
                .containsExactly("device {slot=1} new", "disk updated");

        fleet.report(3, new HostValues());
        fleet.removeDevice(3, disk);
        assertThat(list("SELECT disk_id FROM base_disks")).contains(disk.toString());
        fleet.removeDevice(4, disk);
        assertThat(list("SELECT disk_id FROM base_disks")).doesNotContain(disk.toString());
        assertThat(list("SELECT vds_id FROM vds_interface"))
                .doesNotContain(Samples.host(3).toString());
    }

    private static void collect() throws SQLException {
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "UPDATE dwh_history_timekeeping SET var_datetime = clock_timestamp() WHERE"
                            + " var_name = 'lastSync'");
        }
    }

    /** Devices, disks and interfaces of hosts that are new or changed. */
    private static List<String> changed() throws SQLException {
        return list(
                """
                SELECT concat_ws(' ', what, CASE WHEN update_date >= create_date THEN 'updated' ELSE 'new' END)
                  FROM (SELECT 'device ' || address AS what, create_date, update_date FROM dwh_vm_device_history_view
                        UNION ALL
                        SELECT 'disk', create_date, update_date FROM dwh_vm_disk_configuration_history_view
                        UNION ALL
                        SELECT 'interface ' || host_interface_speed_bps, create_date, update_date
                          FROM dwh_host_interface_configuration_history_view
                        UNION ALL
                        SELECT 'user', create_date, update_date FROM dwh_users_history_view) AS v
                 ORDER BY 1
                """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[1]",
                "7",
                "{\"ens1\": 7, \"ens2\": null, \"ens3\": \"x\"}",
                "{\"ens1\": {\"speedMegabitsPerSecond\": 1e100, \"mac\": {\"a\": 1}, \"ip\": [1]}}",
                "{\"ens1\": {\"speedMegabitsPerSecond\": 1e1000000}}",
                "{\"ens\\u0000\": {}}"
            })
    void noReportOfAHostMakesItsRowUnwritable(String reported) throws Exception {
        fleet.addHost(5);
        for (String column : List.of("nics", "bonds", "vlans", "networks")) {
            server.execute(
                    "UPDATE host_dynamic SET %s = '%s' WHERE host_id = '%s'"
                            .formatted(column, reported, Samples.host(5)));
        }
        assertThat(list("SELECT count(*) FROM dwh_host_interface_configuration_history_view"))
                .hasSize(1);
    }

    @Test
    void aNameThatNoInterfaceCanHaveIsLeftOut() throws Exception {
        fleet.addHost(6);
        String nics =
                list("SELECT json_build_object(string_agg(md5(n::text), ''), '{}'::json, 'ens1',"
                                + " '{}'::json)::text FROM generate_series(1, 1000) AS n")
                        .getFirst();
        server.execute(
                "UPDATE host_dynamic SET nics = '%s' WHERE host_id = '%s'"
                        .formatted(nics, Samples.host(6)));
        assertThat(
                        list(
                                "SELECT name FROM host_interface WHERE host_id = '%s'"
                                        .formatted(Samples.host(6))))
                .containsExactly("ens1");
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
}
