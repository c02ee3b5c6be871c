package org.stillwater.benchmarks.write;

import org.stillwater.benchmarks.scale.Distribution;

/**
 * Measurements of one phase.
 *
 * @param changes changes made
 * @param rows rows that the statements changed
 * @param seconds from the first change until everything was durable
 * @param statements statements sent, those that take locks included
 * @param commits transactions
 * @param spent by this process, which makes the changes and writes them, and by PostgreSQL
 * @param commit from the making of a change until it was durable
 */
record PhaseFigures(
        long changes,
        long rows,
        double seconds,
        long statements,
        long commits,
        Observer.Reading spent,
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
        return (double) spent.walBytes() / rows;
    }

    double ownCpuMicrosPerRow() {
        return spent.ownCpuNanos() / 1e3 / rows;
    }

    double databaseCpuMicrosPerRow() {
        return spent.databaseCpuNanos() / 1e3 / rows;
    }

    /** Number of updates with room in the row's page, so that no index was touched. */
    double inPagePercent() {
        return 100.0 * spent.updatesInPage() / spent.updates();
    }
}
