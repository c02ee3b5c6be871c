package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;

/** Points of series in PostgreSQL: one row of many points. Thread-safe. */
final class JdbcSeriesPointStore implements SeriesPointStore {

    private static final String WRITE =
            """
            INSERT INTO regression_points (slice, at, part, width_millis, points)
            VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (slice, at, part) DO UPDATE
               SET width_millis = excluded.width_millis, points = excluded.points
            """;

    private static final String READ =
            """
            SELECT at, part, points
              FROM regression_points
             WHERE slice = ? AND at >= ? AND (at, part) < (?, ?::smallint) AND width_millis = ?
             ORDER BY at DESC, part DESC
             LIMIT ?
            """;

    private static final String REMOVE = "DELETE FROM regression_points WHERE at < ?";

    private final Transactions transactions;

    JdbcSeriesPointStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static OffsetDateTime at(Duration width, long interval) {
        return Instant.ofEpochMilli(Math.multiplyExact(interval, width.toMillis()))
                .atOffset(ZoneOffset.UTC);
    }

    private static int millis(Duration width) {
        return Math.toIntExact(width.toMillis());
    }

    @Override
    public void write(Duration width, List<SeriesPoints> points) throws StoreUnavailable {
        if (points.isEmpty()) {
            return;
        }
        transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                        for (SeriesPoints each : points) {
                            statement.setInt(1, each.slice());
                            statement.setObject(2, at(width, each.interval()));
                            statement.setInt(3, each.part());
                            statement.setInt(4, millis(width));
                            statement.setBytes(5, each.packed());
                            statement.addBatch();
                        }
                        return statement.executeBatch().length;
                    }
                });
    }

    @Override
    public List<SeriesPoints> read(Duration width, int slice, long from, Position before, int limit)
            throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    List<SeriesPoints> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(READ)) {
                        statement.setInt(1, slice);
                        statement.setObject(2, at(width, from));
                        statement.setObject(3, at(width, before.interval()));
                        statement.setInt(4, before.part());
                        statement.setInt(5, millis(width));
                        statement.setInt(6, limit);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                found.add(points(row, width, slice));
                            }
                        }
                    }
                    return found;
                });
    }

    private static SeriesPoints points(ResultSet row, Duration width, int slice)
            throws SQLException {
        Instant at = row.getObject(1, OffsetDateTime.class).toInstant();
        return new SeriesPoints(
                Math.floorDiv(at.toEpochMilli(), width.toMillis()),
                slice,
                row.getInt(2),
                row.getBytes(3));
    }

    @Override
    public int removeBefore(Instant time) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
                        statement.setObject(1, time.atOffset(ZoneOffset.UTC));
                        return statement.executeUpdate();
                    }
                });
    }
}
