package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.xapi.client.XapiEncoding;

/** The engine in a process of its own, on a fresh database, watching simulated pools. */
final class PoolEngine implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(50);

    /** Lost pools are tried again soon: the pause would be counted as the engine's. */
    private static final String RECONNECT = "20ms";

    private final EmbeddedPostgres server;
    private final ChildProcess process;
    private final Http http;
    private final HarnessClock clock = new HarnessClock();

    private PoolEngine(EmbeddedPostgres server, ChildProcess process, Http http) {
        this.server = server;
        this.process = process;
        this.http = http;
    }

    /**
     * Starts it.
     *
     * @param folder for its database and log; emptied
     * @param app the engine's program, a folder with {@code app.jar}
     */
    static PoolEngine start(
            Path folder, Path app, String heap, PoolProcess pools, @Nullable XapiEncoding encoding)
            throws IOException {
        Folders.makeEmpty(folder);
        Path database = folder.resolve("postgresql");
        EmbeddedPostgresSettings settings = EmbeddedPostgresSettings.in(database);
        // The database can say itself when a row was committed; it reads that when it starts.
        EmbeddedPostgres.start(settings).close();
        Files.writeString(
                database.resolve("cluster").resolve("postgresql.auto.conf"),
                "track_commit_timestamp = on\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        EmbeddedPostgres server = EmbeddedPostgres.start(settings);
        boolean started = false;
        try {
            int port = freePort();
            ChildProcess process =
                    ChildProcess.start(
                            "the engine",
                            command(folder, app, heap, server, port, pools, encoding),
                            folder.resolve("engine.log"),
                            STOP_TIMEOUT);
            started = true;
            return new PoolEngine(server, process, new Http(port));
        } finally {
            if (!started) {
                server.close();
            }
        }
    }

    private static List<String> command(
            Path folder,
            Path app,
            String heap,
            EmbeddedPostgres server,
            int port,
            PoolProcess pools,
            @Nullable XapiEncoding encoding) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heap);
        command.add("-XX:+UseCompactObjectHeaders");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-jar");
        command.add(app.resolve("app.jar").toString());
        command.add("--server.port=" + port);
        command.add("--stillwater.security.anonymous-role=administrator");
        command.add("--stillwater.tls.enabled=false");
        command.add("--stillwater.data-folder=" + folder);
        command.add("--stillwater.wire.tls.enabled=false");
        command.add("--spring.datasource.url=" + server.jdbcUrl());
        command.add("--spring.datasource.username=" + server.user());
        command.add("--spring.datasource.password=" + server.password());
        command.add("--stillwater.xapi.reconnect-at-least=" + RECONNECT);
        command.add("--stillwater.xapi.reconnect-at-most=" + RECONNECT);
        int number = 0;
        for (PoolProcess.Pool each : pools.pools()) {
            String prefix = "--stillwater.xapi.pools[" + number + "].";
            command.add(prefix + "name=pool-" + number++);
            command.add(prefix + "addresses=" + each.coordinator().getHost());
            command.add(prefix + "port=" + each.coordinator().getPort());
            command.add(prefix + "tls=false");
            command.add(prefix + "password=stillwater");
            if (encoding != null) {
                command.add(
                        prefix
                                + "encodings="
                                + encoding.name()
                                        .toLowerCase(java.util.Locale.ROOT)
                                        .replace('_', '-'));
            }
        }
        return command;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    long pid() {
        return process.pid();
    }

    Http http() {
        return http;
    }

    Meters meters() throws IOException, InterruptedException {
        return Meters.parse(http.get("/actuator/prometheus"));
    }

    Connection connectToDatabase() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
    }

    /** Waits until it answers at all. */
    void awaitServed() throws InterruptedException {
        await("serves nothing", () -> http.tryGet("/api/v1/vms?limit=1") != null);
    }

    /** Waits until so many VMs are listed. */
    void awaitVms(int vms) throws InterruptedException {
        await("does not list " + vms + " VMs", () -> lists(vms));
    }

    private boolean lists(int vms) throws InterruptedException {
        return total(http.tryGet("/api/v1/vms?limit=1")) == vms;
    }

    /** How many VMs a page says that there are; -1 without a page. */
    static int total(@Nullable String page) {
        String mark = "\"total\":";
        int at = page == null ? -1 : page.indexOf(mark);
        if (page == null || at < 0) {
            return -1;
        }
        int number = 0;
        for (int i = at + mark.length(); i < page.length(); i++) {
            int digit = page.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                break;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** Asked again and again. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    void await(String otherwise, Condition condition) throws InterruptedException {
        long deadline = clock.nanoTime() + PATIENCE.toNanos();
        while (true) {
            process.requireAlive();
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (IOException e) {
                // Asked again.
            }
            if (clock.nanoTime() > deadline) {
                throw new BenchFailure("the engine " + otherwise + " within " + PATIENCE);
            }
            clock.waitUntil(clock.nanoTime() + LOOK.toNanos());
        }
    }

    @Override
    public void close() {
        http.close();
        process.close();
        server.close();
    }
}
