package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostCondition;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.NonOperationalReason;
import org.stillwater.core.model.SqlType;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.OpenHostWork;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;

/** Hosts in PostgreSQL. Thread-safe. */
final class JdbcHostStore implements HostStore {

    private final Transactions transactions;

    JdbcHostStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final String ADD =
            """
            WITH added AS (
                INSERT INTO host_static (host_id, host_name, address, port)
                VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                RETURNING host_id)
            INSERT INTO host_dynamic (host_id)
            SELECT host_id FROM added
            """;

    private static final String UPDATE =
            """
            UPDATE host_static
               SET host_name = ?, address = ?, port = ?
             WHERE host_id = ?
            """;

    private static final String LOAD =
            """
            SELECT s.host_id, s.host_name, s.address, s.port, d.status, d.previous_status,
                   d.non_operational_reason, d.maintenance_reason, d.episode, d.attempts
              FROM host_static AS s
              JOIN host_dynamic AS d USING (host_id)
             ORDER BY s.host_id
            """;

    @Override
    public boolean add(HostDefinition host) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.HOSTS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(ADD)) {
                        statement.setObject(1, host.id().value());
                        statement.setString(2, Column.storable(host.name()));
                        statement.setString(3, Column.storable(host.address()));
                        statement.setInt(4, host.port());
                        return statement.executeUpdate() == 1;
                    }
                });
    }

    @Override
    public boolean update(HostDefinition host) throws StoreUnavailable {
        try {
            return transactions.run(
                    SqlStage.HOSTS,
                    connection -> {
                        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
                            statement.setString(1, Column.storable(host.name()));
                            statement.setString(2, Column.storable(host.address()));
                            statement.setInt(3, host.port());
                            statement.setObject(4, host.id().value());
                            return statement.executeUpdate() == 1;
                        }
                    });
        } catch (SQLException e) {
            if (SqlFailures.rowIsAtFault(e)) {
                throw new IllegalArgumentException("another host has the name " + host.name(), e);
            }
            throw SqlFailures.unavailable(e);
        }
    }

    /** SQLSTATE of a row that others refer to: here, that VMs do. */
    private static final String FOREIGN_KEY_VIOLATION = "23503";

    private static final String REMOVE = "SELECT remove_host(?)";

    @Override
    public Removal remove(HostId host) throws StoreUnavailable {
        try {
            boolean removed =
                    transactions.run(
                            SqlStage.HOSTS,
                            connection -> {
                                try (PreparedStatement statement =
                                        connection.prepareStatement(REMOVE)) {
                                    statement.setObject(1, host.value());
                                    try (ResultSet row = statement.executeQuery()) {
                                        return row.next() && row.getBoolean(1);
                                    }
                                }
                            });
            return removed ? Removal.REMOVED : Removal.UNKNOWN;
        } catch (SQLException e) {
            if (FOREIGN_KEY_VIOLATION.equals(e.getSQLState())) {
                return Removal.IN_USE;
            }
            throw SqlFailures.unavailable(e);
        }
    }

    @Override
    public List<StoredHost> loadAll() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    List<StoredHost> hosts = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            hosts.add(
                                    new StoredHost(
                                            new HostDefinition(
                                                    new HostId(row.getObject(1, UUID.class)),
                                                    row.getString(2),
                                                    row.getString(3),
                                                    row.getInt(4)),
                                            condition(row)));
                        }
                    }
                    return hosts;
                });
    }

    private static HostCondition condition(ResultSet row) throws SQLException {
        return new HostCondition(
                HostStatus.ofCode(row.getInt("status")),
                HostStatus.ofCode(row.getInt("previous_status")),
                NonOperationalReason.ofCode(row.getInt("non_operational_reason")),
                row.getString("maintenance_reason"),
                row.getLong("episode"),
                row.getInt("attempts"));
    }

    private static final Column<HostChange> KEY = Column.uuid("host_id", row -> row.id().value());

    private static final List<Column<HostChange>> CONDITION =
            List.of(
                    Column.of("status", SqlType.SMALLINT, row -> row.condition().status().code()),
                    Column.of(
                            "previous_status",
                            SqlType.SMALLINT,
                            row -> row.condition().previous().code()),
                    Column.of(
                            "non_operational_reason",
                            SqlType.SMALLINT,
                            row -> row.condition().nonOperational().code()),
                    Column.text("maintenance_reason", row -> row.condition().maintenanceReason()),
                    Column.of("episode", SqlType.BIGINT, row -> row.condition().episode()),
                    Column.integer("attempts", row -> row.condition().attempts()));

    private static final List<Column<HostChange>> CAPABILITIES =
            List.of(
                    capability("cpu_model", SqlType.TEXT, HostCapabilities::cpuModel),
                    capability("cpu_flags", SqlType.TEXT, HostCapabilities::cpuFlags),
                    capability("cpu_sockets", SqlType.INTEGER, HostCapabilities::cpuSockets),
                    capability("cpu_cores", SqlType.INTEGER, HostCapabilities::cpuCores),
                    capability("cpu_threads", SqlType.INTEGER, HostCapabilities::cpuThreads),
                    capability(
                            "physical_mem_mb", SqlType.BIGINT, HostCapabilities::memoryMebibytes),
                    capability(
                            "reserved_mem",
                            SqlType.BIGINT,
                            HostCapabilities::reservedMemoryMebibytes),
                    capability(
                            "guest_overhead",
                            SqlType.BIGINT,
                            HostCapabilities::guestOverheadMebibytes),
                    capability("kvm_enabled", SqlType.BOOLEAN, HostCapabilities::kvmEnabled),
                    capability("software_version", SqlType.TEXT, HostCapabilities::softwareVersion),
                    capability("host_os", SqlType.TEXT, HostCapabilities::operatingSystem),
                    capability("kernel_version", SqlType.TEXT, HostCapabilities::kernelVersion),
                    capability("libvirt_version", SqlType.TEXT, HostCapabilities::libvirtVersion),
                    capability("kvm_version", SqlType.TEXT, HostCapabilities::qemuVersion),
                    Column.texts(
                            "supported_cluster_levels", row -> capabilities(row).clusterLevels()),
                    Column.texts("supported_engines", row -> capabilities(row).supportedEngines()),
                    Column.texts(
                            "supported_emulated_machines",
                            row -> capabilities(row).emulatedMachines()),
                    capability("hardware_uuid", SqlType.TEXT, HostCapabilities::hardwareUuid),
                    capability("boot_uuid", SqlType.TEXT, HostCapabilities::bootUuid),
                    capability(
                            "selinux_enforce_mode", SqlType.INTEGER, HostCapabilities::selinuxMode),
                    capability("kdump_status", SqlType.INTEGER, HostCapabilities::kdumpStatus),
                    capability(
                            "iscsi_initiator_name", SqlType.TEXT, HostCapabilities::iscsiInitiator),
                    capability(
                            "last_client_interface",
                            SqlType.TEXT,
                            HostCapabilities::lastClientInterface),
                    capability(
                            "cpu_speed_mh",
                            SqlType.BIGINT,
                            capabilities -> rounded(capabilities.cpuSpeedMegahertz())));

    private static final List<Column<HostChange>> HARDWARE =
            List.of(
                    hardware("hw_manufacturer", HostHardware::manufacturer),
                    hardware("hw_product_name", HostHardware::productName),
                    hardware("hw_version", HostHardware::version),
                    hardware("hw_serial_number", HostHardware::serialNumber),
                    hardware("hw_uuid", HostHardware::uuid),
                    hardware("hw_family", HostHardware::family));

    private static Column<HostChange> capability(
            String column, SqlType type, Function<HostCapabilities, @Nullable Object> value) {
        return Column.of(column, type, row -> value.apply(capabilities(row)));
    }

    private static Column<HostChange> hardware(
            String column, Function<HostHardware, @Nullable String> value) {
        return Column.text(column, row -> value.apply(Objects.requireNonNull(row.hardware())));
    }

    private static HostCapabilities capabilities(HostChange row) {
        return Objects.requireNonNull(row.capabilities());
    }

    private static @Nullable Long rounded(@Nullable Double value) {
        return value == null ? null : Math.round(value);
    }

    @Override
    public WriteOutcome write(List<HostChange> changes) {
        return transactions.writeWithWork(
                SqlStage.HOSTS,
                changes,
                HostChange::id,
                (connection, rows) ->
                        Transactions.Effect.rows(write(connection, rows))
                                .and(HostWorkRows.queue(connection, rows)));
    }

    private static int write(Connection connection, List<HostChange> changes) throws SQLException {
        int touched = 0;
        for (boolean withCapabilities : new boolean[] {false, true}) {
            for (boolean withHardware : new boolean[] {false, true}) {
                List<HostChange> group =
                        changes.stream()
                                .filter(row ->
                                        (row.capabilities() != null) == withCapabilities
                                                && (row.hardware() != null) == withHardware)
                                .toList();
                if (!group.isEmpty()) {
                    List<Column<HostChange>> columns = new ArrayList<>(CONDITION);
                    columns.addAll(withCapabilities ? CAPABILITIES : List.of());
                    columns.addAll(withHardware ? HARDWARE : List.of());
                    touched +=
                            new ColumnUpdate<>("host_dynamic", KEY, columns)
                                    .write(connection, group);
                }
            }
        }
        return touched;
    }

    @Override
    public void loadHostWork(Consumer<OpenHostWork> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    HostWorkRows.load(connection, receiver);
                    return true;
                });
    }

    @Override
    public boolean takeOverHost(HostWork work, UUID owner, Instant at) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.WORK, connection -> HostWorkRows.takeOver(connection, work, owner, at));
    }
}
