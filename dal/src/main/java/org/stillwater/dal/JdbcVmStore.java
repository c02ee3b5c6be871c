package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;

/**
 * VMs in PostgreSQL. Changes of runtime and placement are written through their light views only,
 * each by array statements, one per set of columns that changed; work that follows from a VM's
 * state is queued in the transaction that saves the state. Thread-safe.
 *
 * <p>It is long because each statement stands beside its columns.
 */
final class JdbcVmStore implements VmStore {

    private static final int FETCH_SIZE = 1_000;

    /** Least number of VMs in a batch that two concurrent transactions write. */
    static final int LARGE_BATCH = 1_000;

    private static final Logger log = LoggerFactory.getLogger(JdbcVmStore.class);

    private final Transactions transactions;
    private final NewVmRows newVms;
    private final Map<VmId, String> unreadable = new ConcurrentHashMap<>();

    JdbcVmStore(Transactions transactions) {
        this.transactions = transactions;
        this.newVms = new NewVmRows(transactions.counted());
    }

    // State

    private static final Column<VmChange> KEY = Column.uuid("vm_guid", row -> row.vmId().toUuid());

    @Override
    public WriteOutcome write(List<VmChange> changes) {
        WriteOutcome outcome =
                changes.size() < LARGE_BATCH || !transactions.areConcurrent()
                        ? writeTogether(changes)
                        : Transactions.InHalves.write(changes, this::writeTogether);
        if (!unreadable.isEmpty() && outcome instanceof WriteOutcome.Written) {
            changes.stream()
                    .filter(change -> change.fields().contains(RuntimeField.STATUS))
                    .forEach(change -> unreadable.remove(change.vmId()));
        }
        return outcome;
    }

    private WriteOutcome writeTogether(List<VmChange> changes) {
        return transactions.writeHastily(
                SqlStage.STATE, changes, VmChange::vmId, JdbcVmStore::write, JdbcVmStore::lock);
    }

    private static Transactions.Effect write(Connection connection, List<VmChange> changes)
            throws SQLException {
        int touched = writeRuntimes(connection, changes) + writePlacements(connection, changes);
        return Transactions.Effect.rows(touched).and(PendingWorkRows.queue(connection, changes));
    }

    /**
     * The statements of {@link #write} touch rows by groups of equal column sets, and in the order
     * of their plans. If other transactions hold rows, the rows are locked first in the order of
     * the key, like all locks of several VMs, so that no deadlock arises.
     */
    private static final String LOCK =
            """
            SELECT count(*)
              FROM (SELECT vm_guid
                      FROM vm_runtime_light
                     WHERE vm_guid = ANY (?::uuid[])
                     ORDER BY vm_guid
                       FOR NO KEY UPDATE) AS locked
            """;

    private static Transactions.Effect lock(Connection connection, List<VmChange> changes)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            Column.bind(statement, List.of(KEY), changes);
            statement.executeQuery().close();
        }
        return Transactions.Effect.NONE;
    }

    private static int writeRuntimes(Connection connection, List<VmChange> changes)
            throws SQLException {
        List<VmChange> changedNics =
                changes.stream()
                        .filter(row -> row.fields().contains(RuntimeField.GUEST_NICS))
                        .toList();
        if (!changedNics.isEmpty()) {
            replaceGuestNics(connection, changedNics);
        }
        Map<RuntimeFields, List<VmChange>> bySet = new LinkedHashMap<>();
        for (VmChange change : changes) {
            if (!change.fields().isEmpty()) {
                bySet.computeIfAbsent(change.fields(), _ -> new ArrayList<>()).add(change);
            }
        }
        int touched = 0;
        for (Map.Entry<RuntimeFields, List<VmChange>> group : bySet.entrySet()) {
            touched +=
                    new ColumnUpdate<>(
                                    "vm_runtime_light",
                                    KEY,
                                    RuntimeColumns.of(group.getKey(), VmChange::runtime))
                            .write(connection, group.getValue());
        }
        return touched;
    }

    /** Only where the stored digest differs; a VM that does not exist has no interfaces to keep. */
    private static final String DELETE_GUEST_NICS =
            """
            DELETE FROM vm_guest_agent_interfaces AS g
             USING unnest(?::uuid[], ?::bigint[]) AS c(vm_guid, digest), vm_runtime_light AS d
             WHERE d.vm_guid = c.vm_guid
               AND g.vm_guid = c.vm_guid
               AND d.guest_agent_nics_hash IS DISTINCT FROM c.digest
            """;

    private record GuestNicRow(VmId vmId, long digest, int index, GuestNic nic) {}

    private static final List<Column<GuestNicRow>> GUEST_NIC_COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    Column.of("digest", SqlType.BIGINT, GuestNicRow::digest),
                    Column.integer("nic_index", GuestNicRow::index),
                    Column.text("interface_name", row -> row.nic().name()),
                    Column.text("mac_addr", row -> row.nic().mac()),
                    Column.texts("ipv4_addresses", row -> row.nic().ipv4()),
                    Column.texts("ipv6_addresses", row -> row.nic().ipv6()));

    private static final String INSERT_GUEST_NICS =
            """
            INSERT INTO vm_guest_agent_interfaces
                   (vm_guid, nic_index, interface_name, mac_addr, ipv4_addresses, ipv6_addresses)
            SELECT c.vm_guid, c.nic_index, c.interface_name, c.mac_addr, c.ipv4_addresses::text[],
                   c.ipv6_addresses::text[]
              FROM %s
              JOIN vm_runtime_light AS d USING (vm_guid)
             WHERE d.guest_agent_nics_hash IS DISTINCT FROM c.digest
            """
                    .formatted(Column.unnest(GUEST_NIC_COLUMNS, "c"));

    private static void replaceGuestNics(Connection connection, List<VmChange> changes)
            throws SQLException {
        List<Column<VmChange>> keyAndDigest =
                List.of(
                        KEY,
                        Column.of(
                                "digest",
                                SqlType.BIGINT,
                                row -> row.runtime().guestNics().digest()));
        try (PreparedStatement delete = connection.prepareStatement(DELETE_GUEST_NICS)) {
            Column.bind(delete, keyAndDigest, changes);
            delete.executeUpdate();
        }
        List<GuestNicRow> rows = new ArrayList<>();
        for (VmChange change : changes) {
            GuestNics reported = change.runtime().guestNics();
            int index = 0;
            for (GuestNic nic : reported.nics()) {
                rows.add(new GuestNicRow(change.vmId(), reported.digest(), index++, nic));
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(INSERT_GUEST_NICS)) {
            Column.bind(insert, GUEST_NIC_COLUMNS, rows);
            insert.executeUpdate();
        }
    }

    // Placement

    private static int writePlacements(Connection connection, List<VmChange> changes)
            throws SQLException {
        Map<PlacementFields, List<VmChange>> bySet = new LinkedHashMap<>();
        for (VmChange change : changes) {
            if (!change.placed().isEmpty()) {
                bySet.computeIfAbsent(change.placed(), _ -> new ArrayList<>()).add(change);
            }
        }
        int touched = 0;
        for (Map.Entry<PlacementFields, List<VmChange>> group : bySet.entrySet()) {
            touched +=
                    new ColumnUpdate<>(
                                    "vm_placement_light",
                                    KEY,
                                    PlacementColumns.of(group.getKey(), VmChange::placement))
                            .write(connection, group.getValue());
        }
        return touched;
    }

    // New VMs

    @Override
    public WriteOutcome add(List<StoredVm> vms) {
        return transactions.write(
                SqlStage.ADD,
                vms.stream().map(vm -> new VmWithDevices(vm, List.of(), null)).toList(),
                row -> row.vm().id(),
                newVms::add);
    }

    private static final String INTERFACE_OWNERS =
            "SELECT vm_guid, id FROM vm_interface WHERE id = ANY (?::uuid[])";

    @Override
    public Map<UUID, VmId> interfaceOwners(Collection<UUID> interfaces) throws StoreUnavailable {
        if (interfaces.isEmpty()) {
            return Map.of();
        }
        return transactions.runOrUnavailable(
                SqlStage.ADD,
                connection -> {
                    Map<UUID, VmId> owners = new HashMap<>();
                    try (PreparedStatement statement =
                            connection.prepareStatement(INTERFACE_OWNERS)) {
                        UUID[] ids = interfaces.toArray(UUID[]::new);
                        statement.setArray(1, connection.createArrayOf("uuid", ids));
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                owners.put(row.getObject(2, UUID.class), vmId(row, 1));
                            }
                        }
                    }
                    return owners;
                });
    }

    // Recovery

    /** Position of the first reported column in {@link #LOAD_VMS}. */
    private static final int FIRST_REPORTED = 2;

    private static final String LOAD_VMS =
            """
            SELECT d.vm_guid, %s, s.vm_name, s.origin, s.auto_startup, s.mem_size_mb, s.min_allocated_mem, s.num_of_sockets,
                   s.cpu_per_socket, s.threads_per_cpu, s.lease_sd_id IS NOT NULL AS leased, s.cluster_id, %s
              FROM vm_static AS s
              JOIN vm_runtime_light AS d USING (vm_guid)
              JOIN vm_placement_light AS p USING (vm_guid)
             ORDER BY s.vm_guid
            """
                    .formatted(RuntimeColumns.names("d."), PlacementColumns.names("p."));

    private static final String LOAD_NICS =
            "SELECT vm_guid, id, name, mac_addr, vnic_profile_id, speed FROM vm_interface ORDER BY"
                    + " vm_guid, nic_index, id";

    private static final String LOAD_GUEST_NICS =
            """
            SELECT vm_guid, interface_name, mac_addr, ipv4_addresses, ipv6_addresses
              FROM vm_guest_agent_interfaces
             ORDER BY vm_guid, nic_index
            """;

    @Override
    public void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    oneSnapshot(connection);
                    unreadable.clear();
                    Map<UUID, ClusterId> clusters = new HashMap<>();
                    try (Merge<VmNic> nics = new Merge<>(connection, LOAD_NICS, JdbcVmStore::nic);
                            Merge<GuestNic> guestNics =
                                    new Merge<>(
                                            connection, LOAD_GUEST_NICS, JdbcVmStore::guestNic);
                            PreparedStatement statement = streaming(connection, LOAD_VMS);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            VmId id = vmId(row, 1);
                            receiver.accept(
                                    new StoredVm(
                                            id,
                                            definition(row, nics.of(id), clusters),
                                            RuntimeColumns.read(
                                                    row,
                                                    FIRST_REPORTED,
                                                    guestNics.of(id),
                                                    reason -> notRead(id, reason)),
                                            PlacementColumns.read(row)));
                        }
                    }
                    return true;
                });
    }

    /** Costs this VM its state until its host reports it; the others are not affected. */
    private void notRead(VmId vm, String reason) {
        unreadable.put(vm, reason);
        log.warn(
                "vm={} has a row that cannot be read, and is unknown until it is reported: {}",
                vm,
                reason);
    }

    @Override
    public Map<VmId, String> unreadable() {
        return Map.copyOf(unreadable);
    }

    @Override
    public void loadWork(Consumer<OpenWork> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    PendingWorkRows.load(connection, receiver);
                    return true;
                });
    }

    @Override
    public boolean takeOver(PendingWork work, UUID owner, Instant at) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.WORK, connection -> PendingWorkRows.takeOver(connection, work, owner, at));
    }

    /** Several reads, one state of the database. */
    private static void oneSnapshot(Connection connection) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setReadOnly(true);
    }

    private static PreparedStatement streaming(Connection connection, String sql)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setFetchSize(FETCH_SIZE);
        return statement;
    }

    /** The ids of clusters are few and shared by their VMs. */
    private static VmStatic definition(
            ResultSet row, List<VmNic> nics, Map<UUID, ClusterId> clusters) throws SQLException {
        return new VmStatic(
                row.getString("vm_name"),
                VmOrigin.ofCode(row.getInt("origin")),
                row.getBoolean("auto_startup"),
                row.getInt("mem_size_mb"),
                row.getInt("min_allocated_mem"),
                row.getInt("num_of_sockets"),
                row.getInt("cpu_per_socket"),
                row.getInt("threads_per_cpu"),
                nics,
                row.getBoolean("leased"),
                clusters.computeIfAbsent(row.getObject("cluster_id", UUID.class), ClusterId::new));
    }

    private static VmId vmId(ResultSet row, int column) throws SQLException {
        return VmId.of(row.getObject(column, UUID.class));
    }

    private static VmNic nic(ResultSet row) throws SQLException {
        return new VmNic(
                row.getObject("id", UUID.class),
                row.getString("name"),
                row.getString("mac_addr"),
                row.getObject("vnic_profile_id", UUID.class),
                row.getInt("speed"));
    }

    private static GuestNic guestNic(ResultSet row) throws SQLException {
        return new GuestNic(
                row.getString("interface_name"),
                row.getString("mac_addr"),
                List.of((String[]) row.getArray("ipv4_addresses").getArray()),
                List.of((String[]) row.getArray("ipv6_addresses").getArray()));
    }

    /**
     * A second cursor in VM order, read in step with the first. The VM stands in column 1. Used by
     * one thread.
     */
    private static final class Merge<T> implements AutoCloseable {

        @FunctionalInterface
        interface Reader<T> {
            T read(ResultSet row) throws SQLException;
        }

        private final PreparedStatement statement;
        private final ResultSet rows;
        private final Reader<T> reader;
        private @Nullable VmId next;

        Merge(Connection connection, String sql, Reader<T> reader) throws SQLException {
            this.reader = reader;
            this.statement = streaming(connection, sql);
            this.rows = statement.executeQuery();
            this.next = advance();
        }

        /** Rows of this VM; callers pass ids in ascending order. */
        List<T> of(VmId id) throws SQLException {
            List<T> found = List.of();
            while (next != null && next.compareTo(id) <= 0) {
                if (next.equals(id)) {
                    if (found.isEmpty()) {
                        found = new ArrayList<>(4);
                    }
                    found.add(reader.read(rows));
                }
                next = advance();
            }
            return found;
        }

        private @Nullable VmId advance() throws SQLException {
            return rows.next() ? vmId(rows, 1) : null;
        }

        @Override
        public void close() throws SQLException {
            try (statement) {
                rows.close();
            }
        }
    }
}
