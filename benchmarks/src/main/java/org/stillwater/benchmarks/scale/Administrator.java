package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/**
 * The superuser of an embedded server, which a harness uses for actions that the engine may not do:
 * look at all sessions, request checkpoints, hold locks. The server keeps its password beside its
 * cluster and gives out others only. Stateless.
 */
public final class Administrator {

    private static final String USER = "stillwater";

    private Administrator() {}

    /**
     * A connection that gives up after 5 s without an answer to the connection's request, and 20 s
     * without one to a statement.
     *
     * @param dataFolder the server's
     * @param url of one of its databases
     */
    public static Connection connect(Path dataFolder, String url) throws SQLException {
        return connect(dataFolder, url, 20);
    }

    /** The same, with as much time for a statement as it takes. */
    public static Connection connectPatiently(Path dataFolder, String url) throws SQLException {
        return connect(dataFolder, url, 0);
    }

    private static Connection connect(Path dataFolder, String url, int silenceSeconds)
            throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("password", password(dataFolder));
        properties.setProperty("ApplicationName", "harness");
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("socketTimeout", Integer.toString(silenceSeconds));
        return DriverManager.getConnection(url, properties);
    }

    private static String password(Path dataFolder) {
        try {
            return Files.readString(dataFolder.resolve("password")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
