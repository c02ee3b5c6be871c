package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.VmStatus;

/**
 * Definitions in PostgreSQL. Columns that monitoring reads too are in {@code vm_static} and {@code
 * vm_interface}; a light view changes them, and the rows of remaining interfaces keep the rows that
 * refer to them. Thread-safe.
 *
 * <p>It is long because a definition is several tables that are written together; each statement
 * stands beside its columns.
 */
final class JdbcDefinitionStore implements DefinitionStore {

    private static final Logger log = LoggerFactory.getLogger(JdbcDefinitionStore.class);
    private static final int FETCH_SIZE = 1_000;

    private final Transactions transactions;
    private final FenceAgentRows agents;
    private final LeaseRows leases;
    private final Map<VmId, String> unreadable = new ConcurrentHashMap<>();

    JdbcDefinitionStore(Transactions transactions, FenceAgentRows agents) {
        this.transactions = transactions;
        this.agents = agents;
        this.leases = new LeaseRows(transactions);
    }

    // Reading

    private static final List<Column<VmId>> VM = List.of(Column.uuid("vm_guid", VmId::toUuid));

    private static final String LOAD =
            """
            SELECT s.vm_guid, s.vm_name, s.origin, s.auto_startup, s.mem_size_mb, s.min_allocated_mem, s.num_of_sockets,
                   s.cpu_per_socket, s.threads_per_cpu, s.priority, s.lease_sd_id, s.cluster_id, p.specification,
                   p.saved_memory
              FROM vm_static AS s
              LEFT JOIN vm_specification AS p USING (vm_guid)
             WHERE s.vm_guid = ANY (?::uuid[])
            """;

    private static final String LOAD_NICS =
            """
            SELECT vm_guid, id, name, mac_addr, vnic_profile_id, speed
              FROM vm_interface
             WHERE vm_guid = ANY (?::uuid[])
             ORDER BY vm_guid, nic_index, id
            """;

    @Override
    public Map<VmId, Definition> load(Collection<VmId> vms) throws StoreUnavailable {
        if (vms.isEmpty()) {
            return Map.of();
        }
        List<VmId> wanted = vms.stream().distinct().sorted().toList();
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    Map<VmId, List<VmNic>> nics = nics(connection, wanted);
                    Map<VmId, Definition> found = new HashMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
                        Column.bind(statement, VM, wanted);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                VmId vm = vmId(row);
                                found.put(
                                        vm, definition(vm, row, nics.getOrDefault(vm, List.of())));
                            }
                        }
                    }
                    return found;
                });
    }

    private static Map<VmId, List<VmNic>> nics(Connection connection, List<VmId> wanted)
            throws SQLException {
        Map<VmId, List<VmNic>> nics = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(LOAD_NICS)) {
            Column.bind(statement, VM, wanted);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    nics.computeIfAbsent(vmId(row), _ -> new ArrayList<>())
                            .add(
                                    new VmNic(
                                            row.getObject("id", UUID.class),
                                            row.getString("name"),
                                            row.getString("mac_addr"),
                                            row.getObject("vnic_profile_id", UUID.class),
                                            row.getInt("speed")));
                }
            }
        }
        return nics;
    }

    private Definition definition(VmId vm, ResultSet row, List<VmNic> nics) throws SQLException {
        UUID lease = row.getObject("lease_sd_id", UUID.class);
        String reason = null;
        VmSpecification specification = null;
        try {
            specification = SpecificationJson.read(row.getString("specification"));
            unreadable.remove(vm);
        } catch (SQLDataException e) {
            reason = notRead(vm, e);
        }
        return new Definition(
                new VmStatic(
                        row.getString("vm_name"),
                        VmOrigin.ofCode(row.getInt("origin")),
                        row.getBoolean("auto_startup"),
                        row.getInt("mem_size_mb"),
                        row.getInt("min_allocated_mem"),
                        row.getInt("num_of_sockets"),
                        row.getInt("cpu_per_socket"),
                        row.getInt("threads_per_cpu"),
                        nics,
                        lease != null,
                        new ClusterId(row.getObject("cluster_id", UUID.class))),
                specification,
                row.getInt("priority"),
                lease,
                row.getString("saved_memory"),
                reason);
    }

    /** Logs a VM once; the others are not affected. */
    private String notRead(VmId vm, SQLDataException failure) {
        String reason = SqlFailures.reason(failure);
        if (unreadable.put(vm, reason) == null) {
            log.warn(
                    "vm={} has a specification that cannot be read, and does not start until it is"
                            + " corrected: {}",
                    vm,
                    reason);
        }
        return reason;
    }

    @Override
    public Map<VmId, String> unreadable() {
        return Map.copyOf(unreadable);
    }

    private static VmId vmId(ResultSet row) throws SQLException {
        return VmId.of(row.getObject("vm_guid", UUID.class));
    }

    /** Of a VM that was found, the specification counts once a user has changed it. */
    private static final String RECORDS =
            """
            SELECT s.vm_guid, s.creation_date,
                   s.origin NOT IN (%s)
                   OR p.specification IS NOT NULL
                      AND (p.specification #>> '{found,followed}') IS DISTINCT FROM 'true'
              FROM vm_static AS s
              LEFT JOIN vm_specification AS p ON p.vm_guid = s.vm_guid AND s.origin IN (%<s)
            """
                    .formatted(
                            Arrays.stream(VmOrigin.values())
                                    .filter(VmOrigin::isFound)
                                    .map(origin -> Integer.toString(origin.code()))
                                    .collect(Collectors.joining(", ")));

    @Override
    public void loadPriorities(BiConsumer<VmId, Integer> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "SELECT vm_guid, priority FROM vm_static WHERE priority <>"
                                            + " 0")) {
                        statement.setFetchSize(FETCH_SIZE);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                receiver.accept(vmId(row), row.getInt("priority"));
                            }
                        }
                    }
                    return true;
                });
    }

    @Override
    public void loadRecords(RecordReceiver receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    try (BinaryCopy.Rows row =
                            new BinaryCopy.Rows(
                                    connection, RECORDS, transactions.counted(), SqlStage.LOAD)) {
                        while (row.next()) {
                            receiver.accept(row.vm(), row.time(), row.flag());
                        }
                    }
                    return true;
                });
    }

    // Writing

    /** A VM with its definition; a batch of one. */
    private record Row(VmId vm, Definition definition) {

        VmStatic fixed() {
            return definition.definition();
        }
    }

    private static final Column<Row> KEY = Column.uuid("vm_guid", row -> row.vm().toUuid());

    private static final List<Column<Row>> COLUMNS =
            List.of(
                    KEY,
                    Column.text("vm_name", row -> row.fixed().name()),
                    Column.of("origin", SqlType.SMALLINT, row -> row.fixed().origin().code()),
                    Column.bool("auto_startup", row -> row.fixed().highlyAvailable()),
                    Column.integer("mem_size_mb", row -> row.fixed().memoryMebibytes()),
                    Column.integer(
                            "min_allocated_mem", row -> row.fixed().guaranteedMemoryMebibytes()),
                    Column.integer("num_of_sockets", row -> row.fixed().sockets()),
                    Column.integer("cpu_per_socket", row -> row.fixed().coresPerSocket()),
                    Column.integer("threads_per_cpu", row -> (int) row.fixed().threadsPerCore()),
                    Column.integer("priority", row -> row.definition().priority()),
                    Column.uuid("lease_sd_id", row -> row.definition().lease()),
                    Column.uuid("cluster_id", row -> row.fixed().cluster().value()));

    private static final List<Column<Row>> VALUES = COLUMNS.subList(1, COLUMNS.size());

    private static final String ADD =
            """
            INSERT INTO vm_static (%s)
            SELECT %s FROM %s
                ON CONFLICT (vm_guid) DO NOTHING
            """
                    .formatted(
                            Column.names(COLUMNS, "", "", ""),
                            Column.expressions(COLUMNS, "c"),
                            Column.unnest(COLUMNS, "c"));

    /** Counts a change of the definition even if only interfaces differ. */
    private static final String UPDATE =
            """
            UPDATE vm_definition_light AS d
               SET (%s) = ROW (%s), db_generation = d.db_generation + 1
              FROM %s
             WHERE d.vm_guid = c.vm_guid
            """
                    .formatted(
                            Column.names(VALUES, "", "", ""),
                            Column.expressions(VALUES, "c"),
                            Column.unnest(COLUMNS, "c"));

    private record NicRow(VmId vm, int index, VmNic nic) {}

    private static final List<Column<NicRow>> NIC_COLUMNS =
            List.of(
                    Column.uuid("id", row -> row.nic().id()),
                    Column.uuid("vm_guid", row -> row.vm().toUuid()),
                    Column.text("name", row -> row.nic().name()),
                    Column.text("mac_addr", row -> row.nic().mac()),
                    Column.uuid("vnic_profile_id", row -> row.nic().vnicProfile()),
                    Column.integer("speed", row -> row.nic().speedMegabitsPerSecond()),
                    Column.integer("nic_index", NicRow::index));

    private static final String REMOVE_NICS =
            "DELETE FROM vm_interface WHERE vm_guid = ? AND id <> ALL (?)";

    /** A VM keeps its interface of this identity: another VM's is not touched. */
    private static final String SAVE_NICS =
            """
            INSERT INTO vm_interface AS i (id, vm_guid, name, mac_addr, vnic_profile_id, speed, nic_index)
            SELECT id, vm_guid, name, mac_addr, vnic_profile_id, speed, nic_index
              FROM %s
             ORDER BY id
                ON CONFLICT (id) DO UPDATE
               SET name = excluded.name, mac_addr = excluded.mac_addr, vnic_profile_id = excluded.vnic_profile_id,
                   speed = excluded.speed, nic_index = excluded.nic_index
             WHERE i.vm_guid = excluded.vm_guid
            """
                    .formatted(Column.unnest(NIC_COLUMNS, "c"));

    private static final String SAVE_SPECIFICATION =
            """
            INSERT INTO vm_specification AS s (vm_guid, specification, saved_memory)
            VALUES (?, ?::jsonb, ?)
                ON CONFLICT (vm_guid) DO UPDATE
               SET specification = excluded.specification
            """;

    @Override
    public boolean add(VmId vm, Definition definition) throws StoreUnavailable {
        Row row = new Row(vm, definition);
        return change(connection -> {
            if (write(connection, ADD, row) == 0) {
                return false;
            }
            int _ =
                    Sql.update(
                            connection,
                            "INSERT INTO vm_runtime_light (vm_guid) VALUES (?)",
                            vm.toUuid());
            saveNics(connection, row);
            saveSpecification(connection, row);
            claim(connection, row, VmClaims.Had.NOTHING);
            return true;
        });
    }

    /** Everything is undone if something of it belongs to another VM. */
    private static void claim(Connection connection, Row row, VmClaims.Had had)
            throws SQLException {
        String taken = VmClaims.save(connection, row.vm(), row.definition(), had);
        if (taken != null) {
            throw new DefinitionTaken(taken);
        }
    }

    @Override
    public @Nullable String taken(VmId vm, Definition definition) throws StoreUnavailable {
        return transactions
                .<Optional<String>>runOrUnavailable(
                        SqlStage.DEFINITIONS,
                        connection ->
                                Optional.ofNullable(
                                        VmClaims.taken(
                                                connection,
                                                vm,
                                                definition,
                                                VmClaims.had(
                                                        connection,
                                                        vm,
                                                        definition.definition().cluster()))))
                .orElse(null);
    }

    @Override
    public boolean update(VmId vm, Definition definition) throws StoreUnavailable {
        Row row = new Row(vm, definition);
        return change(connection -> {
            VmClaims.Had had = VmClaims.had(connection, vm, row.fixed().cluster());
            int _ = Sql.update(connection, KEEP_RUN, vm.toUuid());
            if (write(connection, UPDATE, row) == 0) {
                return false;
            }
            Object[] kept = row.fixed().nics().stream().map(VmNic::id).toArray();
            int _ =
                    Sql.update(
                            connection,
                            REMOVE_NICS,
                            vm.toUuid(),
                            connection.createArrayOf("uuid", kept));
            saveNics(connection, row);
            saveSpecification(connection, row);
            claim(connection, row, had);
            unreadable.remove(vm);
            return true;
        });
    }

    // Run definitions of VMs

    private static final String IN_RUN =
            Arrays.stream(VmStatus.values())
                    .filter(VmStatus::isInRun)
                    .map(status -> String.valueOf(status.code()))
                    .collect(Collectors.joining(", ", "d.status IN (", ")"));

    /** The definition before a change; one that is already kept of this run is older and stays. */
    private static final String KEEP_RUN =
            """
            INSERT INTO vm_run_definition AS r
                   (vm_guid, run_generation, mem_size_mb, min_allocated_mem, num_of_sockets, cpu_per_socket,
                    threads_per_cpu, specification)
            SELECT s.vm_guid, d.run_generation, s.mem_size_mb, s.min_allocated_mem, s.num_of_sockets, s.cpu_per_socket,
                   s.threads_per_cpu, p.specification
              FROM vm_static AS s
              JOIN vm_dynamic AS d USING (vm_guid)
              LEFT JOIN vm_specification AS p USING (vm_guid)
             WHERE s.vm_guid = ? AND %s
                ON CONFLICT (vm_guid) DO UPDATE
               SET run_generation = excluded.run_generation, mem_size_mb = excluded.mem_size_mb,
                   min_allocated_mem = excluded.min_allocated_mem, num_of_sockets = excluded.num_of_sockets,
                   cpu_per_socket = excluded.cpu_per_socket, threads_per_cpu = excluded.threads_per_cpu,
                   specification = excluded.specification
             WHERE r.run_generation <> excluded.run_generation
            """
                    .formatted(IN_RUN);

    private static final String LOAD_RUNS =
            """
            SELECT r.vm_guid, r.run_generation, r.mem_size_mb, r.min_allocated_mem, r.num_of_sockets, r.cpu_per_socket,
                   r.threads_per_cpu, r.specification
              FROM vm_run_definition AS r
              JOIN vm_dynamic AS d USING (vm_guid, run_generation)
             WHERE %s
            """
                    .formatted(IN_RUN);

    private static final String LOAD_RUNS_OF = LOAD_RUNS + " AND r.vm_guid = ANY (?::uuid[])";

    /** A suspended VM is in its last run; its resumption begins the next one. */
    private static final String RESUMED =
            """
            UPDATE vm_run_definition AS r
               SET run_generation = d.run_generation
              FROM vm_dynamic AS d
             WHERE r.vm_guid = ? AND d.vm_guid = r.vm_guid AND r.run_generation = d.run_generation - 1
            """;

    @Override
    public Map<VmId, RunDefinition> loadRuns(@Nullable Collection<VmId> vms)
            throws StoreUnavailable {
        if (vms != null && vms.isEmpty()) {
            return Map.of();
        }
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    Map<VmId, RunDefinition> found = new HashMap<>();
                    try (PreparedStatement statement =
                            connection.prepareStatement(vms == null ? LOAD_RUNS : LOAD_RUNS_OF)) {
                        if (vms != null) {
                            Column.bind(statement, VM, vms.stream().distinct().sorted().toList());
                        }
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                found.put(vmId(row), run(row));
                            }
                        }
                    }
                    return found;
                });
    }

    /** One that cannot be read costs the run its devices, which only clients see. */
    private RunDefinition run(ResultSet row) throws SQLException {
        VmSpecification specification = null;
        try {
            specification = SpecificationJson.read(row.getString("specification"));
        } catch (SQLDataException e) {
            log.warn(
                    "vm={} is shown without the devices of its run, which cannot be read: {}",
                    vmId(row),
                    SqlFailures.reason(e));
        }
        return new RunDefinition(
                row.getLong("run_generation"),
                row.getInt("mem_size_mb"),
                row.getInt("min_allocated_mem"),
                row.getInt("num_of_sockets"),
                row.getInt("cpu_per_socket"),
                row.getInt("threads_per_cpu"),
                specification);
    }

    @Override
    public void resumed(VmId vm) throws StoreUnavailable {
        int _ =
                transactions.runOrUnavailable(
                        SqlStage.DEFINITIONS,
                        connection -> Sql.update(connection, RESUMED, vm.toUuid()));
    }

    private static int write(Connection connection, String sql, Row row) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Column.bind(statement, COLUMNS, List.of(row));
            return statement.executeUpdate();
        }
    }

    private static void saveNics(Connection connection, Row row) throws SQLException {
        List<VmNic> nics = row.fixed().nics();
        List<NicRow> rows =
                IntStream.range(0, nics.size())
                        .mapToObj(index -> new NicRow(row.vm(), index, nics.get(index)))
                        .toList();
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(SAVE_NICS)) {
            Column.bind(statement, NIC_COLUMNS, rows);
            if (statement.executeUpdate() < rows.size()) {
                throw new DefinitionTaken(ownerOfNic(connection, row));
            }
        }
    }

    private static final String OWNER_OF_NIC =
            """
            SELECT i.id, s.vm_name
              FROM vm_interface AS i
              JOIN vm_static AS s USING (vm_guid)
             WHERE i.id = ANY (?)
               AND i.vm_guid <> ?
             ORDER BY i.id
             LIMIT 1
            """;

    /** Interface of a VM that another VM has, one clause for people. */
    private static String ownerOfNic(Connection connection, Row row) throws SQLException {
        Object[] nics = row.fixed().nics().stream().map(VmNic::id).toArray();
        try (PreparedStatement statement = connection.prepareStatement(OWNER_OF_NIC)) {
            Sql.bind(statement, connection.createArrayOf("uuid", nics), row.vm().toUuid());
            try (ResultSet owner = statement.executeQuery()) {
                return owner.next()
                        ? "the interface %s belongs to the VM %s"
                                .formatted(
                                        owner.getObject("id", UUID.class),
                                        owner.getString("vm_name"))
                        : "an interface belongs to another VM";
            }
        }
    }

    private static void saveSpecification(Connection connection, Row row) throws SQLException {
        int _ =
                Sql.update(
                        connection,
                        SAVE_SPECIFICATION,
                        row.vm().toUuid(),
                        SpecificationJson.write(row.definition().specification()),
                        row.definition().savedMemory());
    }

    /** A definition that breaks a rule of the schema will do so the next time too. */
    private boolean change(Transactions.Work<Boolean> work) throws StoreUnavailable {
        try {
            return transactions.run(SqlStage.DEFINITIONS, work);
        } catch (SQLException e) {
            if (SqlFailures.rowIsAtFault(e)) {
                throw new IllegalArgumentException(
                        "the definition cannot be kept: " + SqlFailures.reason(e), e);
            }
            throw SqlFailures.unavailable(e);
        }
    }

    @Override
    public boolean remove(VmId vm) throws StoreUnavailable {
        unreadable.remove(vm);
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> Sql.isTrue(connection, "SELECT remove_vm(?)", vm.toUuid()));
    }

    private record Volume(VmId vm, @Nullable String handle) {}

    private static final List<Column<Volume>> VOLUME_COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.vm().toUuid()),
                    Column.text("saved_memory", Volume::handle));

    private static final String SAVE_MEMORY =
            """
            INSERT INTO vm_specification AS s (vm_guid, saved_memory)
            SELECT v.vm_guid, c.saved_memory
              FROM %s
              JOIN vm_static AS v USING (vm_guid)
             ORDER BY v.vm_guid
                ON CONFLICT (vm_guid) DO UPDATE
               SET saved_memory = excluded.saved_memory
             WHERE s.saved_memory IS DISTINCT FROM excluded.saved_memory
            """
                    .formatted(Column.unnest(VOLUME_COLUMNS, "c"));

    @Override
    public void saveMemory(Map<VmId, @Nullable String> volumes) throws StoreUnavailable {
        if (volumes.isEmpty()) {
            return;
        }
        List<Volume> rows = new ArrayList<>(volumes.size());
        new TreeMap<>(volumes).forEach((vm, handle) -> rows.add(new Volume(vm, handle)));
        int _ =
                transactions.runOrUnavailable(
                        SqlStage.DEFINITIONS,
                        connection -> {
                            try (PreparedStatement statement =
                                    connection.prepareStatement(SAVE_MEMORY)) {
                                Column.bind(statement, VOLUME_COLUMNS, rows);
                                return statement.executeUpdate();
                            }
                        });
    }

    private static final String LOAD_MEMORY =
            "SELECT vm_guid, saved_memory FROM vm_specification WHERE saved_memory IS NOT NULL";

    @Override
    public Map<VmId, String> loadMemory() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    Map<VmId, String> found = new HashMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD_MEMORY);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            found.put(vmId(row), row.getString("saved_memory"));
                        }
                    }
                    return found;
                });
    }

    // Leases on storage

    @Override
    public List<VmLease> loadLeases() throws StoreUnavailable {
        return leases.load();
    }

    @Override
    public void saveLease(VmLease lease) throws StoreUnavailable {
        leases.save(lease);
    }

    @Override
    public void removeLease(VmId vm, UUID domain) throws StoreUnavailable {
        leases.remove(vm, domain);
    }

    // Affinity groups

    private static final String LOAD_GROUPS =
            """
            SELECT g.affinity_group_id, g.cluster_id, g.name, g.description, g.positive, g.enforcing,
                   array_remove(array_agg(m.vm_guid), NULL) AS members
              FROM affinity_group AS g
              LEFT JOIN affinity_group_member AS m USING (affinity_group_id)
             GROUP BY g.affinity_group_id
             ORDER BY g.affinity_group_id
            """;

    @Override
    public List<AffinityGroup> loadAffinityGroups() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    List<AffinityGroup> groups = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD_GROUPS);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            UUID[] members = (UUID[]) row.getArray("members").getArray();
                            groups.add(
                                    new AffinityGroup(
                                            row.getObject("affinity_group_id", UUID.class),
                                            row.getString("name"),
                                            row.getString("description"),
                                            new ClusterId(row.getObject("cluster_id", UUID.class)),
                                            row.getBoolean("positive"),
                                            row.getBoolean("enforcing"),
                                            List.of(members).stream()
                                                    .map(VmId::of)
                                                    .collect(Collectors.toSet())));
                        }
                    }
                    return groups;
                });
    }

    private static final String SAVE_GROUP =
            """
            INSERT INTO affinity_group (affinity_group_id, cluster_id, name, description, positive, enforcing)
            VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (affinity_group_id) DO UPDATE
               SET cluster_id = excluded.cluster_id, name = excluded.name, description = excluded.description,
                   positive = excluded.positive, enforcing = excluded.enforcing
            """;

    private record Member(UUID group, VmId vm) {}

    private static final List<Column<Member>> MEMBER_COLUMNS =
            List.of(
                    Column.uuid("affinity_group_id", Member::group),
                    Column.uuid("vm_guid", row -> row.vm().toUuid()));

    private static final String ADD_MEMBERS =
            """
            INSERT INTO affinity_group_member (affinity_group_id, vm_guid)
            SELECT c.affinity_group_id, v.vm_guid
              FROM %s
              JOIN vm_static AS v USING (vm_guid)
             ORDER BY v.vm_guid
            """
                    .formatted(Column.unnest(MEMBER_COLUMNS, "c"));

    @Override
    public Saved save(AffinityGroup group) throws StoreUnavailable {
        return Sql.saved(
                transactions,
                SqlStage.DEFINITIONS,
                connection -> {
                    int saved =
                            Sql.update(
                                    connection,
                                    SAVE_GROUP,
                                    group.id(),
                                    group.cluster().value(),
                                    group.name(),
                                    group.description(),
                                    group.positive(),
                                    group.enforcing());
                    int _ =
                            Sql.update(
                                    connection,
                                    "DELETE FROM affinity_group_member WHERE affinity_group_id = ?",
                                    group.id());
                    List<Member> members =
                            group.members().stream()
                                    .sorted()
                                    .map(vm -> new Member(group.id(), vm))
                                    .toList();
                    if (!members.isEmpty()) {
                        try (PreparedStatement statement =
                                connection.prepareStatement(ADD_MEMBERS)) {
                            Column.bind(statement, MEMBER_COLUMNS, members);
                            statement.executeUpdate();
                        }
                    }
                    return saved;
                });
    }

    @Override
    public boolean removeAffinityGroup(UUID group) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                        SqlStage.DEFINITIONS,
                        connection ->
                                Sql.update(
                                        connection,
                                        "DELETE FROM affinity_group WHERE affinity_group_id = ?",
                                        group))
                == 1;
    }

    // Fence agents

    @Override
    public List<FenceAgent> fenceAgents(HostId host) throws StoreUnavailable {
        return agents.load(host);
    }

    @Override
    public boolean saveFenceAgents(HostId host, List<FenceAgent> changed) throws StoreUnavailable {
        return agents.save(host, changed);
    }

    @Override
    public Set<HostId> hostsWithFenceAgents() throws StoreUnavailable {
        return agents.hosts();
    }
}
