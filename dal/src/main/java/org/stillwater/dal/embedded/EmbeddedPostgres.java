package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.DATA_FOLDER_UNUSABLE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.START_FAILED;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.dal.Login;

/**
 * The engine's own PostgreSQL server below one data folder.
 *
 * <p>The server is a daemon that outlives the engine only when the engine is killed. The next start
 * on the folder finds it by its {@code postmaster.pid} and adopts it if it answers and runs with
 * exactly the present command line; otherwise it is stopped and started again. A pid file of an
 * ended process, or of another program, is stale and ignored. While open, a virtual thread restarts
 * a server that died and keeps its log bounded.
 *
 * <p>Thread-safe. The folder holds {@code cluster} (PostgreSQL's own), {@code password} of the
 * superuser, used by this class only, {@code owner-password} of the database's owner, for
 * migrations, and {@code engine-password} of the role that works (each readable by its owner only),
 * {@code log} and, while in use, {@code engine.lock}.
 *
 * <p>It is long because adoption, start, stop and repair of the server share one lock and the same
 * files.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final String SUPERUSER = "stillwater";
    static final String OWNER = "stillwater_owner";
    static final String ENGINE = "stillwater_engine";
    private static final String LOOPBACK = "127.0.0.1";
    private static final byte[] LOOPBACK_ADDRESS = {127, 0, 0, 1};
    private static final int PORT_ATTEMPTS = 5;
    private static final int PASSWORD_BYTES = 24;
    private static final int LOG_TAIL_BYTES = 4 * 1024;
    private static final Duration INITDB_LIMIT = Duration.ofMinutes(3);
    private static final Duration ORPHAN_WAIT = Duration.ofSeconds(5);
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(1);
    private static final int WATCHES_PER_LOG_CHECK = 60;
    private static final int LONGEST_RESTART_PAUSE = 30;
    private static final int KILLED_BY_SIGNAL = 128;
    private static final String NAMELESS = "could not look up effective user ID";
    private static final String PORT_OPTION = "port=";

    private final EmbeddedPostgresSettings settings;
    private final DataFolderLock folderLock;
    private final ServerBinaries binaries;
    private final ServerAccount account;
    private final Path cluster;
    private final Path logFile;
    private final String clusterName;
    private final String superuserPassword;
    private final Login owner;
    private final Login engine;
    private final ReentrantLock stateLock = new ReentrantLock();
    private final boolean adopted;
    private final int port;
    private final Thread watcher;

    private ServerProcess server;
    private boolean closed;

    /**
     * Starts the server, or adopts the one an earlier engine left behind. Blocks until it accepts
     * connections, at most the start timeout plus the time to unpack and initialise.
     *
     * @throws EmbeddedPostgresException if no server can run; then none is left running or locked
     */
    public static EmbeddedPostgres start(EmbeddedPostgresSettings settings) {
        return start(settings, ServerAccount.WAYS_FOR_ROOT);
    }

    static EmbeddedPostgres start(
            EmbeddedPostgresSettings settings, Set<ServerAccount.Way> waysForRoot) {
        return start(settings, waysForRoot, null);
    }

    /**
     * The same by other programs than this program's own.
     *
     * @param programs null for this program's own
     */
    static EmbeddedPostgres start(
            EmbeddedPostgresSettings settings,
            Set<ServerAccount.Way> waysForRoot,
            @Nullable ServerBinaries programs) {
        try {
            Files.createDirectories(settings.dataFolder());
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    DATA_FOLDER_UNUSABLE,
                    "Cannot create the data folder " + settings.dataFolder() + ": " + e,
                    e);
        }
        // Ctrl-C may come while the server is coming up, before it can be closed: the program's end
        // waits until this start has ended, and a start that ends during the program's end closes
        // its server.
        CountDownLatch ended = new CountDownLatch(1);
        Thread waiting = new Thread(() -> await(ended, settings), "embedded-postgres-start");
        try {
            Runtime.getRuntime().addShutdownHook(waiting);
        } catch (IllegalStateException e) {
            throw new EmbeddedPostgresException(START_FAILED, "The program is ending.", e);
        }
        try {
            EmbeddedPostgres postgres = startLocked(settings, waysForRoot, programs);
            if (isEnding(waiting)) {
                postgres.close();
                throw new EmbeddedPostgresException(START_FAILED, "The program is ending.");
            }
            return postgres;
        } finally {
            isEnding(waiting);
            ended.countDown();
        }
    }

    /** Withdraws the hook, unless it runs already. */
    private static boolean isEnding(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException _) {
            return true;
        }
    }

    private static void await(CountDownLatch ended, EmbeddedPostgresSettings settings) {
        Duration limit = settings.startTimeout().plus(settings.stopTimeout());
        try {
            if (!ended.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn(
                        "PostgreSQL is still starting while the program ends; the next start takes"
                                + " it over");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the program ends at once
        }
    }

    private static EmbeddedPostgres startLocked(
            EmbeddedPostgresSettings settings,
            Set<ServerAccount.Way> waysForRoot,
            @Nullable ServerBinaries programs) {
        DataFolderLock lock = DataFolderLock.take(settings.dataFolder());
        boolean started = false;
        try {
            EmbeddedPostgres postgres = new EmbeddedPostgres(settings, lock, waysForRoot, programs);
            started = true;
            return postgres;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    START_FAILED,
                    "Cannot start PostgreSQL in " + settings.dataFolder() + ": " + e,
                    e);
        } finally {
            if (!started) {
                lock.close();
            }
        }
    }

    private EmbeddedPostgres(
            EmbeddedPostgresSettings settings,
            DataFolderLock folderLock,
            Set<ServerAccount.Way> waysForRoot,
            @Nullable ServerBinaries programs)
            throws IOException {
        this.settings = settings;
        this.folderLock = folderLock;
        this.cluster = settings.dataFolder().resolve("cluster");
        this.logFile = settings.dataFolder().resolve("log").resolve("postgresql.log");
        this.clusterName = "stillwater-" + Integer.toHexString(cluster.hashCode());
        ServerBinaries unpacked =
                programs == null ? ServerBinaries.unpack(settings.binariesFolder()) : programs;
        ServerVersion version = ServerVersion.of(unpacked);
        MajorUpgrade.complete(settings.dataFolder());
        version.requireReads(cluster);
        this.account =
                ServerAccount.choose(
                        settings.dataFolder(),
                        cluster,
                        unpacked,
                        waysForRoot,
                        settings.serverUser());
        this.binaries =
                !account.way().needsOpenBinaries()
                        ? unpacked
                        : programs == null
                                ? ServerBinaries.unpackWhereAllCanRead()
                                : programs.copiedWhereAllCanRead();
        Files.createDirectories(settings.dataFolder().resolve("log"));
        account.own(settings.dataFolder().resolve("log"));
        account.own(folderLock.file());
        this.superuserPassword =
                passwordIn(settings.dataFolder().resolve("password"), Files.exists(cluster));
        this.owner =
                new Login(
                        OWNER, passwordIn(settings.dataFolder().resolve("owner-password"), false));
        this.engine =
                new Login(
                        ENGINE,
                        passwordIn(settings.dataFolder().resolve("engine-password"), false));

        @Nullable Running running = takeOver();
        this.adopted = running != null;
        if (running == null) {
            prepareCluster();
            running = startServer();
        }
        this.server = running.process();
        this.port = running.port();
        boolean usable = false;
        try {
            prepareDatabase();
            usable = true;
        } finally {
            if (!usable) {
                server.stop(settings.stopTimeout());
            }
        }
        log.info(
                "PostgreSQL {} on {}:{}, data in {}",
                adopted ? "taken over" : "started",
                LOOPBACK,
                port,
                settings.dataFolder());
        this.watcher = Thread.ofVirtual().name("embedded-postgres").start(this::watch);
    }

    /** JDBC URL of the engine's database, without user and password. */
    public String jdbcUrl() {
        return jdbcUrl(settings.database());
    }

    /** JDBC URL of another database on the same server. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + LOOPBACK + ":" + port + "/" + database;
    }

    /** Role that owns the database and everything in it. It is no superuser. */
    public String user() {
        return OWNER;
    }

    /** Generated once per data folder; never logged. */
    public String password() {
        return owner.password();
    }

    /** The account that owns the database and migrates it: {@link #user()} with its password. */
    public Login owner() {
        return owner;
    }

    /** The working role: a member of the monitoring role without objects, with its own password. */
    public Login engine() {
        return engine;
    }

    /**
     * The password in a file, made when there is none.
     *
     * @param needed whether a new one would be of no use
     */
    private String passwordIn(Path file, boolean needed) throws IOException {
        if (Files.exists(file)) {
            account.own(file);
            return Files.readString(file).strip();
        }
        if (needed) {
            throw new EmbeddedPostgresException(
                    DATA_FOLDER_UNUSABLE,
                    "The file " + file + " is missing: restore it beside its cluster.");
        }
        byte[] bytes = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(bytes);
        String generated = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Path aside = Files.createTempFile(settings.dataFolder(), ".password-", "");
        Files.writeString(aside, generated);
        Trees.force(aside);
        account.own(aside);
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        Trees.force(settings.dataFolder());
        return generated;
    }

    /** TCP port on 127.0.0.1; the same for as long as this object is open. */
    public int port() {
        return port;
    }

    /** Whether the server of an earlier engine was adopted. */
    public boolean adopted() {
        return adopted;
    }

    /** Process id of the server; changes when it had to be restarted. */
    public long pid() {
        stateLock.lock();
        try {
            return server.pid();
        } finally {
            stateLock.unlock();
        }
    }

    /** Stops the server (orderly, else at once) and releases the folder. Idempotent. */
    @Override
    public void close() {
        stateLock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            watcher.interrupt();
            if (server.stop(settings.stopTimeout())) {
                log.info("PostgreSQL stopped");
            } else {
                log.warn("PostgreSQL process {} does not stop", server.pid());
            }
        } catch (IOException e) {
            log.warn("PostgreSQL process {} may still run: {}", server.pid(), e.toString());
        } finally {
            stateLock.unlock();
            folderLock.close();
        }
    }

    private record Running(ServerProcess process, int port) {}

    private @Nullable Running takeOver() throws IOException {
        PostmasterPid left = PostmasterPid.read(cluster);
        if (left == null) {
            return null;
        }
        ServerProcess process = new ServerProcess(left.pid());
        if (process.serves(cluster)) {
            // Of another account, it is stopped: its files are handed over only then.
            if (left.ready()
                    && account.owns(cluster)
                    && sameCommand(process, left.port())
                    && answers(left.port())) {
                return new Running(process, left.port());
            }
            log.info(
                    "Stopping the PostgreSQL server that an earlier run left behind, process {}",
                    left.pid());
            if (!process.stop(settings.stopTimeout())) {
                throw new EmbeddedPostgresException(
                        START_FAILED,
                        "An old PostgreSQL server, process " + left.pid() + ", does not stop.");
            }
        } else {
            log.info("Ignoring a stale postmaster.pid: process {} is not its server", left.pid());
        }
        clearStalePid();
        return null;
    }

    /**
     * PostgreSQL itself refuses to start when the process id in the file exists, be it a zombie or
     * another program that was given the same id. So the file goes, but only once no child of the
     * dead server lives.
     */
    private void clearStalePid() throws IOException {
        if (!ServerProcess.awaitNoOrphans(clusterName, ORPHAN_WAIT)) {
            throw new EmbeddedPostgresException(
                    START_FAILED,
                    "Processes of an old PostgreSQL server still use " + cluster + ".");
        }
        Files.deleteIfExists(PostmasterPid.file(cluster));
    }

    private boolean sameCommand(ServerProcess process, int runningPort) {
        return (settings.port() == 0 || settings.port() == runningPort)
                && process.arguments().equals(serverCommand(runningPort));
    }

    private boolean answers(int runningPort) {
        try (Connection connection = connect(runningPort, "postgres");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW data_directory")) {
            return row.next() && cluster.toString().equals(row.getString(1));
        } catch (SQLException e) {
            log.info(
                    "The PostgreSQL server found on port {} does not answer: {}",
                    runningPort,
                    e.getMessage());
            return false;
        }
    }

    private void prepareCluster() throws IOException {
        if (Files.exists(cluster)) {
            account.own(cluster);
            return;
        }
        // Initialised aside and renamed when whole: an interrupted initdb never looks like a
        // cluster.
        Path aside = Files.createTempDirectory(settings.dataFolder(), ".cluster-");
        Path passwordFile = Files.createTempFile(settings.dataFolder(), ".initdb-", "");
        try {
            Files.writeString(passwordFile, superuserPassword);
            account.own(passwordFile);
            account.own(aside);
            List<String> initdb =
                    new ArrayList<>(
                            List.of(
                                    binaries.initdb().toString(),
                                    "--pgdata=" + aside,
                                    "--username=" + SUPERUSER,
                                    "--pwfile=" + passwordFile,
                                    "--auth=scram-sha-256",
                                    "--encoding=UTF8",
                                    "--locale=C",
                                    "--locale-provider=builtin",
                                    "--builtin-locale=C.UTF-8",
                                    "--no-instructions"));
            if (!settings.durable()) {
                initdb.add("--no-sync");
            }
            Command.Result result = Command.run(account.command(initdb), INITDB_LIMIT);
            if (result.output().contains(NAMELESS)) {
                // initdb needs a name for its user; in a user namespace every user is {@code
                // nobody}.
                initdb.addAll(0, ServerAccount.Way.USER_NAMESPACE.prefix(0, 0));
                result = Command.run(account.command(initdb), INITDB_LIMIT);
            }
            if (!result.succeeded()) {
                throw new EmbeddedPostgresException(
                        START_FAILED, "PostgreSQL's initdb failed:\n" + result.output());
            }
            Files.move(aside, cluster, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(passwordFile);
            Trees.deleteQuietly(aside);
        }
    }

    private Running startServer() throws IOException {
        if (settings.port() != 0) {
            return startServer(settings.port());
        }
        // Between choosing a free port and binding it, another program may take it.
        for (int attempt = 1; ; attempt++) {
            int candidate = freePort();
            try {
                return startServer(candidate);
            } catch (EmbeddedPostgresException e) {
                if (attempt == PORT_ATTEMPTS || isFree(candidate)) {
                    throw e;
                }
            }
        }
    }

    private Running startServer(int onPort) throws IOException {
        trimLog();
        String options = String.join(" ", serverOptions(onPort));
        List<String> pgCtl =
                List.of(
                        binaries.pgCtl().toString(),
                        "start",
                        "--wait",
                        "--timeout=" + Math.max(1, settings.startTimeout().toSeconds()),
                        "--pgdata=" + cluster,
                        "--log=" + logFile,
                        "--options=" + options);
        Command.Result result =
                Command.run(account.command(pgCtl), settings.startTimeout().plusSeconds(15));
        PostmasterPid started = started(result);
        if (result.succeeded() && started != null && started.ready()) {
            return new Running(new ServerProcess(started.pid()), onPort);
        }
        if (started != null) {
            ServerProcess process = new ServerProcess(started.pid());
            if (process.serves(cluster)) {
                process.stop(settings.stopTimeout());
            }
        }
        throw new EmbeddedPostgresException(
                START_FAILED,
                "PostgreSQL did not start on port %d within %s. %s\nEnd of %s:\n%s"
                        .formatted(
                                onPort,
                                settings.startTimeout(),
                                result.output(),
                                logFile,
                                logTail()));
    }

    /**
     * A pg_ctl that was killed (the terminal's Ctrl-C reaches it) may leave a server that is just
     * coming up.
     */
    private @Nullable PostmasterPid started(Command.Result result) throws IOException {
        boolean killed = result.exitCode() < 0 || result.exitCode() > KILLED_BY_SIGNAL;
        if (killed) {
            ServerProcess.await(ORPHAN_WAIT, () -> PostmasterPid.read(cluster) != null);
        }
        return PostmasterPid.read(cluster);
    }

    private List<String> serverCommand(int onPort) {
        List<String> command =
                new ArrayList<>(List.of(binaries.postgres().toString(), "-D", cluster.toString()));
        command.addAll(serverOptions(onPort));
        return command;
    }

    /** No value holds a space or a quote: the options pass through a shell inside pg_ctl. */
    private List<String> serverOptions(int onPort) {
        String safe = settings.durable() ? "on" : "off";
        List<String> options = new ArrayList<>();
        for (String option :
                List.of(
                        "listen_addresses=" + LOOPBACK,
                        PORT_OPTION + onPort,
                        "unix_socket_directories=",
                        "fsync=" + safe,
                        "synchronous_commit=" + safe,
                        "full_page_writes=" + safe,
                        "shared_buffers=" + settings.sharedBuffersBytes() / 1024 + "kB",
                        "max_connections=" + settings.maxConnections(),
                        "max_wal_size=512MB",
                        "wal_level=minimal",
                        "max_wal_senders=0",
                        "max_parallel_workers_per_gather=0",
                        "jit=off",
                        "timezone=UTC",
                        "log_timezone=UTC",
                        "log_checkpoints=off",
                        "logging_collector=off",
                        "cluster_name=" + clusterName)) {
            options.add("-c");
            options.add(option);
        }
        return options;
    }

    /**
     * Makes the roles and the database where there are none. The superuser has no other task; the
     * owner migrates, the engine's role works. Objects that an earlier version left to the
     * superuser are handed over.
     */
    private void prepareDatabase() throws IOException {
        try (Connection connection = connect(port, "postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(script("roles.sql"));
            for (Login login : List.of(owner, engine)) {
                // A plain name and a password without quotes, both our own.
                statement.execute(
                        "ALTER ROLE %s LOGIN NOSUPERUSER PASSWORD '%s'"
                                .formatted(login.user(), login.password()));
            }
            if (exists(connection)) {
                statement.execute("ALTER DATABASE " + settings.database() + " OWNER TO " + OWNER);
            } else {
                statement.execute("CREATE DATABASE " + settings.database() + " OWNER " + OWNER);
            }
        } catch (SQLException e) {
            throw unusable(e);
        }
        try (Connection connection = connect(port, settings.database());
                Statement statement = connection.createStatement()) {
            statement.execute(script("hand-over.sql"));
        } catch (SQLException e) {
            throw unusable(e);
        }
    }

    private boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM pg_database WHERE datname = ?")) {
            statement.setString(1, settings.database());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static String script(String name) throws IOException {
        try (InputStream script = EmbeddedPostgres.class.getResourceAsStream("/db/role/" + name)) {
            if (script == null) {
                throw new IOException("the program lacks its script db/role/" + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static IOException unusable(SQLException e) {
        return new IOException("the server started but cannot be used: " + e.getMessage(), e);
    }

    private Connection connect(int onPort, String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", SUPERUSER);
        properties.setProperty("password", superuserPassword);
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", "30");
        properties.setProperty("ApplicationName", "stillwater-launcher");
        return DriverManager.getConnection(
                "jdbc:postgresql://" + LOOPBACK + ":" + onPort + "/" + database, properties);
    }

    private void watch() {
        int watches = 0;
        int pause = 1;
        try {
            while (true) {
                Thread.sleep(WATCH_INTERVAL);
                watches++;
                pause = watchOnce(watches, pause);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // closed; no clean-up here
        }
    }

    /** The top frame of one check: after a failure, the next one follows. The pause from now on. */
    private int watchOnce(int watches, int pause) throws InterruptedException {
        try {
            if (watches % WATCHES_PER_LOG_CHECK == 0) {
                trimLogQuietly();
            }
            return watches % pause != 0 || restartIfDead()
                    ? watches % pause == 0 ? 1 : pause
                    : Math.min(2 * pause, LONGEST_RESTART_PAUSE);
        } catch (InterruptedException closing) {
            throw closing;
        } catch (Throwable e) {
            log.error("PostgreSQL was not looked after; it is again soon", e);
            return Math.min(2 * pause, LONGEST_RESTART_PAUSE);
        }
    }

    /** False when the server is dead and did not come back. */
    private boolean restartIfDead() throws InterruptedException {
        stateLock.lockInterruptibly();
        try {
            if (closed || server.alive()) {
                return true;
            }
            log.warn(
                    "PostgreSQL process {} died and is started again; its log is {}",
                    server.pid(),
                    logFile);
            clearStalePid();
            server = startServer(port).process();
            return true;
        } catch (IOException | EmbeddedPostgresException e) {
            log.warn("PostgreSQL cannot be started again: {}", e.getMessage());
            return false;
        } finally {
            stateLock.unlock();
        }
    }

    private void trimLogQuietly() {
        try {
            trimLog();
        } catch (IOException e) {
            log.debug("Cannot trim {}", logFile, e);
        }
    }

    /** Copy and truncate: the server keeps its descriptor, which appends. */
    private void trimLog() throws IOException {
        if (Files.exists(logFile) && Files.size(logFile) > settings.logLimitBytes()) {
            Path older = logFile.resolveSibling("postgresql.log.1");
            Files.copy(logFile, older, StandardCopyOption.REPLACE_EXISTING);
            account.own(older);
            Files.newByteChannel(
                            logFile, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                    .close();
        }
    }

    private String logTail() {
        if (!Files.isReadable(logFile)) {
            return "(no log)";
        }
        try (RandomAccessFile file = new RandomAccessFile(logFile.toFile(), "r")) {
            long length = file.length();
            byte[] tail = new byte[(int) Math.min(LOG_TAIL_BYTES, length)];
            file.seek(length - tail.length);
            file.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(unreadable: " + e.getMessage() + ")";
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket =
                new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK_ADDRESS))) {
            return socket.getLocalPort();
        }
    }

    private static boolean isFree(int candidate) {
        try (ServerSocket socket =
                new ServerSocket(candidate, 1, InetAddress.getByAddress(LOOPBACK_ADDRESS))) {
            return socket.isBound();
        } catch (IOException _) {
            return false;
        }
    }
}
