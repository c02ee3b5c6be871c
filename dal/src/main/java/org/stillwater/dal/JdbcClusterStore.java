package org.stillwater.dal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/**
 * Clusters and data centres in PostgreSQL. Thread-safe.
 *
 * <p>It is long because each statement stands beside its columns.
 */
final class JdbcClusterStore implements ClusterStore {

    /** SQLSTATE of a name or id that another row has. */
    private static final String UNIQUE_VIOLATION = "23505";

    /** SQLSTATE of a data centre that does not exist, or of a cluster that something belongs to. */
    private static final String FOREIGN_KEY_VIOLATION = "23503";

    private static final String TABLE = "cluster";

    private final Transactions transactions;

    JdbcClusterStore(Transactions transactions) {
        this.transactions = transactions;
    }

    // Data centres

    private static final String LOAD_DATA_CENTRES =
            """
            SELECT data_centre_id, name, description
              FROM data_centre
             ORDER BY data_centre_id
            """;

    private static final String ADD_DATA_CENTRE =
            """
            INSERT INTO data_centre (name, description, data_centre_id) VALUES (?, ?, ?)
            """;

    private static final String UPDATE_DATA_CENTRE =
            """
            UPDATE data_centre
               SET name = ?, description = ?
             WHERE data_centre_id = ?
            """;

    @Override
    public List<DataCentre> loadDataCentres() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    List<DataCentre> all = new ArrayList<>();
                    try (PreparedStatement statement =
                                    connection.prepareStatement(LOAD_DATA_CENTRES);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            all.add(
                                    new DataCentre(
                                            new DataCentreId(row.getObject(1, UUID.class)),
                                            row.getString(2),
                                            row.getString(3)));
                        }
                    }
                    return all;
                });
    }

    @Override
    public Saved add(DataCentre dataCentre) throws StoreUnavailable {
        return save(connection -> save(connection, ADD_DATA_CENTRE, dataCentre));
    }

    @Override
    public Saved update(DataCentre dataCentre) throws StoreUnavailable {
        return save(connection -> save(connection, UPDATE_DATA_CENTRE, dataCentre));
    }

    private static boolean save(Connection connection, String sql, DataCentre dataCentre)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, Column.storable(dataCentre.name()));
            statement.setString(2, Column.storable(dataCentre.description()));
            statement.setObject(3, dataCentre.id().value());
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether something was saved, or which rule of the schema was against it. */
    private Saved save(Transactions.Work<Boolean> work) throws StoreUnavailable {
        try {
            return transactions.run(SqlStage.CLUSTERS, work) ? Saved.SAVED : Saved.UNKNOWN;
        } catch (SQLException e) {
            if (UNIQUE_VIOLATION.equals(e.getSQLState())) {
                return Saved.TAKEN;
            }
            if (FOREIGN_KEY_VIOLATION.equals(e.getSQLState())) {
                return Saved.UNKNOWN;
            }
            throw SqlFailures.unavailable(e);
        }
    }

    // Clusters

    private static final List<String> COLUMNS =
            List.of(
                    "data_centre_id",
                    "name",
                    "description",
                    "compatibility_version",
                    "cpu_name",
                    "cpu_flags",
                    "cpu_since",
                    "cpu_until",
                    "architecture",
                    "machine_types",
                    "emulated_machine",
                    "rng_sources",
                    "features",
                    "fips",
                    "uniform_system",
                    "hosted_engine",
                    "migrate_on_error",
                    "fencing_enabled",
                    "fencing_most_silent_percent",
                    "fencing_lease_respected",
                    "memory_least_free_mb",
                    "memory_most_used_percent",
                    "hypervisor",
                    "cluster_id");

    private static final String NAMES = String.join(", ", COLUMNS);

    private static final String MARKS = "?" + ", ?".repeat(COLUMNS.size() - 1);

    private static final String LOAD = "SELECT " + NAMES + " FROM cluster ORDER BY cluster_id";

    private static final String ADD = "INSERT INTO cluster (" + NAMES + ") VALUES (" + MARKS + ")";

    private static final String UPDATE =
            "UPDATE cluster SET (" + NAMES + ") = ROW (" + MARKS + ") WHERE cluster_id = ?";

    private static final String LOAD_NETWORKS =
            """
            SELECT cluster_id, network_name, required, vm_network
              FROM cluster_network
             ORDER BY cluster_id, network_name
            """;

    private static final String DELETE_NETWORKS =
            "DELETE FROM cluster_network WHERE cluster_id = ?";

    private record NetworkRow(ClusterId cluster, ClusterNetwork network) {}

    private static final List<Column<NetworkRow>> NETWORK_COLUMNS =
            List.of(
                    Column.uuid("cluster_id", row -> row.cluster().value()),
                    Column.text("network_name", row -> row.network().name()),
                    Column.bool("required", row -> row.network().required()),
                    Column.bool("vm_network", row -> row.network().vmNetwork()));

    private static final String ADD_NETWORKS =
            """
            INSERT INTO cluster_network (cluster_id, network_name, required, vm_network)
            SELECT c.cluster_id, c.network_name, c.required, c.vm_network
              FROM %s
            """
                    .formatted(Column.unnest(NETWORK_COLUMNS, "c"));

    @Override
    public List<Cluster> loadClusters() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    transactions.unreadable().clear(TABLE);
                    Map<UUID, List<ClusterNetwork>> networks = networks(connection);
                    List<Cluster> all = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            Cluster cluster = known(row, networks);
                            if (cluster != null) {
                                all.add(cluster);
                            }
                        }
                    }
                    return all;
                });
    }

    private static Map<UUID, List<ClusterNetwork>> networks(Connection connection)
            throws SQLException {
        Map<UUID, List<ClusterNetwork>> networks = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(LOAD_NETWORKS);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                networks.computeIfAbsent(row.getObject(1, UUID.class), _ -> new ArrayList<>())
                        .add(
                                new ClusterNetwork(
                                        row.getString(2), row.getBoolean(3), row.getBoolean(4)));
            }
        }
        return networks;
    }

    /**
     * Null for a cluster that this program does not know how to manage. A default stands for a rule
     * with an unknown code.
     */
    private @Nullable Cluster known(ResultSet row, Map<UUID, List<ClusterNetwork>> networks)
            throws SQLException {
        UUID id = row.getObject("cluster_id", UUID.class);
        try {
            Cluster cluster = cluster(row, networks);
            CpuArchitecture architecture = cluster.requirements().architecture();
            Integer stored = row.getObject("architecture", Integer.class);
            if (stored != null && architecture == null) {
                notRead(id, "architecture has code " + stored + "; read as none");
            }
            int error = row.getInt("migrate_on_error");
            MigrateOnError migrate = cluster.migrateOnError();
            if (migrate.code() != error) {
                notRead(id, "migrate_on_error has code " + error + "; read as " + migrate);
            }
            return cluster;
        } catch (IllegalArgumentException e) {
            notRead(id, e.getMessage() + "; its hosts are not watched");
            return null;
        }
    }

    private void notRead(UUID cluster, String reason) {
        transactions.unreadable().add(TABLE, "cluster_id=" + cluster, reason);
    }

    private static Cluster cluster(ResultSet row, Map<UUID, List<ClusterNetwork>> networks)
            throws SQLException {
        UUID id = row.getObject("cluster_id", UUID.class);
        String cpu = row.getString("cpu_name");
        Integer architecture = row.getObject("architecture", Integer.class);
        return new Cluster(
                new ClusterId(id),
                new DataCentreId(row.getObject("data_centre_id", UUID.class)),
                row.getString("name"),
                row.getString("description"),
                new HostRequirements(
                        version(row, "compatibility_version"),
                        cpu == null
                                ? null
                                : new CpuType(
                                        cpu,
                                        Set.copyOf(texts(row, "cpu_flags")),
                                        version(row, "cpu_since"),
                                        version(row, "cpu_until")),
                        architecture == null ? null : CpuArchitecture.ofCode(architecture),
                        texts(row, "machine_types"),
                        row.getString("emulated_machine"),
                        Set.copyOf(texts(row, "rng_sources")),
                        Set.copyOf(texts(row, "features")),
                        row.getObject("fips", Boolean.class),
                        row.getBoolean("uniform_system"),
                        row.getBoolean("hosted_engine"),
                        networks.getOrDefault(id, List.of())),
                MigrateOnError.ofCode(row.getInt("migrate_on_error")),
                new FencingPolicy(
                        row.getBoolean("fencing_enabled"),
                        row.getObject("fencing_most_silent_percent", Integer.class),
                        row.getBoolean("fencing_lease_respected")),
                new MemoryThresholds(
                        row.getInt("memory_least_free_mb"), row.getInt("memory_most_used_percent")),
                Hypervisor.ofCode(row.getInt("hypervisor")));
    }

    private static @Nullable CompatibilityVersion version(ResultSet row, String column)
            throws SQLException {
        String text = row.getString(column);
        return text == null ? null : CompatibilityVersion.parse(text);
    }

    private static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }

    @Override
    public Saved add(Cluster cluster) throws StoreUnavailable {
        return save(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ADD)) {
                bind(statement, cluster);
                statement.executeUpdate();
            }
            replaceNetworks(connection, cluster);
            return true;
        });
    }

    @Override
    public Saved update(Cluster cluster) throws StoreUnavailable {
        Saved saved =
                save(connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
                        bind(statement, cluster);
                        statement.setObject(COLUMNS.size() + 1, cluster.id().value());
                        if (statement.executeUpdate() == 0) {
                            return false;
                        }
                    }
                    replaceNetworks(connection, cluster);
                    return true;
                });
        if (saved == Saved.SAVED) {
            transactions.unreadable().remove(TABLE, "cluster_id=" + cluster.id());
        }
        return saved;
    }

    private static final String REMOVE = "SELECT remove_cluster(?)";

    @Override
    public Removal remove(ClusterId cluster) throws StoreUnavailable {
        try {
            boolean removed =
                    transactions.run(
                            SqlStage.CLUSTERS,
                            connection -> {
                                try (PreparedStatement statement =
                                        connection.prepareStatement(REMOVE)) {
                                    statement.setObject(1, cluster.value());
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

    /** Binds the values in the order of the columns. */
    private static void bind(PreparedStatement statement, Cluster cluster) throws SQLException {
        HostRequirements needs = cluster.requirements();
        CpuType cpu = needs.cpuType();
        CpuArchitecture architecture = needs.architecture();
        List<@Nullable Object> values = new ArrayList<>(COLUMNS.size());
        values.add(cluster.dataCentre().value());
        values.add(cluster.name());
        values.add(cluster.description());
        values.add(text(needs.version()));
        values.add(cpu == null ? null : cpu.name());
        values.add(cpu == null ? List.of() : cpu.flags());
        values.add(cpu == null ? null : text(cpu.since()));
        values.add(cpu == null ? null : text(cpu.until()));
        values.add(architecture == null ? null : architecture.code());
        values.add(needs.machineTypes());
        values.add(needs.emulatedMachine());
        values.add(needs.rngSources());
        values.add(needs.features());
        values.add(needs.fips());
        values.add(needs.uniformSystem());
        values.add(needs.hostedEngine());
        values.add(cluster.migrateOnError().code());
        values.add(cluster.fencing().enabled());
        values.add(cluster.fencing().mostSilentPercent());
        values.add(cluster.fencing().leaseRespected());
        values.add(cluster.memory().leastFreeMebibytes());
        values.add(cluster.memory().mostUsedPercent());
        values.add(cluster.hypervisor().code());
        values.add(cluster.id().value());
        for (int i = 0; i < values.size(); i++) {
            switch (values.get(i)) {
                case String text -> statement.setString(i + 1, Column.storable(text));
                case Collection<?> texts -> statement.setArray(i + 1, array(statement, texts));
                case null, default -> statement.setObject(i + 1, values.get(i));
            }
        }
    }

    private static Array array(PreparedStatement statement, Collection<?> texts)
            throws SQLException {
        return statement.getConnection().createArrayOf("text", texts.toArray());
    }

    private static @Nullable String text(@Nullable CompatibilityVersion version) {
        return version == null ? null : version.toString();
    }

    private static void replaceNetworks(Connection connection, Cluster cluster)
            throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(DELETE_NETWORKS)) {
            delete.setObject(1, cluster.id().value());
            delete.executeUpdate();
        }
        List<NetworkRow> rows =
                cluster.requirements().networks().stream()
                        .map(network -> new NetworkRow(cluster.id(), network))
                        .toList();
        if (!rows.isEmpty()) {
            try (PreparedStatement add = connection.prepareStatement(ADD_NETWORKS)) {
                Column.bind(add, NETWORK_COLUMNS, rows);
                add.executeUpdate();
            }
        }
    }

    // Machine types

    private static final List<Column<ChosenMachine>> MACHINE_COLUMNS =
            List.of(
                    Column.uuid("cluster_id", chosen -> chosen.cluster().value()),
                    Column.text("emulated_machine", ChosenMachine::machine));

    private static final String CHOOSE =
            """
            UPDATE cluster AS l
               SET emulated_machine = c.emulated_machine
              FROM %s
             WHERE l.cluster_id = c.cluster_id
               AND l.emulated_machine IS DISTINCT FROM c.emulated_machine
            """
                    .formatted(Column.unnest(MACHINE_COLUMNS, "c"));

    @Override
    public WriteOutcome chooseMachines(List<ChosenMachine> chosen) {
        return transactions.write(
                SqlStage.CLUSTERS,
                chosen,
                ChosenMachine::cluster,
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(CHOOSE)) {
                        Column.bind(statement, MACHINE_COLUMNS, rows);
                        return statement.executeUpdate();
                    }
                });
    }
}
