package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Administrator;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;

/**
 * A PostgreSQL server that faults strike. The engine's role owns its database and is no superuser;
 * tables and write-ahead log are on file systems of their own where this program may mount them.
 * One thread.
 */
final class DatabaseServer implements AutoCloseable {

    private static final String DATABASE = "chaos";
    private static final String ROLE = "chaos";
    private static final String PASSWORD = "chaos"; // listens on loopback only, for minutes
    private static final String TABLES = "small";
    private static final String WAL = "wal";
    private static final String WITHOUT = "no file system can be mounted here (that needs root): ";
    private static final int MOST_WAL_SEGMENTS = 100;
    private static final long MIB = 1024 * 1024;
    private static final int CONNECTIONS = 20;
    private static final int ROUNDS_OF_GRABBING = 5;
    private static final String TOO_MANY_CONNECTIONS = "53300";

    private final EmbeddedPostgresSettings settings;
    private final @Nullable SmallDisk disk;
    private final @Nullable SmallDisk wal;
    private final int port;
    private @Nullable EmbeddedPostgres server;
    private final List<Long> stopped = new ArrayList<>();
    private final List<Connection> grabbed = new ArrayList<>();
    private @Nullable Connection lock;
    private @Nullable Connection snapshot;

    private DatabaseServer(
            EmbeddedPostgresSettings settings,
            int port,
            @Nullable SmallDisk disk,
            @Nullable SmallDisk wal) {
        this.settings = settings;
        this.port = port;
        this.disk = disk;
        this.wal = wal;
    }

    /**
     * Starts a server with an empty database.
     *
     * @param binaries where its programs are kept from run to run
     */
    static DatabaseServer start(Path folder, Path binaries) throws IOException, SQLException {
        EmbeddedPostgresSettings usual = EmbeddedPostgresSettings.in(folder);
        EmbeddedPostgresSettings settings =
                new EmbeddedPostgresSettings(
                        usual.dataFolder(),
                        binaries,
                        usual.database(),
                        0,
                        true,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(20),
                        usual.logLimitBytes(),
                        32 * MIB,
                        CONNECTIONS);
        Path cluster = folder.resolve("cluster");
        int port;
        try (EmbeddedPostgres first = EmbeddedPostgres.start(settings)) {
            port = first.port();
        }
        DatabaseServer database =
                new DatabaseServer(
                        settings,
                        port,
                        SmallDisk.mount(folder.resolve(TABLES), cluster),
                        SmallDisk.mount(folder.resolve(WAL), cluster));
        boolean made = false;
        try {
            database.moveWal(cluster.resolve("pg_wal"));
            database.startAgain();
            database.makeDatabase();
            made = true;
            return database;
        } finally {
            if (!made) {
                database.close();
            }
        }
    }

    private void moveWal(Path from) throws IOException {
        if (wal == null) {
            return;
        }
        Path to = wal.folder().resolve(from.getFileName());
        if (run("mv", from.toString(), to.toString()) != 0) {
            throw new IOException("cannot move " + from + " to " + to);
        }
        Files.createSymbolicLink(from, to);
    }

    private void makeDatabase() throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + PASSWORD + "'");
            statement.execute("GRANT stillwater_monitoring TO " + ROLE);
            String place = "";
            if (disk != null) {
                statement.execute("CREATE TABLESPACE small LOCATION '" + disk.folder() + "'");
                place = " TABLESPACE small";
            }
            statement.execute("CREATE DATABASE " + DATABASE + " OWNER " + ROLE + place);
        }
    }

    /** Port on 127.0.0.1, the same for good. */
    int port() {
        return port;
    }

    String database() {
        return DATABASE;
    }

    String role() {
        return ROLE;
    }

    String password() {
        return PASSWORD;
    }

    /**
     * Replacements of the faults that need a file system of their own, by fault; empty if there is
     * one.
     */
    Map<FaultKind, String> withoutDisks() {
        Map<FaultKind, String> without = new EnumMap<>(FaultKind.class);
        if (disk == null) {
            without.put(
                    FaultKind.DISK_FULL,
                    WITHOUT + "the database says that its disk is full, by a trigger");
        }
        if (wal == null) {
            without.put(FaultKind.WAL_DISK_FULL, WITHOUT + "this fault is left out");
        }
        return without;
    }

    /** Whether the write-ahead log can run out of room. */
    boolean canFillWal() {
        return wal != null;
    }

    /** A connection of the harness's own, as a superuser. */
    Connection connect() throws SQLException {
        return connect(DATABASE);
    }

    private Connection connect(String database) throws SQLException {
        return Administrator.connect(settings.dataFolder(), running().jdbcUrl(database));
    }

    private EmbeddedPostgres running() {
        if (server == null) {
            throw new IllegalStateException("the database server is stopped");
        }
        return server;
    }

    // Faults

    void stop() {
        running().close();
        server = null;
    }

    void kill() throws IOException {
        signal("KILL", processes());
        stop();
    }

    void startAgain() {
        server = EmbeddedPostgres.start(settings.withPort(port));
    }

    void pause() throws IOException {
        long postmaster = running().pid();
        signal("STOP", List.of(postmaster)); // first, so that no process is added meanwhile
        stopped.addAll(processes());
        signal("STOP", stopped);
    }

    void goOn() throws IOException {
        signal("CONT", stopped);
        stopped.clear();
    }

    private List<Long> processes() {
        long postmaster = running().pid();
        return Stream.concat(
                        Stream.of(postmaster),
                        ProcessHandle.of(postmaster)
                                .map(ProcessHandle::descendants)
                                .orElse(Stream.empty())
                                .map(ProcessHandle::pid))
                .toList();
    }

    /** A process that has ended meanwhile is no trouble. */
    private static void signal(String name, List<Long> processes) throws IOException {
        for (long process : processes) {
            run("kill", "-" + name, Long.toString(process));
        }
    }

    static int run(String... command) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new BenchFailure(String.join(" ", command) + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    void lockVms() throws SQLException {
        Connection connection = connect();
        lock = connection;
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '3s'");
            statement.execute("LOCK TABLE vm_dynamic IN ACCESS EXCLUSIVE MODE");
        }
    }

    void unlockVms() throws SQLException {
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }

    /**
     * Leaves no room for tables to grow. A snapshot that is held meanwhile keeps the server from
     * using the room of old row versions again, so that each update needs new room.
     */
    void fillDisk() throws IOException, SQLException {
        if (disk == null) {
            refuseForFullDisk();
            return;
        }
        Connection held = connect();
        snapshot = held;
        held.setAutoCommit(false);
        held.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = held.createStatement()) {
            statement.execute("SELECT count(*) FROM vm_dynamic");
        }
        disk.fill();
    }

    private void refuseForFullDisk() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    """
                    CREATE OR REPLACE FUNCTION chaos_disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        RAISE EXCEPTION 'could not extend file: no space left on device' USING ERRCODE = '53100';
                    END
                    $$
                    """);
            for (String table : List.of("vm_dynamic", "pending_work", "audit_log")) {
                statement.execute(
                        "CREATE TRIGGER chaos_disk_full BEFORE INSERT OR UPDATE ON "
                                + table
                                + " FOR EACH STATEMENT EXECUTE FUNCTION chaos_disk_full()");
            }
        }
    }

    void emptyDisk() throws IOException, SQLException {
        if (disk == null) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP FUNCTION IF EXISTS chaos_disk_full() CASCADE");
            }
            return;
        }
        disk.empty();
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }

    /**
     * Leaves no room for the next segment of the write-ahead log and has the server request it. It
     * panics then, and cannot recover before there is room: the end of recovery is logged, too.
     */
    void fillWal() throws IOException, SQLException {
        if (wal == null) {
            throw new IllegalStateException("the write-ahead log has no file system of its own");
        }
        wal.shrink();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            // Segments that were made in advance are used up first.
            for (int i = 0; i < MOST_WAL_SEGMENTS; i++) {
                statement.execute("SELECT pg_logical_emit_message(true, 'chaos', 'room?')");
                statement.execute("SELECT pg_switch_wal()");
            }
        } catch (SQLException _) {
            return; // the server is gone
        }
        throw new BenchFailure("the write-ahead log finds room on a full disk");
    }

    /** Room again, and a start: the server itself may have given up. */
    void emptyWal() throws IOException {
        if (wal != null) {
            wal.grow();
        }
        stop();
        startAgain();
    }

    /** Takes every connection that the engine's role can get. */
    void takeConnections() throws SQLException {
        try (Connection control = connect("postgres")) {
            for (int i = 0; i < ROUNDS_OF_GRABBING; i++) {
                endEngineConnections(control);
                grab();
            }
        }
    }

    private void grab() throws SQLException {
        while (grabbed.size() < CONNECTIONS) {
            Properties properties = new Properties();
            properties.setProperty("user", ROLE);
            properties.setProperty("password", PASSWORD);
            properties.setProperty("ApplicationName", "chaos");
            properties.setProperty("connectTimeout", "5");
            try {
                grabbed.add(DriverManager.getConnection(running().jdbcUrl(DATABASE), properties));
            } catch (SQLException e) {
                if (TOO_MANY_CONNECTIONS.equals(e.getSQLState())) {
                    return;
                }
                throw e;
            }
        }
    }

    private static void endEngineConnections(Connection control) throws SQLException {
        try (Statement statement = control.createStatement();
                ResultSet _ =
                        statement.executeQuery(
                                "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE"
                                        + " application_name = 'stillwater'")) {
            // done by asking
        }
    }

    void giveConnectionsBack() throws SQLException {
        for (Connection connection : grabbed) {
            connection.close();
        }
        grabbed.clear();
    }

    void readOnly(boolean only) throws SQLException {
        try (Connection control = connect("postgres");
                Statement statement = control.createStatement()) {
            statement.execute(
                    "ALTER DATABASE "
                            + DATABASE
                            + (only
                                    ? " SET default_transaction_read_only = on"
                                    : " RESET default_transaction_read_only"));
            endEngineConnections(control);
        }
    }

    @Override
    public void close() {
        try {
            goOn();
            unlockVms();
            giveConnectionsBack();
            if (snapshot != null) {
                snapshot.close();
            }
        } catch (IOException | SQLException _) {
            // the server ends anyway
        }
        if (server != null) {
            server.close();
        }
        for (SmallDisk each : Arrays.asList(disk, wal)) {
            if (each != null) {
                each.close();
            }
        }
    }

    /** Unmounts the file systems that a killed run left in this folder. */
    static void cleanUp(Path folder) throws IOException {
        SmallDisk.unmountLeftover(folder.resolve(TABLES));
        SmallDisk.unmountLeftover(folder.resolve(WAL));
    }
}
