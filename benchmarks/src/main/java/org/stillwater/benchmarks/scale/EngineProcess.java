package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;

/** The engine under measurement, with its embedded PostgreSQL. */
public final class EngineProcess implements AutoCloseable {

    /** Options of engines and simulators, as the launcher gives them (its {@code CIPHERS_JVM}). */
    public static final List<String> JVM_OPTIONS =
            List.of(
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=CompileThresholdScaling,com.sun.crypto.provider.*::*,0.01");

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    /** Line of postmaster.pid with the port (PostgreSQL, miscadmin.h: LOCK_FILE_LINE_PORT 4). */
    private static final int PORT_LINE = 3;

    private final ChildProcess process;
    private final Path cluster;
    private final Account account;
    private final Http http;

    private EngineProcess(ChildProcess process, Path cluster, Account account, Http http) {
        this.process = process;
        this.cluster = cluster;
        this.account = account;
        this.http = http;
    }

    /** How to log in to the database. */
    private record Account(String user, String password) {}

    /**
     * Which program is started, and how.
     *
     * @param program arguments of its JVM: {@code -jar} and a file, or a class path and a class
     * @param folder for its database, its files and its log
     * @param heap its -Xmx
     * @param jvmOptions more options of its JVM
     * @param options its own options, besides those that every measurement needs
     */
    public record Start(
            List<String> program,
            Path folder,
            String heap,
            List<String> jvmOptions,
            List<String> options) {
        public Start {
            program = List.copyOf(program);
            jvmOptions = List.copyOf(jvmOptions);
            options = List.copyOf(options);
        }
    }

    /**
     * Arguments of a JVM that runs the program in a folder with {@code app.jar}, with the archive
     * for fast starts that the launcher has made beside it, if there is one.
     */
    public static List<String> program(Path app) {
        List<String> program = new ArrayList<>();
        try (DirectoryStream<Path> archives = Files.newDirectoryStream(app, "engine-*.aot")) {
            archives.forEach(archive -> program.add("-XX:AOTCache=" + archive));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        program.addAll(List.of("-jar", app.resolve("app.jar").toString()));
        return program;
    }

    /** The file of its settings about relays. */
    static Path relaySettings(StablePlan plan) {
        return plan.folder().resolve("relays.yaml");
    }

    /** Starts it on a fresh database. */
    static EngineProcess start(StablePlan plan, Path hostsFile, int port) throws IOException {
        List<String> options = new ArrayList<>();
        options.add("--stillwater.hosts-file=" + hostsFile);
        options.add("--stillwater.cycle.interval=" + plan.interval().toMillis() + "ms");
        options.add("--stillwater.wire.tls.enabled=" + plan.tls());
        if (plan.relays() != null) {
            options.add("--spring.config.additional-location=file:" + relaySettings(plan));
        }
        options.addAll(plan.engineOptions());
        return start(
                new Start(
                        program(plan.programs().engine()),
                        plan.folder(),
                        plan.engineHeap(),
                        plan.engineJvmOptions(),
                        options),
                port);
    }

    /** Starts it on a fresh database, without a login and without TLS. */
    public static EngineProcess start(Start start, int port) throws IOException {
        Path database = start.folder().resolve("postgresql");
        Path cluster = database.resolve("cluster");
        Account account = prepare(database, cluster);

        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + start.heap());
        command.addAll(JVM_OPTIONS);
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(start.jvmOptions());
        command.addAll(start.program());
        command.add("--server.port=" + port);
        command.add("--stillwater.security.anonymous-role=administrator");
        command.add("--stillwater.tls.enabled=false");
        // All readers and clients of a bench come from one address, and without a login.
        command.add("--stillwater.stream.max-per-address=10000");
        command.add("--stillwater.http.connections-per-address=10000");
        command.add("--stillwater.data-folder=" + start.folder());
        command.addAll(start.options());
        return new EngineProcess(
                ChildProcess.start(
                        "the engine", command, start.folder().resolve("engine.log"), STOP_TIMEOUT),
                cluster,
                account,
                new Http(port));
    }

    /** Makes a database that stamps commits: it then knows itself when a row was committed. */
    private static Account prepare(Path database, Path cluster) throws IOException {
        Files.createDirectories(database);
        try (EmbeddedPostgres server =
                EmbeddedPostgres.start(EmbeddedPostgresSettings.in(database))) {
            Files.writeString(
                    cluster.resolve("postgresql.auto.conf"),
                    "track_commit_timestamp = on\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            return new Account(server.user(), server.password());
        }
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Its interfaces. */
    public Http http() {
        return http;
    }

    /**
     * @throws BenchFailure if it has ended
     */
    public void requireAlive() {
        process.requireAlive();
    }

    /** Its meters now. */
    public Meters meters() throws IOException, InterruptedException {
        return Meters.parse(http.get("/actuator/prometheus"));
    }

    /** Process id of the database server: the first line of its lock file. */
    long databasePid() throws IOException {
        return Long.parseLong(lockFile().getFirst().strip());
    }

    /** A connection of the harness's own to the engine's database. */
    public Connection connectToDatabase() throws IOException, SQLException {
        String port = lockFile().get(PORT_LINE).strip();
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/stillwater",
                account.user(),
                account.password());
    }

    private List<String> lockFile() throws IOException {
        return Files.readAllLines(cluster.resolve("postmaster.pid"));
    }

    @Override
    public void close() {
        http.close();
        process.close();
    }
}
