package org.stillwater.benchmarks.write;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.stillwater.benchmarks.scale.ProcessCpu;

/** Reads the costs of a phase beside its time. One thread. */
final class Observer {

    /** Counts of updates are up to a second old. */
    private static final String COUNTERS =
            """
            SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal,
                   n_tup_upd AS updates, n_tup_hot_upd AS in_page
              FROM pg_stat_user_tables
             WHERE relname = 'vm_dynamic'
            """;

    private final Connection connection;
    private final long databasePid;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /** Counters, each from an origin of its own. */
    record Reading(
            long walBytes,
            long ownCpuNanos,
            long databaseCpuNanos,
            long updates,
            long updatesInPage) {

        Reading minus(Reading earlier) {
            return new Reading(
                    walBytes - earlier.walBytes,
                    ownCpuNanos - earlier.ownCpuNanos,
                    databaseCpuNanos - earlier.databaseCpuNanos,
                    updates - earlier.updates,
                    updatesInPage - earlier.updatesInPage);
        }
    }

    Observer(Connection connection, long databasePid) {
        this.connection = connection;
        this.databasePid = databasePid;
    }

    /** Flushes the writes of the former phase, so that no phase pays for another one. */
    void settle() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        }
    }

    Reading read() throws SQLException, IOException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(COUNTERS)) {
            if (!row.next()) {
                throw new SQLException("PostgreSQL does not report its position");
            }
            return new Reading(
                    row.getLong("wal"),
                    cpu.nanosOf(ProcessHandle.current().pid()),
                    cpu.nanosOfTree(databasePid),
                    row.getLong("updates"),
                    row.getLong("in_page"));
        }
    }
}
