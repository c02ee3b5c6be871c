package org.stillwater.dal.backup;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.Login;
import org.stillwater.dal.lock.DatabaseInUse;
import org.stillwater.dal.lock.DatabaseLock;

/** Connections of backups: as the owner of the schema, without limits of time. Stateless. */
final class Server {

    static final String NAME = "stillwater-backup";

    private Server() {}

    static Connection connect(DatabaseSettings settings) throws SQLException {
        Login migration = settings.migration();
        Login login = migration == null ? settings.login() : migration;
        Properties properties = new Properties();
        if (!login.user().isEmpty()) {
            properties.setProperty("user", login.user());
        }
        if (!login.password().isEmpty()) {
            properties.setProperty("password", login.password());
        }
        properties.setProperty(
                "connectTimeout", Long.toString(settings.connectTimeout().toSeconds()));
        properties.setProperty(
                "loginTimeout", Long.toString(settings.connectTimeout().toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", NAME);
        Connection connection = DriverManager.getConnection(settings.jdbcUrl(), properties);
        boolean usable = false;
        try {
            execute(connection, "SET timezone = 'UTC'");
            execute(connection, "SET statement_timeout = 0");
            execute(connection, "SET idle_in_transaction_session_timeout = 0");
            execute(connection, "SET synchronize_seqscans = off");
            // A role or a database may have others, and rows of two servers are compared as text.
            execute(connection, "SET datestyle = 'ISO, YMD'");
            execute(connection, "SET intervalstyle = 'postgres'");
            execute(connection, "SET bytea_output = 'hex'");
            usable = true;
            return connection;
        } finally {
            if (!usable) {
                connection.close();
            }
        }
    }

    /**
     * Takes the database alone until the connection ends.
     *
     * @param name of the program, for an engine that starts meanwhile
     * @throws BackupRefused if an engine or another program uses it
     */
    static void takeAlone(Connection connection, String name) throws SQLException, BackupRefused {
        execute(connection, "SET application_name = '%s'".formatted(name));
        try {
            DatabaseLock.takeOn(connection);
        } catch (DatabaseInUse e) {
            throw new BackupRefused(String.valueOf(e.getMessage()), e);
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean _ = statement.execute(sql);
        }
    }

    static List<String> list(Connection connection, String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    /** A quoted identifier of SQL. */
    static String quoted(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    static String quoted(List<String> names) {
        return String.join(", ", names.stream().map(Server::quoted).toList());
    }

    static String copyOut(BackupManifest.Table table) {
        return "COPY " + quoted(table.name()) + " (" + quoted(table.columns()) + ") TO STDOUT";
    }

    static String copyIn(BackupManifest.Table table) {
        return "COPY " + quoted(table.name()) + " (" + quoted(table.columns()) + ") FROM STDIN";
    }
}
