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
import org.stillwater.core.vm.VmRuntime;

/**
 * VMs in PostgreSQL. Changes of runtime and placement are written through their light views only,
 * each by array statements, one per set of columns that changed; work that follows from a VM's
 * state is queued in the transaction that saves the state. Thread-safe.
 *
 * <p>It is long because each statement stands beside its columns.
 */
final class JdbcVmStore implements VmStore {

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
                SqlStage.STATE, changes, VmChange::vmId, this::write, JdbcVmStore::lock);
    }

    private Transactions.Effect write(Connection connection, List<VmChange> changes)
            throws SQLException {
        int touched = writeRuntimes(connection, changes) + writePlacements(connection, changes);
        return Transactions.Effect.rows(touched)
                .and(PendingWorkRows.queue(connection, changes, transactions.unreadable()));
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

    /**
     * Memory of the server for a sort or a join of the rows that are loaded, instead of files. The
     * hash of a join takes twice as much.
     */
    private static final String ROOM_TO_LOAD = "SET LOCAL work_mem = '64MB'";

    private static final String LOAD_VMS =
            """
            SELECT s.vm_guid, s.vm_name, s.origin, s.auto_startup, s.mem_size_mb, s.min_allocated_mem, s.num_of_sockets,
                   s.cpu_per_socket, s.threads_per_cpu, s.lease_sd_id IS NOT NULL, s.cluster_id, %s, %s
              FROM vm_static AS s
              JOIN vm_dynamic AS d USING (vm_guid)
             ORDER BY s.vm_guid
            """
                    .formatted(RuntimeColumns.names("d."), PlacementColumns.names("d."));

    private static final String LOAD_NICS =
            "SELECT vm_guid, id, name, mac_addr, vnic_profile_id, speed FROM vm_interface ORDER BY"
                    + " vm_guid, nic_index, id";

    private static final String LOAD_GUEST_NICS =
            """
            SELECT vm_guid, interface_name, mac_addr, ipv4_addresses, ipv6_addresses
              FROM vm_guest_agent_interfaces
             ORDER BY vm_guid, nic_index
            """;

    /**
     * Three reads of one state of the database, one after the other: the connection takes one
     * {@code COPY} at a time. Interfaces wait in memory for their VMs.
     */
    @Override
    public void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    oneSnapshot(connection);
                    unreadable.clear();
                    int _ = Sql.update(connection, ROOM_TO_LOAD);
                    Map<VmId, List<VmNic>> nics = byVm(connection, LOAD_NICS, JdbcVmStore::nic);
                    Map<VmId, List<GuestNic>> guestNics =
                            byVm(connection, LOAD_GUEST_NICS, JdbcVmStore::guestNic);
                    LoadedVms vms = new LoadedVms(nics, guestNics);
                    try (BinaryCopy.Rows row = rows(connection, LOAD_VMS)) {
                        while (row.next()) {
                            receiver.accept(vms.read(row));
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

    private BinaryCopy.Rows rows(Connection connection, String query) throws SQLException {
        return new BinaryCopy.Rows(connection, query, transactions.counted(), SqlStage.LOAD);
    }

    @Override
    public void loadWork(Consumer<OpenWork> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    PendingWorkRows.load(connection, receiver, transactions.unreadable());
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

    @FunctionalInterface
    private interface Reader<T> {
        T read(BinaryCopy.Rows row) throws SQLException;
    }

    /** The rows of each VM, in their order; the VM is the first column. */
    private <T> Map<VmId, List<T>> byVm(Connection connection, String query, Reader<T> reader)
            throws SQLException {
        Map<VmId, List<T>> found = new HashMap<>();
        try (BinaryCopy.Rows row = rows(connection, query)) {
            while (row.next()) {
                VmId vm = row.vm();
                found.computeIfAbsent(vm, _ -> new ArrayList<>(4)).add(reader.read(row));
            }
        }
        return found;
    }

    private static VmNic nic(BinaryCopy.Rows row) throws SQLException {
        return new VmNic(row.id(), row.word(), row.word(), row.uuid(), row.number());
    }

    private static GuestNic guestNic(BinaryCopy.Rows row) throws SQLException {
        return new GuestNic(row.word(), row.word(), row.texts(), row.texts());
    }

    private static VmId vmId(ResultSet row, int column) throws SQLException {
        return VmId.of(row.getObject(column, UUID.class));
    }

    /** Reads rows of {@link #LOAD_VMS}. The ids of clusters and hosts are few and shared. */
    private final class LoadedVms {

        private final Map<VmId, List<VmNic>> nics;
        private final Map<VmId, List<GuestNic>> guestNics;
        private final Map<UUID, ClusterId> clusters = new HashMap<>();
        private final VmRuntime.Draft draft = new VmRuntime.Draft();
        private final PlacementColumns.Reader placements = new PlacementColumns.Reader();

        LoadedVms(Map<VmId, List<VmNic>> nics, Map<VmId, List<GuestNic>> guestNics) {
            this.nics = nics;
            this.guestNics = guestNics;
        }

        /** Takes the VM's interfaces out of the maps. */
        StoredVm read(BinaryCopy.Rows row) throws SQLException {
            VmId id = row.vm();
            VmStatic definition = definition(row, taken(nics, id));
            VmRuntime runtime =
                    RuntimeColumns.read(
                            row, draft, taken(guestNics, id), reason -> notRead(id, reason));
            return new StoredVm(id, definition, runtime, placements.read(row));
        }

        private static <T> List<T> taken(Map<VmId, List<T>> from, VmId id) {
            List<T> found = from.remove(id);
            return found == null ? List.of() : found;
        }

        private VmStatic definition(BinaryCopy.Rows row, List<VmNic> own) throws SQLException {
            return new VmStatic(
                    row.word(),
                    VmOrigin.ofCode(row.number()),
                    row.flag(),
                    row.number(),
                    row.number(),
                    row.number(),
                    row.number(),
                    row.number(),
                    own,
                    row.flag(),
                    clusters.computeIfAbsent(row.id(), ClusterId::new));
        }
    }
}
