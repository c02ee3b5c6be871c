package org.stillwater.dal;

import java.sql.Connection;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.SqlType;

/**
 * Adds new rows to a table by one binary {@code COPY}. Unlike an {@code INSERT} from arrays, the
 * server keeps no array of each column and puts rows on their pages by blocks. One refused row
 * refuses all. Immutable.
 *
 * @param <T> source of a row's values
 */
final class RowCopy<T> {

    /** SQLSTATE "datetime field overflow". */
    private static final String TIME_OVERFLOW = "22008";

    private final String sql;
    private final List<Column<T>> columns;

    /**
     * A copy into a table.
     *
     * @param columns columns without a cast, but for texts and JSON: the format has no conversion
     */
    RowCopy(String table, List<Column<T>> columns) {
        for (Column<T> column : columns) {
            String cast = column.cast();
            if (cast != null && !cast.equals(Column.TEXTS) && !cast.equals(Column.JSON)) {
                throw new IllegalArgumentException("a column with a cast: " + column.name());
            }
        }
        this.columns = List.copyOf(columns);
        this.sql =
                "COPY "
                        + table
                        + Column.names(columns, "", " (", ")")
                        + " FROM STDIN (FORMAT binary)";
    }

    /**
     * Copies rows within a transaction: one statement, or none for no rows.
     *
     * @param counted counts the statement and its rows
     */
    void write(Connection connection, CountingDataSource counted, SqlStage stage, List<T> rows)
            throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        SqlStatementEvent event = new SqlStatementEvent();
        event.begin();
        try (BinaryCopy copy = new BinaryCopy(connection, sql)) {
            for (T row : rows) {
                copy.row(columns.size());
                for (Column<T> column : columns) {
                    Object value = column.value().apply(row);
                    if (value != null && Column.JSON.equals(column.cast())) {
                        copy.json((String) value);
                    } else {
                        put(copy, column.type(), value);
                    }
                }
            }
            counted.copied(stage, sql, copy.finish(), event);
        }
    }

    private static void put(BinaryCopy copy, SqlType type, @Nullable Object value)
            throws SQLException {
        if (value == null) {
            copy.none();
            return;
        }
        switch (type) {
            case SMALLINT -> copy.smallint(((Number) value).shortValue());
            case INTEGER -> copy.integer(((Number) value).intValue());
            case BIGINT -> copy.bigint(((Number) value).longValue());
            case BOOLEAN -> copy.bool((Boolean) value);
            case DOUBLE -> copy.number(((Number) value).doubleValue());
            case TEXT -> text(copy, value);
            case UUID -> uuid(copy, (UUID) value);
            case TIMESTAMPTZ -> copy.time(micros((Instant) value));
        }
    }

    private static void text(BinaryCopy copy, Object value) throws SQLException {
        if (value instanceof List<?> all) {
            copy.texts(all.stream().map(text -> Column.storable(String.valueOf(text))).toList());
        } else {
            copy.text(Column.storable((String) value));
        }
    }

    private static void uuid(BinaryCopy copy, UUID id) throws SQLException {
        copy.uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /**
     * A time that the server could not hold is a fault of its row, as it is in an {@code INSERT}.
     */
    private static long micros(Instant time) throws SQLException {
        try {
            return BinaryCopy.micros(time.truncatedTo(ChronoUnit.MICROS));
        } catch (ArithmeticException e) {
            throw new SQLDataException("time out of range: " + time, TIME_OVERFLOW, e);
        }
    }
}
