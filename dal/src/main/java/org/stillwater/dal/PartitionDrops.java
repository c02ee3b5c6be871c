package org.stillwater.dal;

import java.util.function.BinaryOperator;
import java.util.function.ToIntFunction;
import org.stillwater.core.store.StoreUnavailable;

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

    /** Maintenance of partitions in one transaction. */
    @FunctionalInterface
    interface Maintenance<R> {
        R run() throws StoreUnavailable;
    }

    private PartitionDrops() {}

    /**
     * Runs maintenance, a transaction each time, until one drops fewer partitions than it may.
     *
     * @param once one transaction
     * @param dropped partitions that a transaction dropped
     * @param sum of the results so far and a later one
     */
    static <R> R untilFew(Maintenance<R> once, ToIntFunction<R> dropped, BinaryOperator<R> sum)
            throws StoreUnavailable {
        R last = once.run();
        R all = last;
        while (dropped.applyAsInt(last) >= MOST) {
            last = once.run();
            all = sum.apply(all, last);
        }
        return all;
    }
}
