package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.value.Coded;
import org.stillwater.core.value.SqlType;

/**
 * Hosts in PostgreSQL. Thread-safe.
 *
 * <p>It is long because each statement stands beside its columns.
 */
final class JdbcHostStore implements HostStore {

    private static final String STATIC = "host_static";
    private static final String DYNAMIC = "host_dynamic";

    private final Transactions transactions;

    JdbcHostStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final String ADD =
            """
            WITH added AS (
                INSERT INTO host_static (host_name, address, port, cluster_id, power_management,
                                         kdump_integration, storage_pool_manager, older_agent, comment, host_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                RETURNING host_id)
            INSERT INTO host_dynamic (host_id)
            SELECT host_id FROM added
            """;

    private static final String UPDATE =
            """
            UPDATE host_static
               SET host_name = ?, address = ?, port = ?, cluster_id = ?, power_management = ?,
                   kdump_integration = ?, storage_pool_manager = ?, older_agent = ?, comment = ?
             WHERE host_id = ?
            """;

    private static final String LOAD =
            """
            SELECT s.host_id, s.host_name, s.address, s.port, s.cluster_id, s.power_management,
                   s.kdump_integration, s.storage_pool_manager, s.older_agent, s.comment, d.status, d.previous_status,
                   d.non_operational_reason, d.maintenance_reason, d.episode, d.attempts,
                   d.software_version, d.software_revision, d.kernel_version, d.kvm_version,
                   d.libvirt_version, d.boot_uuid
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
                        bind(statement, host);
                        return statement.executeUpdate() == 1;
                    }
                });
    }

    private static final List<Column<HostDefinition>> DEFINITION =
            List.of(
                    Column.uuid("host_id", host -> host.id().value()),
                    Column.text("host_name", HostDefinition::name),
                    Column.text("address", HostDefinition::address),
                    Column.integer("port", HostDefinition::port),
                    Column.uuid("cluster_id", host -> host.cluster().value()),
                    Column.bool("power_management", host -> host.traits().powerManagement()),
                    Column.bool("kdump_integration", host -> host.traits().kdumpIntegration()),
                    Column.bool("storage_pool_manager", host -> host.traits().storagePoolManager()),
                    Column.bool("older_agent", host -> host.traits().olderAgent()),
                    Column.text("comment", host -> host.traits().comment()));

    private static final List<Column<HostDefinition>> BESIDE_ID =
            DEFINITION.subList(1, DEFINITION.size());

    /**
     * The rows that were added, and those that were there just so: they may have been added by a
     * transaction of which the answer was lost.
     */
    private static final String ADD_ALL =
            """
            WITH given AS MATERIALIZED (
                SELECT * FROM %1$s),
            added AS (
                INSERT INTO host_static (%2$s)
                SELECT %2$s
                  FROM given
                 ORDER BY host_id
                    ON CONFLICT DO NOTHING
                RETURNING host_id),
            dynamic AS (
                INSERT INTO host_dynamic (host_id)
                SELECT host_id FROM added)
            SELECT host_id FROM added
             UNION ALL
            SELECT host_id
              FROM host_static AS s
              JOIN given AS c USING (host_id)
             WHERE (%3$s) IS NOT DISTINCT FROM (%4$s)
            """
                    .formatted(
                            Column.unnest(DEFINITION, "c"),
                            Column.names(DEFINITION, "", "", ""),
                            Column.names(BESIDE_ID, "s.", "", ""),
                            Column.names(BESIDE_ID, "c.", "", ""));

    @Override
    public Additions addAll(List<HostDefinition> hosts) throws StoreUnavailable {
        Set<HostId> added = new HashSet<>();
        WriteOutcome outcome =
                transactions.write(
                        SqlStage.HOSTS,
                        hosts,
                        HostDefinition::id,
                        (connection, rows) -> {
                            Set<HostId> there = addAll(connection, rows);
                            added.addAll(there);
                            return there.size();
                        });
        return switch (outcome) {
            case WriteOutcome.Unavailable(String reason) ->
                    throw new StoreUnavailable(reason, new SQLException(reason));
            case WriteOutcome.Written written -> {
                Map<HostId, String> refused = new HashMap<>();
                written.rejected()
                        .forEach(row -> refused.put(HostId.parse(row.key()), row.reason()));
                added.removeAll(refused.keySet());
                yield new Additions(added, refused);
            }
        };
    }

    private static Set<HostId> addAll(Connection connection, List<HostDefinition> hosts)
            throws SQLException {
        Set<HostId> there = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(ADD_ALL)) {
            Column.bind(statement, DEFINITION, hosts);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    there.add(new HostId(row.getObject(1, UUID.class)));
                }
            }
        }
        return there;
    }

    @Override
    public boolean update(HostDefinition host) throws StoreUnavailable {
        try {
            return transactions.run(
                    SqlStage.HOSTS,
                    connection -> {
                        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
                            bind(statement, host);
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

    /** Binds the values in the order of both statements. */
    private static void bind(PreparedStatement statement, HostDefinition host) throws SQLException {
        statement.setString(1, Column.storable(host.name()));
        statement.setString(2, Column.storable(host.address()));
        statement.setInt(3, host.port());
        statement.setObject(4, host.cluster().value());
        statement.setBoolean(5, host.traits().powerManagement());
        statement.setBoolean(6, host.traits().kdumpIntegration());
        statement.setBoolean(7, host.traits().storagePoolManager());
        statement.setBoolean(8, host.traits().olderAgent());
        statement.setString(9, Column.storable(host.traits().comment()));
        statement.setObject(10, host.id().value());
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
                    transactions.unreadable().clear(STATIC);
                    transactions.unreadable().clear(DYNAMIC);
                    List<StoredHost> hosts = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            HostId id = new HostId(row.getObject(1, UUID.class));
                            HostDefinition host = definition(id, row);
                            if (host != null) {
                                hosts.add(new StoredHost(host, condition(id, row), versions(row)));
                            }
                        }
                    }
                    return hosts;
                });
    }

    /** Null if the row describes no host that this program knows: it is not watched. */
    private @Nullable HostDefinition definition(HostId id, ResultSet row) throws SQLException {
        try {
            return new HostDefinition(
                    id,
                    row.getString(2),
                    row.getString(3),
                    row.getInt(4),
                    new ClusterId(row.getObject(5, UUID.class)),
                    new HostTraits(
                            row.getBoolean(6),
                            row.getBoolean(7),
                            row.getBoolean(8),
                            row.getBoolean(9),
                            row.getString(10)));
        } catch (IllegalArgumentException e) {
            notRead(STATIC, id, e.getMessage() + "; the host is not watched");
            return null;
        }
    }

    private HostCondition condition(HostId id, ResultSet row) throws SQLException {
        return new HostCondition(
                code(id, row, "status", HostStatus::ofCode),
                code(id, row, "previous_status", HostStatus::ofCode),
                code(id, row, "non_operational_reason", NonOperationalReason::ofCode),
                row.getString("maintenance_reason"),
                row.getLong("episode"),
                row.getInt("attempts"));
    }

    private static HostVersions versions(ResultSet row) throws SQLException {
        return new HostVersions(
                row.getString("software_version"),
                row.getString("software_revision"),
                row.getString("kernel_version"),
                row.getString("kvm_version"),
                row.getString("libvirt_version"),
                row.getString("boot_uuid"));
    }

    /** Names an unknown code, and the constant that it is read as. */
    private <E extends Coded> E code(
            HostId id, ResultSet row, String column, IntFunction<E> constants) throws SQLException {
        int code = row.getInt(column);
        E constant = constants.apply(code);
        if (constant.code() != code) {
            notRead(DYNAMIC, id, "%s has code %d; read as %s".formatted(column, code, constant));
        }
        return constant;
    }

    private void notRead(String table, HostId host, String reason) {
        transactions.unreadable().add(table, "host_id=" + host, reason);
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
            HostFieldColumns.of(
                    HostField.Source.CAPABILITIES,
                    row -> Objects.requireNonNull(row.capabilities()));

    private static final List<Column<HostChange>> HARDWARE =
            HostFieldColumns.of(
                    HostField.Source.HARDWARE, row -> Objects.requireNonNull(row.hardware()));

    @Override
    public WriteOutcome write(List<HostChange> changes) {
        UnreadableRows unreadable = transactions.unreadable();
        WriteOutcome outcome =
                transactions.writeWithWork(
                        SqlStage.HOSTS,
                        changes,
                        HostChange::id,
                        (connection, rows) ->
                                Transactions.Effect.rows(write(connection, rows))
                                        .and(HostWorkRows.queue(connection, rows, unreadable)));
        if (!unreadable.isEmpty()
                && outcome instanceof WriteOutcome.Written written
                && written.rejected().isEmpty()) {
            changes.forEach(change -> unreadable.remove(DYNAMIC, "host_id=" + change.id()));
        }
        return outcome;
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
                    HostWorkRows.load(connection, receiver, transactions.unreadable());
                    return true;
                });
    }

    @Override
    public boolean takeOverHost(HostWork work, UUID owner, Instant at) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.WORK, connection -> HostWorkRows.takeOver(connection, work, owner, at));
    }

    private static final List<Column<BoundHost>> CERTIFICATE =
            List.of(
                    Column.uuid("host_id", row -> row.host().value()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.binding().kind().code()),
                    Column.text("fingerprint", row -> hex(row.binding().fingerprint())),
                    Column.text("subject", row -> row.binding().subject()),
                    Column.time("since", row -> row.binding().since()));

    private static @Nullable String hex(@Nullable CertificateFingerprint fingerprint) {
        return fingerprint == null ? null : fingerprint.hex();
    }

    private static final String SAVE_CERTIFICATES =
            """
            INSERT INTO host_certificate AS h (host_id, kind, fingerprint, subject, since)
            SELECT c.host_id, c.kind, c.fingerprint, c.subject, c.since
              FROM %s
              JOIN host_static USING (host_id)
             ORDER BY c.host_id
                ON CONFLICT (host_id) DO UPDATE
               SET kind = excluded.kind, fingerprint = excluded.fingerprint, subject = excluded.subject,
                   since = excluded.since
             WHERE (h.kind, h.fingerprint, h.subject, h.since)
                   IS DISTINCT FROM (excluded.kind, excluded.fingerprint, excluded.subject, excluded.since)
            """
                    .formatted(Column.unnest(CERTIFICATE, "c"));

    private static final String LOAD_CERTIFICATES =
            "SELECT host_id, kind, fingerprint, subject, since FROM host_certificate";

    @Override
    public Map<HostId, CertificateBinding> loadCertificates() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    Map<HostId, CertificateBinding> bindings = new HashMap<>();
                    try (PreparedStatement statement =
                                    connection.prepareStatement(LOAD_CERTIFICATES);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            String hex = row.getString(3);
                            bindings.put(
                                    new HostId(row.getObject(1, UUID.class)),
                                    new CertificateBinding(
                                            CertificateBinding.Kind.ofCode(row.getInt(2)),
                                            hex == null ? null : new CertificateFingerprint(hex),
                                            row.getString(4),
                                            row.getObject(5, OffsetDateTime.class).toInstant()));
                        }
                    }
                    return bindings;
                });
    }

    @Override
    public WriteOutcome saveCertificates(List<BoundHost> bindings) {
        return transactions.write(
                SqlStage.HOSTS,
                bindings,
                BoundHost::host,
                (connection, rows) -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(SAVE_CERTIFICATES)) {
                        Column.bind(statement, CERTIFICATE, rows);
                        return statement.executeUpdate();
                    }
                });
    }
}
