package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.HarnessClock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * npm's {@code xen-api}, the client of XAPI that others use most, in a process of its own. It is
 * installed once below the user's cache directory, where the tests of the simulator have it too.
 */
final class Peer {

    /** Client that is measured beside the engine. */
    static final String NAME = "npm xen-api 4.7.6";

    private static final String VERSION = "4.7.6";
    private static final String SCRIPT = "xen-api-peer.mjs";
    private static final Duration INSTALL_PATIENCE = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final @Nullable Path home;
    private final String reason;
    private final HarnessClock clock = new HarnessClock();

    private Peer(@Nullable Path home, String reason) {
        this.home = home;
        this.reason = reason;
    }

    /** The client, installed if it can be. */
    static Peer find() throws InterruptedException {
        try {
            for (String program : List.of("node", "npm")) {
                run(Path.of("."), program, "--version");
            }
        } catch (IOException e) {
            return new Peer(null, String.valueOf(e.getMessage()));
        }
        try {
            return new Peer(install(), "");
        } catch (IOException e) {
            return new Peer(null, "it cannot be installed: " + e.getMessage());
        }
    }

    /** None, because it is not wanted. */
    static Peer none(String reason) {
        return new Peer(null, reason);
    }

    /** Whether it can be measured. */
    boolean isThere() {
        return home != null;
    }

    /** Why it is left out; empty if it is not. */
    String reason() {
        return reason;
    }

    private static Path install() throws IOException, InterruptedException {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path home =
                (cache == null || cache.isBlank()
                                ? Path.of(System.getProperty("user.home"), ".cache")
                                : Path.of(cache))
                        .resolve("stillwater")
                        .resolve("xen-api-" + VERSION);
        if (!Files.exists(home)) {
            Path parent = Objects.requireNonNull(home.getParent());
            Files.createDirectories(parent);
            Path made = Files.createTempDirectory(parent, "making-");
            Files.writeString(made.resolve("package.json"), "{}");
            run(
                    made,
                    "npm",
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts",
                    "xen-api@" + VERSION);
            Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
        }
        return home;
    }

    /** Runs a program to its end. */
    private static void run(Path folder, String... command)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile("peer", ".log");
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            if (!process.waitFor(INSTALL_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command[0] + " does not end within " + INSTALL_PATIENCE);
            }
            if (process.exitValue() != 0) {
                throw new IOException(
                        "%s ended with code %d: %s"
                                .formatted(
                                        command[0],
                                        process.exitValue(),
                                        Files.readString(log, StandardCharsets.UTF_8).strip()));
            }
        } finally {
            Files.delete(log);
        }
    }

    /** Its script runs until it is closed. */
    final class Running implements AutoCloseable {

        private final ChildProcess process;
        private final Path log;

        private Running(ChildProcess process, Path log) {
            this.process = process;
            this.log = log;
        }

        /** Waits for a line with this member. */
        private JsonNode await(String member) throws IOException, InterruptedException {
            long deadline = clock.nanoTime() + PATIENCE.toNanos();
            while (true) {
                boolean alive = process.isAlive();
                JsonNode line = line(member);
                if (line != null) {
                    return line;
                }
                if (!alive) {
                    process.requireAlive();
                }
                if (clock.nanoTime() > deadline) {
                    throw new BenchFailure(
                            "%s reports no '%s' within %s; log: %s"
                                    .formatted(NAME, member, PATIENCE, log));
                }
                clock.waitUntil(clock.nanoTime() + LOOK_NANOS);
            }
        }

        private @Nullable JsonNode line(String member) throws IOException {
            String text = Files.readString(log);
            int complete = text.lastIndexOf('\n') + 1;
            for (String line : text.substring(0, complete).lines().toList()) {
                if (line.startsWith("{\"" + member + "\"")) {
                    return JSON.readTree(line);
                }
            }
            return null;
        }

        /** How it became ready. */
        Synced synced() throws IOException, InterruptedException {
            JsonNode line = await("millis");
            return new Synced(
                    line.path("objects").asInt(),
                    line.path("millis").asDouble(),
                    line.path("cpuMillis").asDouble(),
                    line.path("longestStallMillis").asDouble(),
                    line.path("stallMillisP999").asDouble());
        }

        /** When it saw that each VM is paused, on the machine's monotonic clock. */
        Map<String, Long> paused() throws IOException, InterruptedException {
            Map<String, Long> seen = new HashMap<>();
            for (JsonNode each : await("paused").path("paused")) {
                seen.put(
                        each.path("vm").asString(""),
                        Long.parseLong(each.path("nanos").asString()));
            }
            return seen;
        }

        @Override
        public void close() {
            process.close();
        }
    }

    /**
     * How the client read a pool.
     *
     * @param objects all that it read
     * @param millis from before the login until it has all
     * @param cpuMillis processor time of its process meanwhile
     * @param longestStallMillis longest time for which its process did nothing else
     * @param stallMillisP999 the 99.9th percentile of how late a timer of 1 ms was
     */
    record Synced(
            int objects,
            double millis,
            double cpuMillis,
            double longestStallMillis,
            double stallMillisP999) {}

    /**
     * Lets it read a pool and then watch it.
     *
     * @param log where its output goes
     * @param transport {@code json-rpc} or {@code xml-rpc}
     * @param changes VMs that are paused afterwards, or 0 to end at once
     */
    Running start(Path log, PoolProcess.Pool pool, String transport, int changes)
            throws IOException {
        if (home == null) {
            throw new BenchFailure(NAME + " is left out: " + reason);
        }
        Path script = home.resolve(SCRIPT); // modules are looked for beside it
        try (InputStream in = Peer.class.getResourceAsStream(SCRIPT)) {
            Files.copy(Objects.requireNonNull(in), script, StandardCopyOption.REPLACE_EXISTING);
        }
        return new Running(
                ChildProcess.start(
                        NAME,
                        List.of(
                                "node",
                                script.toString(),
                                pool.coordinator().toString(),
                                transport,
                                Integer.toString(changes)),
                        log,
                        STOP_TIMEOUT),
                log);
    }
}
