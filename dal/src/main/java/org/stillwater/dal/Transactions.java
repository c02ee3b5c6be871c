package org.stillwater.dal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/**
 * Runs the stores' work on pooled connections, one transaction each. Thread-safe.
 *
 * <p>A semaphore of the pool's size guards it: a caller waits for its turn here without a limit,
 * and the pool's time-out keeps its single meaning, "the database does not answer".
 */
final class Transactions {

    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    /**
     * Rows of one statement at most: bounds the arrays in memory here and in the server, for any
     * batch.
     */
    static final int ROWS_PER_STATEMENT = 5_000;

    /**
     * How long a transaction waits for a row that it did not lock in order. Shorter than the
     * server's {@code deadlock_timeout}, 1 s unless changed, after which a circle would cost the
     * one that is found first loses its transaction.
     */
    private static final Duration HASTE = Duration.ofMillis(50);

    private final CountingDataSource dataSource;
    private final int concurrent;
    private final Semaphore permits;
    private final UnreadableRows unreadable = new UnreadableRows();

    Transactions(CountingDataSource dataSource, int concurrent) {
        this.dataSource = dataSource;
        this.concurrent = concurrent;
        this.permits = new Semaphore(concurrent, true);
    }

    /** The data source of the connections, which counts each {@code COPY}. */
    CountingDataSource counted() {
        return dataSource;
    }

    /** Rows that the stores cannot read. */
    UnreadableRows unreadable() {
        return unreadable;
    }

    /** Whether two transactions may run at the same time. */
    boolean areConcurrent() {
        return concurrent > 1;
    }

    /** Work on an open transaction. */
    @FunctionalInterface
    interface Work<R> {
        R on(Connection connection) throws SQLException;
    }

    /** Writes some rows of a batch and returns how many of them the database touched. */
    @FunctionalInterface
    interface Batch<T> {
        int write(Connection connection, List<T> rows) throws SQLException;
    }

    /** Like {@link Batch}, of rows that may bring work with them. */
    @FunctionalInterface
    interface WorkingBatch<T> {
        Effect write(Connection connection, List<T> rows) throws SQLException;
    }

    /**
     * Effect of writing some rows.
     *
     * @param rows how many the database touched
     * @param open work of these rows that is open now
     * @param openAboutHosts the same of work about hosts
     */
    record Effect(int rows, List<OpenWork> open, List<OpenHostWork> openAboutHosts) {

        static final Effect NONE = new Effect(0, List.of(), List.of());

        /** Rows without work. */
        static Effect rows(int touched) {
            return new Effect(touched, List.of(), List.of());
        }

        Effect and(Effect next) {
            return new Effect(
                    rows + next.rows,
                    both(open, next.open),
                    both(openAboutHosts, next.openAboutHosts));
        }

        private static <E> List<E> both(List<E> first, List<E> second) {
            if (first.isEmpty() || second.isEmpty()) {
                return first.isEmpty() ? second : first;
            }
            return Stream.concat(first.stream(), second.stream()).toList();
        }

        WriteOutcome.Written written(List<WriteOutcome.Rejected> rejected) {
            return new WriteOutcome.Written(rows, rejected, open, openAboutHosts);
        }
    }

    /** Runs work and commits it; an exception rolls it back. */
    <R> R run(SqlStage stage, Work<R> work) throws SQLException {
        awaitTurn(stage);
        try (Connection connection = dataSource.getConnection(stage)) {
            connection.setAutoCommit(false);
            boolean committed = false;
            try {
                R result = work.on(connection);
                connection.commit();
                committed = true;
                return result;
            } finally {
                if (!committed) {
                    rollBack(connection);
                }
            }
        } finally {
            permits.release();
        }
    }

    private void awaitTurn(SqlStage stage) {
        ConnectionWaitEvent wait = new ConnectionWaitEvent();
        wait.begin();
        permits.acquireUninterruptibly();
        wait.end();
        if (wait.shouldCommit()) {
            wait.stage = stage.tag();
            wait.commit();
        }
    }

    /** Like {@link #run}, for callers that treat every failure as "the database is unavailable". */
    <R> R runOrUnavailable(SqlStage stage, Work<R> work) throws StoreUnavailable {
        try {
            return run(stage, work);
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        }
    }

    /**
     * Writes a batch in one transaction, all or nothing but for rejected rows. The common case, no
     * bad row, costs no savepoint: only after a refused row, the batch is rolled back and repeated
     * in halves, each half behind a savepoint, down to the single faulty rows.
     */
    <T> WriteOutcome write(SqlStage stage, List<T> rows, Function<T, ?> key, Batch<T> batch) {
        return writeWithWork(
                stage, rows, key, (connection, some) -> Effect.rows(batch.write(connection, some)));
    }

    /** Like {@link #write}, with another limit for the rows of a statement. */
    <T> WriteOutcome write(
            SqlStage stage,
            List<T> rows,
            int rowsPerStatement,
            Function<T, ?> key,
            Batch<T> batch) {
        return writeWithWork(
                stage,
                rows,
                rowsPerStatement,
                key,
                (connection, some) -> Effect.rows(batch.write(connection, some)));
    }

    /** Like {@link #write}, of rows that may bring work with them. */
    <T> WriteOutcome writeWithWork(
            SqlStage stage, List<T> rows, Function<T, ?> key, WorkingBatch<T> batch) {
        return writeWithWork(stage, rows, ROWS_PER_STATEMENT, key, batch);
    }

    private <T> WriteOutcome writeWithWork(
            SqlStage stage,
            List<T> rows,
            int rowsPerStatement,
            Function<T, ?> key,
            WorkingBatch<T> batch) {
        if (rows.isEmpty()) {
            return new WriteOutcome.Written(0, List.of());
        }
        try {
            return whole(stage, rows, rowsPerStatement, batch);
        } catch (SQLException failure) {
            return SqlFailures.rowIsAtFault(failure)
                    ? byHalves(stage, rows, key, batch)
                    : new WriteOutcome.Unavailable(SqlFailures.reason(failure));
        }
    }

    /**
     * Like {@link #writeWithWork}, for rows that other writers rarely lock: they are not locked in
     * advance, but a writer that waits for one longer than {@link #HASTE} releases its locks, and
     * only then locks the rows in order first. So writers wait in a circle for at most that time,
     * and without waiting the locks have no cost: locking in advance takes up to 28 % of
     * PostgreSQL's time for a batch.
     *
     * @param lock locks the rows in the order of their keys
     */
    <T> WriteOutcome writeHastily(
            SqlStage stage,
            List<T> rows,
            Function<T, ?> key,
            WorkingBatch<T> batch,
            WorkingBatch<T> lock) {
        WorkingBatch<T> inOrder =
                (connection, some) ->
                        some.size() > 1
                                ? lock.write(connection, some).and(batch.write(connection, some))
                                : batch.write(connection, some);
        if (rows.size() <= 1) {
            return writeWithWork(stage, rows, key, inOrder);
        }
        WorkingBatch<T> inHaste =
                (connection, some) -> {
                    hasten(connection);
                    return batch.write(connection, some);
                };
        try {
            return whole(stage, rows, ROWS_PER_STATEMENT, inHaste);
        } catch (SQLException failure) {
            if (SqlFailures.lockWasHeld(failure)) {
                return writeWithWork(stage, rows, key, inOrder);
            }
            return SqlFailures.rowIsAtFault(failure)
                    ? byHalves(stage, rows, key, inOrder)
                    : new WriteOutcome.Unavailable(SqlFailures.reason(failure));
        }
    }

    private static void hasten(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + HASTE.toMillis());
        }
    }

    private <T> WriteOutcome whole(
            SqlStage stage, List<T> rows, int rowsPerStatement, WorkingBatch<T> batch)
            throws SQLException {
        return run(stage, connection -> inChunks(connection, rows, rowsPerStatement, batch))
                .written(List.of());
    }

    private <T> WriteOutcome byHalves(
            SqlStage stage, List<T> rows, Function<T, ?> key, WorkingBatch<T> batch) {
        try {
            List<WriteOutcome.Rejected> rejected = new ArrayList<>();
            Effect effect =
                    run(stage, connection -> bisect(connection, rows, key, batch, rejected));
            return effect.written(rejected);
        } catch (SQLException e) {
            return new WriteOutcome.Unavailable(SqlFailures.reason(e));
        }
    }

    private static <T> Effect inChunks(
            Connection connection, List<T> rows, int rowsPerStatement, WorkingBatch<T> batch)
            throws SQLException {
        Effect effect = Effect.NONE;
        for (int from = 0; from < rows.size(); from += rowsPerStatement) {
            int to = Math.min(from + rowsPerStatement, rows.size());
            effect = effect.and(batch.write(connection, rows.subList(from, to)));
        }
        return effect;
    }

    private static <T> Effect bisect(
            Connection connection,
            List<T> rows,
            Function<T, ?> key,
            WorkingBatch<T> batch,
            List<WriteOutcome.Rejected> rejected)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            Effect effect = inChunks(connection, rows, ROWS_PER_STATEMENT, batch);
            connection.releaseSavepoint(before);
            return effect;
        } catch (SQLException e) {
            if (!SqlFailures.rowIsAtFault(e)) {
                throw e;
            }
            connection.rollback(before);
            connection.releaseSavepoint(before);
            if (rows.size() == 1) {
                rejected.add(
                        new WriteOutcome.Rejected(
                                key.apply(rows.getFirst()).toString(), SqlFailures.reason(e)));
                return Effect.NONE;
            }
        }
        int middle = rows.size() / 2;
        return bisect(connection, rows.subList(0, middle), key, batch, rejected)
                .and(bisect(connection, rows.subList(middle, rows.size()), key, batch, rejected));
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("Cannot roll back; the connection is given up", e);
        }
    }

    /**
     * Writes the two halves of a batch at the same time: one by the caller, the other by a thread
     * that ends with the call. PostgreSQL uses one processor for each connection, so a single
     * writer cannot use two.
     */
    static final class InHalves {

        private InHalves() {}

        /**
         * Writes a batch; returns when both halves have ended.
         *
         * @param write writes one half in a transaction of its own
         * @return the outcome of both halves; if one half is unavailable, so is the batch, although
         *     the other half may be durable
         * @throws RuntimeException or an error of a half, the caller's own first
         */
        static <T> WriteOutcome write(List<T> rows, Function<List<T>, WriteOutcome> write) {
            int middle = rows.size() / 2;
            FutureTask<WriteOutcome> upper =
                    new FutureTask<>(() -> write.apply(rows.subList(middle, rows.size())));
            Thread.ofVirtual().name("upper-half").start(upper);
            WriteOutcome lower;
            try {
                lower = write.apply(rows.subList(0, middle));
            } catch (Throwable e) {
                awaitEnd(upper);
                throw e;
            }
            awaitEnd(upper);
            return both(lower, result(upper));
        }

        private static WriteOutcome both(WriteOutcome lower, WriteOutcome upper) {
            return switch (lower) {
                case WriteOutcome.Unavailable unavailable -> unavailable;
                case WriteOutcome.Written first ->
                        switch (upper) {
                            case WriteOutcome.Written second -> first.and(second);
                            case WriteOutcome.Unavailable unavailable -> unavailable;
                        };
            };
        }

        /** Waits even while interrupted, like a writer that waits for its own half. */
        private static void awaitEnd(FutureTask<?> half) {
            boolean interrupted = false;
            while (!half.isDone()) {
                try {
                    half.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    break; // result throws it
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** The result of a half that has ended. */
        private static <R> R result(FutureTask<R> half) {
            if (half.state() == Future.State.SUCCESS) {
                return half.resultNow();
            }
            switch (half.exceptionNow()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case Throwable failure -> throw new IllegalStateException(failure);
            }
        }
    }

    /**
     * How many partitions one transaction drops. Each holds the locks of its table, indexes and
     * toast table until the end, and the server's lock table has a few thousand: after a long stop,
     * or with a much shorter retention, thousands of partitions may be too old at once.
     */
    static final class PartitionDrops {

        /**
         * The limit in {@code maintain_history}, {@code maintain_beliefs}, {@code
         * maintain_audit_log}.
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
}
