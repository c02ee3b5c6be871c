package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;

/**
 * Operations in PostgreSQL. Any number of begins takes one statement, and one more for each kind of
 * work that they take. Thread-safe.
 */
final class JdbcOperationStore implements OperationStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcOperationStore.class);

    private static final int FETCH_SIZE = 1_000;

    /** Takes work that needs no action. */
    private static final UUID NOBODY = new UUID(0, 0);

    private final Transactions transactions;
    private volatile Map<UUID, String> unreadable = Map.of();
    private volatile Set<UUID> reported = Set.of();

    JdbcOperationStore(Transactions transactions) {
        this.transactions = transactions;
    }

    // Beginning

    /** An operation, and whether its work is free. */
    private record Row(Operation operation, boolean entitled) {}

    private static final List<Column<Row>> BEGIN_COLUMNS =
            Stream.concat(
                            OperationColumns.ALL.stream().map(JdbcOperationStore::ofRow),
                            Stream.of(Column.<Row>bool("entitled", Row::entitled)))
                    .toList();

    /**
     * A durable operation stays durable, independent of its VM and its work: then only the answer
     * was lost. The update changes no value; it makes the statement return the row, even if it is
     * the lost transaction's row, for which this one had to wait.
     */
    private static final String BEGIN =
            """
            INSERT INTO operation AS o (%s)
            SELECT %s
              FROM %s
             WHERE EXISTS (SELECT FROM operation AS known WHERE known.operation_id = c.operation_id)
                OR c.entitled
                   AND (c.vm_guid IS NULL OR c.kind = %d
                        OR EXISTS (SELECT FROM vm_static AS v WHERE v.vm_guid = c.vm_guid))
                   AND (c.host_id IS NULL
                        OR EXISTS (SELECT FROM host_static AS h WHERE h.host_id = c.host_id))
             ORDER BY c.operation_id
                ON CONFLICT (operation_id) DO UPDATE
               SET step = o.step
            RETURNING o.operation_id
            """
                    .formatted(
                            OperationColumns.NAMES,
                            Column.expressions(OperationColumns.ALL, "c"),
                            Column.unnest(BEGIN_COLUMNS, "c"),
                            OperationKind.ADD_VM.code());

    private static Column<Row> ofRow(Column<Operation> column) {
        return new Column<>(
                column.name(),
                column.type(),
                column.cast(),
                row -> column.value().apply(row.operation()));
    }

    @Override
    public Set<UUID> begin(List<Begun> begun) throws StoreUnavailable {
        if (begun.isEmpty()) {
            return Set.of();
        }
        return transactions.runOrUnavailable(
                SqlStage.OPERATIONS,
                connection -> {
                    Claimed claimed = claim(connection, begun);
                    List<Row> rows =
                            begun.stream()
                                    .map(next -> new Row(next.operation(), claimed.entitles(next)))
                                    .toList();
                    try (PreparedStatement statement = connection.prepareStatement(BEGIN)) {
                        Column.bind(statement, BEGIN_COLUMNS, rows);
                        return Sql.uuids(statement);
                    }
                });
    }

    /** Operations that have the work about their VMs, and about their hosts. */
    private record Claimed(Set<UUID> ofVms, Set<UUID> ofHosts) {

        boolean entitles(Begun begun) {
            UUID id = begun.operation().id();
            return (begun.work() == null || ofVms.contains(id))
                    && (begun.hostWork() == null || ofHosts.contains(id));
        }
    }

    private static Claimed claim(Connection connection, List<Begun> begun) throws SQLException {
        List<PendingWorkRows.Claim> ofVms = new ArrayList<>();
        List<HostWorkRows.Claim> ofHosts = new ArrayList<>();
        for (Begun next : begun) {
            Operation operation = next.operation();
            if (next.work() != null && next.hostWork() != null) {
                throw new IllegalArgumentException(
                        "operation " + operation.id() + " is about a VM or a host, not both");
            }
            if (next.work() != null) {
                ofVms.add(
                        new PendingWorkRows.Claim(
                                next.work(), operation.id(), operation.createdAt()));
            }
            if (next.hostWork() != null) {
                ofHosts.add(
                        new HostWorkRows.Claim(
                                next.hostWork(), operation.id(), operation.createdAt()));
            }
        }
        return new Claimed(
                PendingWorkRows.takeOver(connection, ofVms),
                HostWorkRows.takeOver(connection, ofHosts));
    }

    private static final String DURABLE =
            "SELECT operation_id FROM operation WHERE operation_id = ANY (?::uuid[])";

    @Override
    public Set<UUID> takeOver(List<Begun> taken) throws StoreUnavailable {
        if (taken.isEmpty()) {
            return Set.of();
        }
        return transactions.runOrUnavailable(
                SqlStage.OPERATIONS,
                connection -> {
                    Set<UUID> durable;
                    try (PreparedStatement statement = connection.prepareStatement(DURABLE)) {
                        Column.bind(
                                statement,
                                List.of(OperationColumns.KEY),
                                taken.stream().map(Begun::operation).toList());
                        durable = Sql.uuids(statement);
                    }
                    List<Begun> known =
                            taken.stream()
                                    .filter(next -> durable.contains(next.operation().id()))
                                    .toList();
                    Claimed claimed = claim(connection, known);
                    return known.stream()
                            .filter(claimed::entitles)
                            .map(next -> next.operation().id())
                            .collect(Collectors.toUnmodifiableSet());
                });
    }

    @Override
    public void discharge(List<PendingWork> done, Instant at) throws StoreUnavailable {
        if (!done.isEmpty()) {
            Set<UUID> _ =
                    transactions.runOrUnavailable(
                            SqlStage.OPERATIONS,
                            connection ->
                                    PendingWorkRows.takeOver(
                                            connection,
                                            done.stream()
                                                    .map(work ->
                                                            new PendingWorkRows.Claim(
                                                                    work, NOBODY, at))
                                                    .toList()));
        }
    }

    // Progress

    private static final String LOCK =
            """
            SELECT count(*)
              FROM (SELECT operation_id
                      FROM operation
                     WHERE operation_id = ANY (?::uuid[])
                     ORDER BY operation_id
                       FOR NO KEY UPDATE) AS locked
            """;

    private static final ColumnUpdate<Operation> SAVE =
            new ColumnUpdate<>("operation", OperationColumns.KEY, OperationColumns.PROGRESS);

    @Override
    public WriteOutcome save(List<Operation> operations) {
        return transactions.write(
                SqlStage.OPERATIONS, operations, Operation::id, JdbcOperationStore::save);
    }

    /** Statements lock several rows in the order of the key, so that no deadlock arises. */
    private static int save(Connection connection, List<Operation> operations) throws SQLException {
        if (operations.size() > 1) {
            try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
                Column.bind(statement, List.of(OperationColumns.KEY), operations);
                statement.executeQuery().close();
            }
        }
        return SAVE.write(connection, operations);
    }

    // Reading

    private static final String SELECT = "SELECT " + OperationColumns.NAMES + " FROM operation";

    @Override
    public void loadOpen(Consumer<Operation> receiver) throws StoreUnavailable {
        unreadable =
                read(
                        SqlStage.LOAD,
                        SELECT + " WHERE ended_at IS NULL ORDER BY created_at, operation_id",
                        List.of(),
                        receiver);
    }

    /**
     * Few starts are of this cause, and they have an index of their own; the index of the VM finds
     * later operations.
     */
    private static final String FAILED_COLD_REBOOTS =
            """
            SELECT %s
              FROM operation AS o
             WHERE o.kind = %d AND o.parameters ->> 'cause' = '%s' AND o.state IN (%d, %d)
               AND NOT EXISTS (
                   SELECT FROM operation AS later
                    WHERE later.vm_guid = o.vm_guid
                      AND (later.created_at, later.operation_id) > (o.created_at, o.operation_id)
                      AND later.kind NOT IN (%d, %d)
                      AND NOT (later.kind = o.kind AND later.parameters ->> 'cause' = '%s' AND later.state <> %d))
             ORDER BY o.created_at, o.operation_id
            """
                    .formatted(
                            Column.names(OperationColumns.ALL, "o.", "", ""),
                            OperationKind.RUN.code(),
                            OperationParameters.Cause.COLD_REBOOT,
                            OperationState.FAILED.code(),
                            OperationState.CANCELLED.code(),
                            OperationKind.UPDATE_VM.code(),
                            OperationKind.CONSOLE_TICKET.code(),
                            OperationParameters.Cause.COLD_REBOOT,
                            OperationState.SUCCEEDED.code());

    @Override
    public void loadFailedColdReboots(Consumer<Operation> receiver) throws StoreUnavailable {
        Map<UUID, String> _ = read(SqlStage.LOAD, FAILED_COLD_REBOOTS, List.of(), receiver);
    }

    @Override
    public Map<UUID, String> unreadable() {
        return unreadable;
    }

    @Override
    public @Nullable Operation find(UUID id) throws StoreUnavailable {
        List<Operation> found = new ArrayList<>(1);
        Map<UUID, String> _ =
                read(
                        SqlStage.OPERATIONS,
                        SELECT + " WHERE operation_id = ?",
                        List.of(id),
                        found::add);
        return found.isEmpty() ? null : found.getFirst();
    }

    @Override
    public List<Operation> list(Filter filter) throws StoreUnavailable {
        List<String> conditions = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        VmId vm = filter.vm();
        if (vm != null) {
            conditions.add("vm_guid = ?");
            values.add(vm.toUuid());
        }
        HostId host = filter.host();
        if (host != null) {
            conditions.add("host_id = ?");
            values.add(host.value());
        }
        OperationKind kind = filter.kind();
        if (kind != null) {
            conditions.add("kind = ?");
            values.add(kind.code());
        }
        OperationState state = filter.state();
        if (state != null) {
            // With the condition "open", the planner uses the index of the few open ones.
            conditions.add(state.isEnd() ? "state = ?" : "state = ? AND ended_at IS NULL");
            values.add(state.code());
        }
        UUID batch = filter.batch();
        if (batch != null) {
            conditions.add("batch_id = ?");
            values.add(batch);
        }
        Instant before = filter.before();
        UUID beforeId = filter.beforeId();
        if (before != null && beforeId != null) {
            conditions.add("(created_at, operation_id) < (?, ?)");
            values.add(before);
            values.add(beforeId);
        } else if (before != null) {
            conditions.add("created_at < ?");
            values.add(before);
        }
        values.add(filter.limit());
        String sql =
                SELECT
                        + (conditions.isEmpty() ? "" : " WHERE ")
                        + String.join(" AND ", conditions)
                        + " ORDER BY created_at DESC, operation_id DESC LIMIT ?";
        List<Operation> found = new ArrayList<>();
        int left = 0;
        int more;
        do { // a page is full, however many of its rows make no operation
            more = left;
            found.clear();
            values.set(values.size() - 1, filter.limit() + more);
            left = read(SqlStage.OPERATIONS, sql, values, found::add).size();
        } while (left > more);
        return List.copyOf(found.subList(0, Math.min(filter.limit(), found.size())));
    }

    /**
     * Reads operations. A row that makes none, as a later engine or a stricter rule leaves it, must
     * not cost the others.
     *
     * @return the rows that were left out, with the reason
     */
    private Map<UUID, String> read(
            SqlStage stage, String sql, List<Object> values, Consumer<Operation> receiver)
            throws StoreUnavailable {
        Map<UUID, String> left = new HashMap<>();
        transactions.runOrUnavailable(
                stage,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setFetchSize(FETCH_SIZE);
                        Sql.bind(statement, values.toArray());
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                Operation operation;
                                try {
                                    operation = OperationColumns.read(row);
                                } catch (RuntimeException | SQLDataException e) {
                                    left.put(
                                            row.getObject("operation_id", UUID.class),
                                            String.valueOf(e.getMessage()));
                                    continue;
                                }
                                receiver.accept(operation);
                            }
                        }
                    }
                    return true;
                });
        report(left);
        return Map.copyOf(left);
    }

    /** Logs rows that were left out, unless the last report named them. */
    private void report(Map<UUID, String> left) {
        if (!reported.containsAll(left.keySet())) {
            LOG.warn("{} rows of operations cannot be read: {}", left.size(), left);
            reported = Set.copyOf(left.keySet());
        }
    }

    // Retention

    private static final String REMOVE =
            """
            DELETE FROM operation
             WHERE operation_id IN (SELECT operation_id
                                      FROM operation
                                     WHERE ended_at < ?
                                     ORDER BY ended_at
                                     LIMIT ?
                                       FOR UPDATE SKIP LOCKED)
            """;

    @Override
    public int removeEndedBefore(Instant moment, int most) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.OPERATIONS, connection -> Sql.update(connection, REMOVE, moment, most));
    }
}
