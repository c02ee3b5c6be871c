package org.stillwater.dal;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that counts what passes through its connections, by stage. Standing outside the
 * pool it sees every statement of the engine and none of the pool's own. Thread-safe, like the data
 * source it wraps.
 *
 * <p>Connections and statements are JDK proxies: a statement costs a round trip of a hundred
 * microseconds, a reflective call a fraction of one, and no JDBC method can be forgotten.
 */
public final class CountingDataSource implements DataSource {

    private final DataSource delegate;
    private final Map<SqlStage, Counters> counters;
    private final StatementCounts counts = new Counts();

    /** Counts what passes to {@code delegate}. */
    public CountingDataSource(DataSource delegate) {
        this.delegate = delegate;
        this.counters = new EnumMap<>(SqlStage.class);
        for (SqlStage stage : SqlStage.values()) {
            counters.put(stage, new Counters());
        }
    }

    /** Counts what passes to {@code delegate} together with what passes through another one. */
    CountingDataSource(DataSource delegate, CountingDataSource together) {
        this.delegate = delegate;
        this.counters = together.counters;
    }

    /** The counts so far. */
    public StatementCounts counts() {
        return counts;
    }

    /** A connection whose statements count for {@code stage}. */
    public Connection getConnection(SqlStage stage) throws SQLException {
        return counted(delegate.getConnection(), stage);
    }

    /** Counts a {@code COPY}, which passes by as no JDBC statement, and its rows. */
    void copied(SqlStage stage, long rows) {
        Counters counted = of(stage);
        counted.statements.increment();
        counted.rows.add(rows);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(SqlStage.OTHER);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return counted(delegate.getConnection(username, password), SqlStage.OTHER);
    }

    private Connection counted(Connection connection, SqlStage stage) {
        return proxy(Connection.class, new CountedConnection(connection, of(stage)));
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

    private record CountedConnection(Connection delegate, Counters counters)
            implements InvocationHandler {
        @Override
        public @Nullable Object invoke(
                Object self, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            Object result = call(method, delegate, arguments);
            if (method.getName().equals("commit")) {
                counters.commits.increment();
            }
            if (result instanceof Statement statement) {
                Class<? extends Statement> type =
                        method.getReturnType().asSubclass(Statement.class);
                return proxy(type, new CountedStatement(statement, (Connection) self, counters));
            }
            return result;
        }
    }

    /** A statement is used by one thread at a time, so the length of its batch needs no lock. */
    private static final class CountedStatement implements InvocationHandler {

        private final Statement delegate;
        private final Connection connection;
        private final Counters counters;
        private int batched;

        CountedStatement(Statement delegate, Connection connection, Counters counters) {
            this.delegate = delegate;
            this.connection = connection;
            this.counters = counters;
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
                    counters.statements.add(batched);
                    batched = 0;
                }
                case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" ->
                        counters.statements.increment();
                default -> {
                    // nothing to count
                }
            }
            Object result = call(method, delegate, arguments);
            countRows(method, result);
            return result;
        }

        private void countRows(Method method, @Nullable Object result) {
            switch (result) {
                case Integer rows when method.getName().equals("executeUpdate") ->
                        counters.rows.add(rows);
                case Long rows when method.getName().equals("executeLargeUpdate") ->
                        counters.rows.add(rows);
                case int[] batch -> {
                    for (int rows : batch) {
                        counters.rows.add(Math.max(0, rows));
                    }
                }
                case null, default -> {
                    // not an update
                }
            }
        }
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return delegate.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        delegate.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        delegate.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return delegate.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return delegate.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(delegate) ? type.cast(delegate) : delegate.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(delegate) || delegate.isWrapperFor(type);
    }
}
