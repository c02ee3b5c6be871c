package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.benchmarks.scale.Meters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The engine: one life after the other on the same port. Lives are begun and ended by one thread.
 */
final class Engine implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);
    private static final int MOST_OF_A_PAGE = 1000;

    /** Every patience of the engine, short enough for a round of seconds. */
    private static final List<String> SHORT_TIMES =
            List.of(
                    // The run examines the work that monitoring leaves, so no worker may do it.
                    "--stillwater.commands.enabled=false",
                    "--stillwater.cycle.interval=500ms",
                    "--stillwater.cycle.connect-spread=0s",
                    "--stillwater.cycle.repoll-pause=100ms",
                    "--stillwater.wire.connect-timeout=2s",
                    "--stillwater.wire.handshake-timeout=5s",
                    "--stillwater.wire.call-timeout=5s",
                    "--stillwater.wire.heart-beat-in=1500ms",
                    "--stillwater.wire.heart-beat-out=1500ms",
                    "--stillwater.wire.reconnect-at-least=50ms",
                    "--stillwater.wire.reconnect-at-most=300ms",
                    "--stillwater.host-policy.refresh=100ms",
                    "--stillwater.host-policy.forgiven-silence=2500ms",
                    "--stillwater.host-policy.forgiven-silence-per-vm=0ms",
                    "--stillwater.host-policy.fencing-delay=0ms",
                    "--stillwater.database.connect-timeout=3s",
                    "--stillwater.database.statement-timeout=1500ms",
                    "--stillwater.database.network-timeout=3s",
                    "--stillwater.database.probe-interval=100ms",
                    "--stillwater.writer.first-retry=50ms",
                    "--stillwater.writer.longest-retry=500ms",
                    "--stillwater.dwh.interval=2s",
                    "--stillwater.dwh.dump=always");

    private final ChaosPlan plan;
    private final List<String> command;
    private final Http http;
    private @Nullable ChildProcess process;
    private volatile int life;
    private volatile boolean expected;

    Engine(
            ChaosPlan plan,
            Path hostsFile,
            Path clockFile,
            DatabaseServer database,
            int sqlPort,
            int port) {
        this.plan = plan;
        this.http = new Http(port);
        List<String> all = new ArrayList<>(plan.programs().engine());
        all.add("--server.port=" + port);
        all.add("--stillwater.security.anonymous-role=administrator");
        all.add("--stillwater.tls.enabled=false");
        all.add("--stillwater.data-folder=" + plan.folder());
        all.add("--stillwater.hosts-file=" + hostsFile);
        all.add("--stillwater.clock.offset-file=" + clockFile);
        all.add("--stillwater.wire.tls.enabled=" + plan.tls());
        if (plan.tls()) {
            all.add("--stillwater.wire.tls.certificate=" + plan.pki().resolve("engine.pem"));
            all.add("--stillwater.wire.tls.key=" + plan.pki().resolve("engine.key.pem"));
            all.add("--stillwater.wire.tls.trust=" + plan.pki().resolve("ca.pem"));
        }
        all.add(
                "--spring.datasource.url=jdbc:postgresql://127.0.0.1:%d/%s"
                        .formatted(sqlPort, database.database()));
        all.add("--spring.datasource.username=" + database.role());
        all.add("--spring.datasource.password=" + database.password());
        all.addAll(SHORT_TIMES);
        this.command = List.copyOf(all);
    }

    /** Begins another life; it is not ready when this returns. */
    void start() throws IOException {
        int next = life + 1;
        life = next;
        process =
                ChildProcess.start(
                        "the engine",
                        command,
                        plan.folder().resolve("engine-" + next + ".log"),
                        STOP_TIMEOUT);
    }

    boolean isStarted() {
        return process != null;
    }

    /** Whether its life is over without an order. */
    boolean hasEnded() {
        return process != null && !process.isAlive();
    }

    /** How many lives it had so far, this one included. */
    int life() {
        return life;
    }

    void requireAlive() {
        if (process != null) {
            process.requireAlive();
        }
    }

    /** Whether its readiness probe succeeds; from then on it is expected to answer. */
    boolean isReady() throws InterruptedException {
        boolean ready = http.tryGet("/actuator/health/readiness") != null;
        expected |= ready;
        return ready;
    }

    /** Whether it must answer readers now. */
    boolean isExpected() {
        return expected;
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        expected = false;
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    /**
     * SIGTERM, and waits for its end.
     *
     * @return false if it had to be killed
     */
    boolean stop() {
        expected = false;
        if (process == null) {
            return true;
        }
        boolean orderly = process.stop();
        process = null;
        return orderly;
    }

    Http http() {
        return http;
    }

    /** Every VM. */
    JsonNode vms() throws IOException, InterruptedException {
        return JSON.readTree(http.get("/api/v1/vms?limit=" + MOST_OF_A_PAGE)).path("items");
    }

    JsonNode hosts() throws IOException, InterruptedException {
        return JSON.readTree(http.get("/api/v1/hosts")).path("items");
    }

    /** Everything left to commands. */
    List<JsonNode> work() throws IOException, InterruptedException {
        List<JsonNode> all = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page =
                    JSON.readTree(
                            http.get("/api/v1/work?limit=" + MOST_OF_A_PAGE + "&cursor=" + cursor));
            page.path("items").forEach(all::add);
            cursor = page.path("next").isString() ? page.path("next").asString() : "";
        } while (!cursor.isEmpty());
        return all;
    }

    Meters meters() throws IOException, InterruptedException {
        return Meters.parse(http.get("/actuator/prometheus"));
    }

    String readiness() throws IOException, InterruptedException {
        return http.body("/actuator/health/readiness");
    }

    @Override
    public void close() {
        expected = false;
        http.close();
        if (process != null) {
            process.close();
        }
    }
}
