package org.stillwater.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.stillwater.dal.TestDatabase;

/**
 * Starts engines one after the other in one JVM. Later ones take over two results of the first one
 * that cost much and are always the same: the annotations of classes, and the hash of the first
 * administrator's password. Engines share nothing that they change.
 */
final class SharedStart {

    /** The first administrator and its roles, as JSON; both null until an engine has made them. */
    private static final AtomicReference<Administrator> FIRST = new AtomicReference<>();

    private SharedStart() {}

    /** Starts an engine on a database; its arguments name the first administrator's password. */
    static ConfigurableApplicationContext run(TestDatabase database, List<String> arguments) {
        boolean usual =
                arguments.stream()
                        .filter(each -> each.startsWith("--stillwater.security.initial-password="))
                        .allMatch(each -> each.endsWith("=" + RunningEngine.PASSWORD));
        boolean makesIt = usual && !hasAdministrator(database);
        ConfigurableApplicationContext context =
                new SpringApplicationBuilder(StillwaterApplication.class)
                        .contextFactory(_ -> new Context())
                        .registerShutdownHook(false)
                        .run(arguments.toArray(String[]::new));
        if (makesIt) {
            FIRST.compareAndSet(null, Administrator.of(database));
        }
        return context;
    }

    /** Whether the database has users when this returns; gives it the first one if it is known. */
    private static boolean hasAdministrator(TestDatabase database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Administrator first = FIRST.get();
            try (ResultSet row =
                    statement.executeQuery("SELECT to_regclass('engine_user') IS NOT NULL")) {
                row.next();
                if (!row.getBoolean(1)) {
                    return false;
                }
            }
            try (ResultSet row =
                    statement.executeQuery("SELECT EXISTS (SELECT FROM engine_user)")) {
                row.next();
                if (row.getBoolean(1)) {
                    return true;
                }
            }
            if (first == null) {
                return false;
            }
            first.insert(connection);
            return true;
        } catch (SQLException e) {
            throw new IllegalStateException("the first administrator cannot be saved", e);
        }
    }

    private record Administrator(String user, String grants) {

        static Administrator of(TestDatabase database) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery(
                                    """
                                    SELECT (SELECT row_to_json(u) FROM engine_user AS u),
                                           (SELECT json_agg(g) FROM user_grant AS g)
                                    """)) {
                row.next();
                return new Administrator(row.getString(1), row.getString(2));
            } catch (SQLException e) {
                throw new IllegalStateException("the first administrator cannot be read", e);
            }
        }

        void insert(Connection connection) throws SQLException {
            try (PreparedStatement statement =
                    connection.prepareStatement(
                            """
                            WITH first AS (
                                INSERT INTO engine_user
                                SELECT * FROM json_populate_record(NULL::engine_user, ?::json)
                            )
                            INSERT INTO user_grant
                            SELECT * FROM json_populate_recordset(NULL::user_grant, ?::json)
                            """)) {
                statement.setString(1, user);
                statement.setString(2, grants);
                statement.executeUpdate();
            }
        }
    }

    /** Keeps the class files read for the next start; they do not change. */
    private static final class Context extends AnnotationConfigServletWebServerApplicationContext {

        private static final Map<Class<?>, Map<Resource, ?>> READ = new ConcurrentHashMap<>();

        @Override
        @SuppressWarnings("unchecked") // each type has a map of its own
        public <T> Map<Resource, T> getResourceCache(Class<T> type) {
            return (Map<Resource, T>) READ.computeIfAbsent(type, _ -> new ConcurrentHashMap<>());
        }

        @Override
        public void clearResourceCaches() {
            // the next engine reads the same classes
        }
    }
}
