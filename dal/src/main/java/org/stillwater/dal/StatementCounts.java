package org.stillwater.dal;

/**
 * How many statements the engine has sent since it started. Counts only grow; thread-safe, and
 * cheap enough to be read at any time.
 */
public interface StatementCounts {

    /**
     * Statements sent for a stage; each entry of a JDBC batch is one. Pool validation is not
     * counted.
     */
    long statements(SqlStage stage);

    /** Transactions committed explicitly for a stage. */
    long commits(SqlStage stage);

    /** Rows that the statements of a stage changed, by their own count. */
    long rows(SqlStage stage);

    /** Statements of all stages. */
    default long statements() {
        long sum = 0;
        for (SqlStage stage : SqlStage.values()) {
            sum += statements(stage);
        }
        return sum;
    }

    /** Rows changed by all stages. */
    default long rows() {
        long sum = 0;
        for (SqlStage stage : SqlStage.values()) {
            sum += rows(stage);
        }
        return sum;
    }
}
