package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.value.SqlType;

/**
 * The rows of {@code host_work}. A row is open until it is taken; then it stays until its episode
 * ends or a later attempt replaces it, so that completed work is not queued again. Stateless.
 */
final class HostWorkRows {

    private static final String TABLE = "host_work";

    private HostWorkRows() {}

    private static final List<Column<OpenHostWork>> COLUMNS =
            List.of(
                    Column.uuid("host_id", row -> row.work().host().value()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.work().kind().code()),
                    Column.of("episode", SqlType.BIGINT, row -> row.work().episode()),
                    Column.integer("attempt", row -> row.work().attempt()),
                    Column.text("why", row -> row.work().why()),
                    Column.of("created_at", SqlType.TIMESTAMPTZ, OpenHostWork::since));

    private static final String NAMES = Column.names(COLUMNS, "", "", "");

    /** Episodes that are over: their work is void. */
    private static final String END =
            """
            DELETE FROM host_work AS w
             USING unnest(?::uuid[], ?::bigint[]) AS c(host_id, episode)
             WHERE w.host_id = c.host_id
               AND w.episode < c.episode
            """;

    private static final List<Column<HostChange>> EPISODE =
            List.of(
                    Column.uuid("host_id", row -> row.id().value()),
                    Column.of("episode", SqlType.BIGINT, row -> row.condition().episode()));

    private static final String REPLACE =
            """
            DELETE FROM host_work AS w
             USING %s
             WHERE w.host_id = c.host_id
               AND w.kind = c.kind
               AND w.episode = c.episode
               AND w.attempt < c.attempt
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    /** A data-modifying part and the reads beside it see one snapshot: no row comes twice. */
    private static final String QUEUE =
            """
            WITH c AS (
                SELECT DISTINCT ON (host_id, kind, episode, attempt) * FROM %s
            ), fresh AS (
                INSERT INTO host_work AS w (%s)
                SELECT %s
                  FROM c
                  JOIN host_dynamic AS d USING (host_id)
                    ON CONFLICT DO NOTHING
                RETURNING %s
            )
            SELECT true AS is_fresh, %s FROM fresh
             UNION ALL
            SELECT false, %s
              FROM host_work AS w
              JOIN c USING (host_id, kind, episode, attempt)
             WHERE w.taken_over_at IS NULL
             ORDER BY host_id, kind, episode, attempt
            """
                    .formatted(
                            Column.unnest(COLUMNS, "u"),
                            NAMES,
                            Column.names(COLUMNS, "c.", "", ""),
                            Column.names(COLUMNS, "w.", "", ""),
                            NAMES,
                            Column.names(COLUMNS, "w.", "", ""));

    /**
     * Ends and queues the work of these changes, and returns which of it is open now.
     *
     * @param unreadable receives open work of a kind that this program does not know
     */
    static Transactions.Effect queue(
            Connection connection, List<HostChange> changes, UnreadableRows unreadable)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(END)) {
            Column.bind(statement, EPISODE, changes);
            statement.executeUpdate();
        }
        List<OpenHostWork> work = changes.stream().flatMap(row -> row.work().stream()).toList();
        if (work.isEmpty()) {
            return Transactions.Effect.NONE;
        }
        if (work.stream().anyMatch(open -> open.work().attempt() > 0)) {
            try (PreparedStatement statement = connection.prepareStatement(REPLACE)) {
                Column.bind(statement, COLUMNS, work);
                statement.executeUpdate();
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(QUEUE)) {
            Column.bind(statement, COLUMNS, work);
            int fresh = 0;
            List<OpenHostWork> open = new ArrayList<>(work.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    fresh += row.getBoolean("is_fresh") ? 1 : 0;
                    read(row, unreadable, open::add);
                }
            }
            return new Transactions.Effect(fresh, List.of(), open);
        }
    }

    private static final String LOAD =
            """
            SELECT %s
              FROM host_work
             WHERE taken_over_at IS NULL
             ORDER BY created_at, host_id, kind, episode, attempt
            """
                    .formatted(NAMES);

    /** Streams open work, oldest first. Work of an unknown kind stays in the table. */
    static void load(
            Connection connection, Consumer<OpenHostWork> receiver, UnreadableRows unreadable)
            throws SQLException {
        unreadable.clear(TABLE);
        try (PreparedStatement statement = connection.prepareStatement(LOAD);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                read(row, unreadable, receiver);
            }
        }
    }

    private static final String TAKE_OVER =
            """
            UPDATE host_work
               SET taken_over_at = coalesce(taken_over_at, ?), taken_over_by = ?
             WHERE host_id = ? AND kind = ? AND episode = ? AND attempt = ?
               AND (taken_over_at IS NULL OR taken_over_by = ?)
            """;

    static boolean takeOver(Connection connection, HostWork work, UUID owner, Instant at)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKE_OVER)) {
            statement.setObject(1, at.atOffset(ZoneOffset.UTC));
            statement.setObject(2, owner);
            statement.setObject(3, work.host().value());
            statement.setInt(4, work.kind().code());
            statement.setLong(5, work.episode());
            statement.setInt(6, work.attempt());
            statement.setObject(7, owner);
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
    record Claim(HostWork work, UUID owner, Instant at) {}

    private static final List<Column<Claim>> CLAIM_COLUMNS =
            List.of(
                    Column.uuid("host_id", row -> row.work().host().value()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.work().kind().code()),
                    Column.of("episode", SqlType.BIGINT, row -> row.work().episode()),
                    Column.integer("attempt", row -> row.work().attempt()),
                    Column.uuid("owner", Claim::owner),
                    Column.time("taken_at", Claim::at));

    /** The rows are locked in the order of their key, so that no deadlock arises. */
    private static final String TAKE_OVER_ALL =
            """
            UPDATE host_work AS w
               SET taken_over_at = coalesce(w.taken_over_at, c.taken_at), taken_over_by = c.owner
              FROM (SELECT u.*
                      FROM %s
                      JOIN host_work AS l USING (host_id, kind, episode, attempt)
                     ORDER BY u.host_id, u.kind, u.episode, u.attempt
                       FOR NO KEY UPDATE OF l) AS c
             WHERE w.host_id = c.host_id
               AND w.kind = c.kind
               AND w.episode = c.episode
               AND w.attempt = c.attempt
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

    private static void read(
            ResultSet row, UnreadableRows unreadable, Consumer<OpenHostWork> receiver)
            throws SQLException {
        HostId host = new HostId(row.getObject("host_id", UUID.class));
        int code = row.getInt("kind");
        long episode = row.getLong("episode");
        int attempt = row.getInt("attempt");
        HostWorkKind kind;
        try {
            kind = HostWorkKind.ofCode(code);
        } catch (IllegalArgumentException e) {
            unreadable.add(
                    TABLE,
                    "host_id=%s kind=%d episode=%d attempt=%d"
                            .formatted(host, code, episode, attempt),
                    e.getMessage() + "; no command gets this work");
            return;
        }
        receiver.accept(
                new OpenHostWork(
                        new HostWork(host, kind, episode, attempt, row.getString("why")),
                        row.getObject("created_at", OffsetDateTime.class).toInstant()));
    }
}
