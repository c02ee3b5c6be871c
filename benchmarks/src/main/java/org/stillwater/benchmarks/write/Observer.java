package org.stillwater.benchmarks.write;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.stillwater.benchmarks.scale.ProcessCpu;

/** Reads what a phase cost beside its time. One thread. */
final class Observer {

    private final Connection connection;
    private final long databasePid;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /** Counters, each from an origin of its own. */
    record Reading(long walBytes, long ownCpuNanos, long databaseCpuNanos) {

        Reading minus(Reading earlier) {
            return new Reading(
                    walBytes - earlier.walBytes,
                    ownCpuNanos - earlier.ownCpuNanos,
                    databaseCpuNanos - earlier.databaseCpuNanos);
        }
    }

    Observer(Connection connection, long databasePid) {
        this.connection = connection;
        this.databasePid = databasePid;
    }

    /** So that no phase pays for what the one before left to be written. */
    void settle() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        }
    }

    Reading read() throws SQLException, IOException {
        return new Reading(
                walPosition(),
                cpu.nanosOf(ProcessHandle.current().pid()),
                cpu.nanosOfTree(databasePid));
    }

    private long walPosition() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")) {
            if (!row.next()) {
                throw new SQLException("PostgreSQL does not tell its position");
            }
            return row.getLong(1);
        }
    }
}
