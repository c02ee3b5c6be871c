package org.stillwater.dal.lock;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections of another source, each of which passes a check. Thread-safe, like the source. */
final class CheckedConnections implements DataSource {

    private final DataSource delegate;
    private final Opening opening;

    CheckedConnections(DataSource delegate, Opening opening) {
        this.delegate = delegate;
        this.opening = opening;
    }

    /** Opens a connection, or refuses it and leaves none open. */
    @FunctionalInterface
    interface Opening {
        Connection open(DataSource delegate) throws SQLException;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return opening.open(delegate);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the login of these connections is given");
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
