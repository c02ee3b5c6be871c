package org.stillwater.benchmarks.write;

import org.stillwater.benchmarks.scale.Distribution;

/**
 * What one phase measured.
 *
 * @param changes changes made
 * @param rows rows that the statements changed
 * @param seconds from the first change until everything was durable
 * @param statements statements sent, those that take locks included
 * @param commits transactions
 * @param walBytes write-ahead log that PostgreSQL wrote meanwhile
 * @param ownCpuNanos CPU time of this process, which makes the changes and writes them
 * @param databaseCpuNanos CPU time of all processes of PostgreSQL
 * @param commit from the making of a change until it was durable
 */
record PhaseFigures(
        long changes,
        long rows,
        double seconds,
        long statements,
        long commits,
        long walBytes,
        long ownCpuNanos,
        long databaseCpuNanos,
        Distribution commit) {

    double rowsPerSecond() {
        return rows / seconds;
    }

    double statementsPerRow() {
        return (double) statements / rows;
    }

    double commitsPerRow() {
        return (double) commits / rows;
    }

    double walBytesPerRow() {
        return (double) walBytes / rows;
    }

    double ownCpuMicrosPerRow() {
        return ownCpuNanos / 1e3 / rows;
    }

    double databaseCpuMicrosPerRow() {
        return databaseCpuNanos / 1e3 / rows;
    }
}
