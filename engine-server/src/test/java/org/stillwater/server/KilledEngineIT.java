package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.testkit.FreePorts;
import tools.jackson.databind.JsonNode;

/**
 * An engine that is a process of its own, and is killed while operations of many kinds are under
 * way: the next one brings them to their ends.
 */
@Timeout(300)
class KilledEngineIT {

    private static final int VMS = 24;
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    @TempDir Path folder;
    private TestDatabase database;
    private SimulatedFleet fleet;
    private Process engine;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < VMS; n++) {
                other.definitions().add(vm(n), definition(n));
            }
        }
        fleet = SimulatedFleet.start(folder, WorldSettings.of(31, 3, 1).withHostMemory(64 * 1024));
        startEngine();
    }

    @AfterEach
    void stop() throws InterruptedException {
        engine.destroyForcibly().waitFor();
        fleet.close();
        database.close();
    }

    private void startEngine() throws IOException {
        int port = FreePorts.next();
        api = new ApiClient("http://127.0.0.1:" + port);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx384m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StillwaterApplication.class.getName()));
        command.addAll(fleet.engineArguments());
        command.add("--server.port=" + port);
        command.add("--stillwater.data-folder=" + folder.resolve("data"));
        command.add("--stillwater.security.anonymous-role=administrator");
        command.add("--stillwater.tls.enabled=false");
        command.add("--stillwater.security.initial-password=" + RunningEngine.PASSWORD);
        command.add("--spring.datasource.url=" + database.jdbcUrl());
        command.add("--spring.datasource.username=" + database.worker().user());
        command.add("--spring.datasource.password=" + database.worker().password());
        command.add("--stillwater.database.migration.username=" + database.owner().user());
        command.add("--stillwater.database.migration.password=" + database.owner().password());
        command.addAll(RunningEngine.SAVED_MEMORY);
        command.add("--stillwater.cycle.interval=200ms");
        command.add("--stillwater.cycle.repoll-pause=0s");
        command.add("--stillwater.cycle.connect-spread=0s");
        // The number of searches, times six, for a volume that the killed engine may have ordered.
        command.add("--stillwater.commands.longest-retry=1s");
        engine =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        folder.resolve("engine.log").toFile()))
                        .start();
        await("that 3 hosts are up", () -> up() == 3);
    }

    /** How many virtual threads of the engine may compute at the same time. */
    private int carriers() throws Exception {
        VirtualMachine jvm = VirtualMachine.attach(Long.toString(engine.pid()));
        try {
            return Integer.parseInt(
                    jvm.getSystemProperties().getProperty(CarrierThreads.PARALLELISM));
        } finally {
            jvm.detach();
        }
    }

    private int up() {
        int up = 0;
        for (JsonNode host : json("/api/v1/hosts").path("items")) {
            up += host.path("status").asString().equals("up") ? 1 : 0;
        }
        return up;
    }

    @Test
    void openOperationsEndAfterARestart() throws Exception {
        String first = batch("start", 0, 12);
        assertThat(carriers()).isGreaterThan(Runtime.getRuntime().availableProcessors());
        await("the first starts", () -> hasEnded("/api/v1/batches/" + first, "batch"));

        String starts = batch("start", 12, 22);
        String migrations = batch("migrate", 0, 3);
        List<String> single = new ArrayList<>();
        single.add(post(path(3) + "/suspend", ""));
        single.add(post(path(4) + "/shutdown", ""));
        single.add(post(path(5) + "/reboot", ""));
        single.add(post(path(6) + "/stop", ""));
        single.add(post(path(7) + "/pause", ""));
        single.add(post("/api/v1/vms", "{\"name\": \"new\", \"memoryMebibytes\": 64}"));
        fleet.world().advance(Duration.ofMillis(500));
        engine.destroyForcibly().waitFor(); // SIGKILL
        startEngine();

        await("the second starts", () -> hasEnded("/api/v1/batches/" + starts, "batch"));
        await("the migrations", () -> hasEnded("/api/v1/batches/" + migrations, "batch"));
        for (String id : single) {
            await(
                    "operation " + id,
                    () -> !json("/api/v1/operations/" + id).path("endedAt").isNull());
        }
        assertThat(
                        json("/api/v1/batches/" + starts)
                                .path("batch")
                                .path("counts")
                                .path("succeeded")
                                .asInt())
                .isEqualTo(10);
        assertThat(json("/api/v1/operations?state=running").path("items")).isEmpty();
        assertThat(json("/api/v1/operations?state=queued").path("items")).isEmpty();
        assertThat(json("/api/v1/work").path("items")).isEmpty();
        await("that engine and hosts agree", () -> disagreement() == null);
        assertThat(status(3)).isEqualTo("suspended");
        assertThat(status(4)).isEqualTo("down");
        assertThat(status(6)).isEqualTo("down");
        assertThat(status(7)).isEqualTo("paused");
        assertThat(json("/api/v1/vms?name=new&total=true").path("total").asInt()).isEqualTo(1);
    }

    /** A VM that runs twice, or elsewhere than shown; null if there is none. */
    private String disagreement() {
        Map<UUID, String> homes = new HashMap<>();
        for (SimulatedVm vm : fleet.world().vms()) {
            String host = vm.host();
            if (host != null && homes.put(vm.id(), host) != null) {
                return vm.name() + " runs twice";
            }
        }
        for (int n = 0; n < VMS; n++) {
            JsonNode vm = json(path(n));
            boolean shown = !vm.path("hostId").isNull() && !vm.path("hostId").isMissingNode();
            if (shown != homes.containsKey(vm(n).toUuid())) {
                return "vm" + n + " is " + vm + " and runs on " + homes.get(vm(n).toUuid());
            }
        }
        return null;
    }

    // --------------------------------------------------------------------------------------

    private static VmId vm(int n) {
        return new VmId(1, n);
    }

    private static String path(int n) {
        return "/api/v1/vms/" + vm(n);
    }

    private String status(int n) {
        return json(path(n)).path("status").asString();
    }

    private static Definition definition(int n) {
        return new Definition(
                new VmStatic(
                        "vm" + n,
                        VmOrigin.OVIRT,
                        false,
                        64,
                        64,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        ClusterId.DEFAULT),
                VmSpecification.BARE,
                0,
                null,
                null);
    }

    private boolean hasEnded(String path, String member) {
        return json(path).path(member).path("ended").asBoolean();
    }

    private String batch(String action, int from, int to) {
        String vms =
                String.join(
                        ",", IntStream.range(from, to).mapToObj(n -> "\"" + vm(n) + "\"").toList());
        return post(
                "/api/v1/vms:batch", "{\"action\": \"%s\", \"vms\": [%s]}".formatted(action, vms));
    }

    /** The id of the durable operation. */
    private String post(String path, String body) {
        HttpResponse<String> answer = body.isEmpty() ? api.post(path) : api.post(path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return RunningEngine.JSON.readTree(answer.body()).path("id").asString();
    }

    private JsonNode json(String path) {
        try {
            return RunningEngine.JSON.readTree(api.get(path).body());
        } catch (UncheckedIOException _) {
            return RunningEngine.JSON.createObjectNode(); // it does not answer yet
        }
    }

    /** Looks again and again, while time passes on the hosts. */
    private void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(engine.isAlive()).as("the engine lives; its log is in " + folder).isTrue();
            assertThat(System.nanoTime() - deadline).as(what + ": " + disagreement()).isNegative();
            fleet.world().advance(Duration.ofMillis(500));
            java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
        }
    }
}
