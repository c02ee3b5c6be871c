package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Disk space of the database, for people. Stateless. */
public final class DatabaseSizes {

    private DatabaseSizes() {}

    /**
     * Disk space of a database.
     *
     * @param bytes all of it, as the server counts: tables, indices and its other files
     * @param historyBytes samples and their roll-ups, indices included
     */
    public record Sizes(long bytes, long historyBytes) {}

    /** One statement; it checks the files of all tables and reads none. */
    static Sizes of(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement(
                                """
                                SELECT pg_database_size(current_database()),
                                       (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                                          FROM pg_class AS c
                                          LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
                                          LEFT JOIN pg_class AS p ON p.oid = i.inhparent
                                         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
                                           AND coalesce(p.relname, c.relname) IN
                                               ('history_interval', 'vm_samples', 'host_samples', 'vm_hourly',
                                                'host_hourly', 'vm_daily', 'host_daily'))
                                """);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("the server tells no size");
            }
            return new Sizes(row.getLong(1), row.getLong(2));
        }
    }

    /**
     * The whole database and its largest tables, partitions under their parent.
     *
     * @throws SQLException if the server does not answer
     */
    public static String text(DatabaseSettings settings) throws SQLException {
        StringBuilder text = new StringBuilder();
        Login migration = settings.migration();
        try (Connection connection =
                        Schema.source(settings, migration == null ? settings.login() : migration)
                                .getConnection();
                PreparedStatement whole =
                        connection.prepareStatement(
                                "SELECT pg_database_size(current_database()) / 1024,"
                                        + " current_setting('server_version')");
                PreparedStatement tables =
                        connection.prepareStatement(
                                """
                                SELECT coalesce(p.relname, c.relname) AS name, count(*),
                                       sum(pg_total_relation_size(c.oid)) / 1024 AS size,
                                       sum(greatest(c.reltuples, 0))::bigint
                                  FROM pg_class AS c
                                  LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
                                  LEFT JOIN pg_class AS p ON p.oid = i.inhparent
                                 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
                                 GROUP BY 1
                                 ORDER BY size DESC
                                 LIMIT 100
                                """)) {
            try (ResultSet row = whole.executeQuery()) {
                if (row.next()) {
                    text.append(
                            "%-12s %s%n%-12s %,d KiB%n"
                                    .formatted("server", row.getString(2), "size", row.getLong(1)));
                }
            }
            text.append("%n%14s %14s %10s  %s%n".formatted("KiB", "about rows", "parts", "table"));
            try (ResultSet row = tables.executeQuery()) {
                while (row.next()) {
                    text.append(
                            "%,14d %,14d %,10d  %s%n"
                                    .formatted(
                                            row.getLong(3),
                                            row.getLong(4),
                                            row.getLong(2),
                                            row.getString(1)));
                }
            }
        }
        return text.toString();
    }
}
