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
 * @param commit from the making of a change until it was durable
 */
record PhaseFigures(
        long changes,
        long rows,
        double seconds,
        long statements,
        long commits,
        long walBytes,
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
}
