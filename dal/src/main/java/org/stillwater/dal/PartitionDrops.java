package org.stillwater.dal;

/**
 * How many partitions one transaction drops. Each holds the locks of its table, indexes and toast
 * table until the end, and the server's lock table has a few thousand: after a long stop, or with a
 * much shorter retention, thousands of partitions may be too old at once.
 */
final class PartitionDrops {

    /**
     * The limit in {@code maintain_history}, {@code maintain_beliefs}, {@code maintain_audit_log}.
     */
    static final int MOST = 100;

    private PartitionDrops() {}
}
