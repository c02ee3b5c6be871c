package org.stillwater.dal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections of a data source, with statements that are counted by stage. Standing outside the
 * pool it sees every statement of the engine and none of the pool's own. Thread-safe, like the data
 * source.
 *
 * <p>Connections and statements are JDK proxies: a statement costs a round trip of a hundred
 * microseconds, a reflective call a fraction of one, and no JDBC method can be forgotten.
 */
public final class CountingDataSource {

    private final DataSource delegate;
    private final Map<SqlStage, Counters> counters;
    private final StatementCounts counts = new Counts();

    /** Counts statements to {@code delegate}. */
    public CountingDataSource(DataSource delegate) {
        this.delegate = delegate;
        this.counters = new EnumMap<>(SqlStage.class);
        for (SqlStage stage : SqlStage.values()) {
            counters.put(stage, new Counters());
        }
    }

    /** Counts statements to {@code delegate} together with those of another data source. */
    CountingDataSource(DataSource delegate, CountingDataSource together) {
        this.delegate = delegate;
        this.counters = together.counters;
    }

    /** The counts so far. */
    public StatementCounts counts() {
        return counts;
    }

    /** A connection with statements that count for {@code stage}. */
    public Connection getConnection(SqlStage stage) throws SQLException {
        return proxy(
                Connection.class,
                new CountedConnection(delegate.getConnection(), stage, of(stage)));
    }

    /**
     * Counts a {@code COPY}, which passes by as no JDBC statement, and its rows.
     *
     * @param event begun before the first row
     */
    void copied(SqlStage stage, String sql, long rows, SqlStatementEvent event) {
        Counters counted = of(stage);
        counted.statements.increment();
        counted.rows.add(rows);
        event.rows = rows;
        commit(event, stage, sql);
    }

    private static void commit(SqlStatementEvent event, SqlStage stage, String sql) {
        if (event.shouldCommit()) {
            StatementName name = StatementName.of(sql);
            event.stage = stage.tag();
            event.name = name.name();
            event.statement = name.statement();
            event.commit();
        }
    }

    /** A connection with statements of no stage. */
    public Connection getConnection() throws SQLException {
        return getConnection(SqlStage.OTHER);
    }

    private Counters of(SqlStage stage) {
        Counters found = counters.get(stage);
        if (found == null) {
            throw new IllegalStateException("a stage without counters: " + stage);
        }
        return found;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(
                        CountingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object call(
            Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static final class Counters {
        final LongAdder statements = new LongAdder();
        final LongAdder commits = new LongAdder();
        final LongAdder rows = new LongAdder();
    }

    private final class Counts implements StatementCounts {
        @Override
        public long statements(SqlStage stage) {
            return of(stage).statements.sum();
        }

        @Override
        public long commits(SqlStage stage) {
            return of(stage).commits.sum();
        }

        @Override
        public long rows(SqlStage stage) {
            return of(stage).rows.sum();
        }
    }

    private record CountedConnection(Connection delegate, SqlStage stage, Counters counters)
            implements InvocationHandler {
        @Override
        public @Nullable Object invoke(
                Object self, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getName().equals("commit")) {
                commit(method);
                return null;
            }
            Object result = call(method, delegate, arguments);
            if (result instanceof Statement statement) {
                Class<? extends Statement> type =
                        method.getReturnType().asSubclass(Statement.class);
                return proxy(
                        type,
                        new CountedStatement(
                                statement, (Connection) self, stage, counters, text(arguments)));
            }
            return result;
        }

        private void commit(Method method) throws Throwable {
            SqlStatementEvent.Commit event = new SqlStatementEvent.Commit();
            event.failed = true;
            event.begin();
            try {
                call(method, delegate, null);
                event.failed = false;
                counters.commits.increment();
            } finally {
                event.end();
                if (event.shouldCommit()) {
                    event.stage = stage.tag();
                    event.commit();
                }
            }
        }
    }

    /** The statement's text, empty when the call has none. */
    private static String text(@Nullable Object @Nullable [] arguments) {
        return arguments != null && arguments.length > 0 && arguments[0] instanceof String sql
                ? sql
                : "";
    }

    /** A statement is used by one thread at a time, so the length of its batch needs no lock. */
    private static final class CountedStatement implements InvocationHandler {

        private final Statement delegate;
        private final Connection connection;
        private final SqlStage stage;
        private final Counters counters;
        private final String prepared;
        private int batched;

        CountedStatement(
                Statement delegate,
                Connection connection,
                SqlStage stage,
                Counters counters,
                String prepared) {
            this.delegate = delegate;
            this.connection = connection;
            this.stage = stage;
            this.counters = counters;
            this.prepared = prepared;
        }

        @Override
        public @Nullable Object invoke(
                Object self, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            switch (method.getName()) {
                case "getConnection" -> {
                    return connection;
                }
                case "addBatch" -> batched++;
                case "clearBatch" -> batched = 0;
                case "executeBatch", "executeLargeBatch" -> {
                    int sent = batched;
                    counters.statements.add(sent);
                    batched = 0;
                    return timed(method, arguments, sent);
                }
                case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" -> {
                    counters.statements.increment();
                    return timed(method, arguments, 1);
                }
                default -> {
                    // nothing to count
                }
            }
            return call(method, delegate, arguments);
        }

        private @Nullable Object timed(
                Method method, @Nullable Object @Nullable [] arguments, int statements)
                throws Throwable {
            SqlStatementEvent event = new SqlStatementEvent();
            event.failed = true;
            event.begin();
            try {
                Object result = call(method, delegate, arguments);
                event.failed = false;
                event.rows = rows(method, result);
                counters.rows.add(event.rows);
                return result;
            } finally {
                event.end();
                event.statements = statements;
                String sql = text(arguments);
                CountingDataSource.commit(event, stage, sql.isEmpty() ? prepared : sql);
            }
        }

        private static long rows(Method method, @Nullable Object result) {
            return switch (result) {
                case Integer rows when method.getName().equals("executeUpdate") -> rows;
                case Long rows when method.getName().equals("executeLargeUpdate") -> rows;
                case int[] batch -> {
                    long sum = 0;
                    for (int rows : batch) {
                        sum += Math.max(0, rows);
                    }
                    yield sum;
                }
                case null, default -> 0; // not an update
            };
        }
    }
}
