package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;

/** Helpers of several stores for statements and rows. Stateless. */
final class Sql {

    private static final String FOREIGN_KEY_VIOLATION = "23503";
    static final String UNIQUE_VIOLATION = "23505";

    private Sql() {}

    /** Runs a query and collects its first column. */
    static Set<UUID> uuids(PreparedStatement statement) throws SQLException {
        Set<UUID> found = new HashSet<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(row.getObject(1, UUID.class));
            }
        }
        return found;
    }

    /**
     * Runs a change of one row, with text values made storable; returns how many rows it touched.
     */
    static int update(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        }
    }

    /** Runs a query for one truth. */
    static boolean isTrue(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /** Binds values in their order. */
    static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            switch (values[i]) {
                case String text -> statement.setString(i + 1, Column.storable(text));
                // The driver would round; stored times are cut off.
                case Instant time ->
                        statement.setObject(
                                i + 1,
                                time.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
                case null, default -> statement.setObject(i + 1, values[i]);
            }
        }
    }

    /**
     * Runs a change of an object with a unique name; returns the violated rule of the schema, if
     * any.
     */
    static Saved saved(Transactions transactions, SqlStage stage, Transactions.Work<Integer> work)
            throws StoreUnavailable {
        try {
            return transactions.run(stage, work) > 0 ? Saved.SAVED : Saved.UNKNOWN;
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

    /** Inserts rows by one statement, in their order; how many there are. */
    static <T> int insert(
            Connection connection, String table, List<Column<T>> columns, List<T> rows)
            throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        String sql =
                "INSERT INTO "
                        + table
                        + Column.names(columns, "", " (", ")")
                        + " SELECT "
                        + Column.expressions(columns, "c")
                        + " FROM "
                        + Column.unnest(columns, "c");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Column.bind(statement, columns, rows);
            return statement.executeUpdate();
        }
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
