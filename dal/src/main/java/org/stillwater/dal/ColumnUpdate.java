package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The changed-column write: one statement that sets the given columns of many rows, touching only
 * rows in which one of them really differs. Immutable.
 *
 * @param target table or updatable view
 * @param key the key column
 * @param columns the columns to set; not empty
 */
record ColumnUpdate<T>(String target, Column<T> key, List<Column<T>> columns) {

    /** Writes rows, sorted by key, and returns how many were touched. */
    int write(Connection connection, List<T> rows) throws SQLException {
        List<Column<T>> all = new ArrayList<>(columns.size() + 1);
        all.add(key);
        all.addAll(columns);
        try (PreparedStatement statement = connection.prepareStatement(sql(all))) {
            Column.bind(statement, all, rows);
            return statement.executeUpdate();
        }
    }

    private String sql(List<Column<T>> all) {
        return """
        UPDATE %s AS d
           SET %s
          FROM %s
         WHERE d.%s = c.%s
           AND (%s) IS DISTINCT FROM (%s)
        """
                .formatted(
                        target,
                        columns.stream()
                                .map(column -> column.name() + " = " + column.from("c"))
                                .collect(Collectors.joining(", ")),
                        Column.unnest(all, "c"),
                        key.name(),
                        key.name(),
                        Column.names(columns, "d.", "", ""),
                        Column.expressions(columns, "c"));
    }
}
