package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.WorkKind;

/**
 * The rows of {@code pending_work}. A row is open until it is taken; then it stays until the VM's
 * next run, so that completed work is not queued again. Stateless.
 */
final class PendingWorkRows {

    private static final String TABLE = "pending_work";

    private PendingWorkRows() {}

    private static final List<Column<OpenWork>> COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.work().vmId().toUuid()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.work().kind().code()),
                    Column.of("run_generation", SqlType.BIGINT, row -> row.work().generation()),
                    Column.uuid("host_id", row -> uuid(row.work().host())),
                    Column.text("why", row -> row.work().why()),
                    Column.of("created_at", SqlType.TIMESTAMPTZ, OpenWork::since));

    private static final String NAMES = Column.names(COLUMNS, "", "", "");

    /**
     * A data-modifying clause and the reads beside it see one snapshot: no row occurs twice. Work
     * with the same time as taken work is the same work: the answer to its first write was lost.
     */
    private static final String QUEUE =
            """
            WITH c AS (
                SELECT DISTINCT ON (vm_guid, kind, run_generation) * FROM %s
            ), fresh AS (
                INSERT INTO pending_work AS w (%s)
                SELECT %s
                  FROM c
                  JOIN vm_runtime_light AS d USING (vm_guid)
                    ON CONFLICT (vm_guid, kind, run_generation) DO UPDATE
                   SET host_id = excluded.host_id, why = excluded.why, created_at = excluded.created_at,
                       taken_over_at = NULL, taken_over_by = NULL
                 WHERE w.taken_over_at IS NOT NULL
                   AND w.created_at <> excluded.created_at
                   AND w.kind <> ALL (ARRAY[%s]::smallint[])
                RETURNING %s
            )
            SELECT true AS is_fresh, %s FROM fresh
             UNION ALL
            SELECT false, %s
              FROM pending_work AS w
             WHERE w.vm_guid IN (SELECT vm_guid FROM c)
               AND w.taken_over_at IS NULL
             ORDER BY vm_guid, kind, run_generation
            """
                    .formatted(
                            Column.unnest(COLUMNS, "u"),
                            NAMES,
                            Column.names(COLUMNS, "c.", "", ""),
                            Arrays.stream(WorkKind.values())
                                    .filter(WorkKind::isOncePerRun)
                                    .map(kind -> Integer.toString(kind.code()))
                                    .collect(Collectors.joining(", ")),
                            Column.names(COLUMNS, "w.", "", ""),
                            NAMES,
                            Column.names(COLUMNS, "w.", "", ""));

    /** A new run begins: earlier runs have no further consequences. */
    private static final String FORGET =
            """
            DELETE FROM pending_work AS w
             USING unnest(?::uuid[], ?::bigint[]) AS c(vm_guid, run_generation)
             WHERE w.vm_guid = c.vm_guid
               AND w.run_generation < c.run_generation
               AND w.taken_over_at IS NOT NULL
            """;

    private static final List<Column<VmChange>> RUN =
            List.of(
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    Column.of(
                            "run_generation",
                            SqlType.BIGINT,
                            row -> row.placement().run().generation()));

    /**
     * Queues the work of these changes and returns the open work of their VMs.
     *
     * @param unreadable receives open work of a kind that this program does not know
     */
    static Transactions.Effect queue(
            Connection connection, List<VmChange> changes, UnreadableRows unreadable)
            throws SQLException {
        List<VmChange> newRuns =
                changes.stream()
                        .filter(row -> row.placed().contains(PlacementField.RUN_GENERATION))
                        .toList();
        if (!newRuns.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
                Column.bind(statement, RUN, newRuns);
                statement.executeUpdate();
            }
        }
        List<OpenWork> work = changes.stream().flatMap(row -> row.work().stream()).toList();
        if (work.isEmpty()) {
            return Transactions.Effect.NONE;
        }
        try (PreparedStatement statement = connection.prepareStatement(QUEUE)) {
            Column.bind(statement, COLUMNS, work);
            int fresh = 0;
            List<OpenWork> open = new ArrayList<>(work.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    fresh += row.getBoolean("is_fresh") ? 1 : 0;
                    read(row, unreadable, open::add);
                }
            }
            return new Transactions.Effect(fresh, open, List.of());
        }
    }

    /** Streams open work, oldest first. Work of an unknown kind stays in the table. */
    static void load(Connection connection, Consumer<OpenWork> receiver, UnreadableRows unreadable)
            throws SQLException {
        unreadable.clear(TABLE);
        try (PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT "
                                        + NAMES
                                        + " FROM pending_work WHERE taken_over_at IS NULL ORDER BY"
                                        + " created_at, vm_guid, kind, run_generation");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                read(row, unreadable, receiver);
            }
        }
    }

    private static final String TAKE_OVER =
            """
            UPDATE pending_work
               SET taken_over_at = coalesce(taken_over_at, ?), taken_over_by = ?
             WHERE vm_guid = ? AND kind = ? AND run_generation = ?
               AND (taken_over_at IS NULL OR taken_over_by = ?)
            """;

    static boolean takeOver(Connection connection, PendingWork work, UUID owner, Instant at)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKE_OVER)) {
            statement.setObject(1, at.atOffset(ZoneOffset.UTC));
            statement.setObject(2, owner);
            statement.setObject(3, work.vmId().toUuid());
            statement.setInt(4, work.kind().code());
            statement.setLong(5, work.generation());
            statement.setObject(6, owner);
            return statement.executeUpdate() == 1;
        }
    }

    /**
     * Work that an operation wants to do.
     *
     * @param work the work
     * @param owner the operation
     * @param at when
     */
    record Claim(PendingWork work, UUID owner, Instant at) {}

    private static final List<Column<Claim>> CLAIM_COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.work().vmId().toUuid()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.work().kind().code()),
                    Column.of("run_generation", SqlType.BIGINT, row -> row.work().generation()),
                    Column.uuid("owner", Claim::owner),
                    Column.time("taken_at", Claim::at));

    /** The rows are locked in the order of their key, so that no deadlock arises. */
    private static final String TAKE_OVER_ALL =
            """
            UPDATE pending_work AS w
               SET taken_over_at = coalesce(w.taken_over_at, c.taken_at), taken_over_by = c.owner
              FROM (SELECT u.*
                      FROM %s
                      JOIN pending_work AS l USING (vm_guid, kind, run_generation)
                     ORDER BY u.vm_guid, u.kind, u.run_generation
                       FOR NO KEY UPDATE OF l) AS c
             WHERE w.vm_guid = c.vm_guid
               AND w.kind = c.kind
               AND w.run_generation = c.run_generation
               AND (w.taken_over_at IS NULL OR w.taken_over_by = c.owner)
            RETURNING c.owner
            """
                    .formatted(Column.unnest(CLAIM_COLUMNS, "u"));

    /** Takes all available work by one statement; returns the owners that got theirs. */
    static Set<UUID> takeOver(Connection connection, List<Claim> claims) throws SQLException {
        if (claims.isEmpty()) {
            return Set.of();
        }
        try (PreparedStatement statement = connection.prepareStatement(TAKE_OVER_ALL)) {
            Column.bind(statement, CLAIM_COLUMNS, claims);
            return Sql.uuids(statement);
        }
    }

    private static void read(ResultSet row, UnreadableRows unreadable, Consumer<OpenWork> receiver)
            throws SQLException {
        VmId vm = VmId.of(row.getObject("vm_guid", UUID.class));
        int code = row.getInt("kind");
        long generation = row.getLong("run_generation");
        WorkKind kind;
        try {
            kind = WorkKind.ofCode(code);
        } catch (IllegalArgumentException e) {
            unreadable.add(
                    TABLE,
                    "vm_guid=" + vm + " kind=" + code + " run_generation=" + generation,
                    e.getMessage() + "; no command gets this work");
            return;
        }
        @Nullable UUID host = row.getObject("host_id", UUID.class);
        receiver.accept(
                new OpenWork(
                        new PendingWork(
                                vm,
                                kind,
                                generation,
                                host == null ? null : new HostId(host),
                                row.getString("why")),
                        row.getObject("created_at", OffsetDateTime.class).toInstant()));
    }

    private static @Nullable UUID uuid(@Nullable HostId host) {
        return host == null ? null : host.value();
    }
}
