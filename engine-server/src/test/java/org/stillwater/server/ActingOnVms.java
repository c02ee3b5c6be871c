package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/**
 * Operations on VMs over REST: real sockets, TLS and PostgreSQL, and two simulated hosts whose time
 * passes during waits. Each test has its own of all of it, unless a class shares them.
 */
abstract class ActingOnVms {

    /** An id that nothing has. */
    static final String NOBODY = new UUID(0, 5).toString();

    @TempDir Path folder;
    TestDatabase database;
    SimulatedFleet fleet;
    RunningEngine engine;

    /** Two hosts of so much memory, with a VM of their own each. */
    static WorldSettings twoHosts(int gibibytes) {
        return WorldSettings.of(31, 2, 1).withHostMemory(gibibytes * 1024);
    }

    /** Starts an engine that watches the fleet, and returns when all hosts are up. */
    void startEngine(String... more) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--stillwater.cycle.interval=200ms",
                                "--stillwater.cycle.repoll-pause=0s",
                                "--stillwater.stream.heart-beat=100ms"));
        all.addAll(List.of(more));
        engine = RunningEngine.start(database, fleet.engineArguments(), all.toArray(String[]::new));
        engine.awaitHostsUp(fleet.network().hosts().size());
    }

    @AfterEach
    void stop() {
        if (engine != null) {
            engine.close();
        }
        fleet.close();
        database.close();
    }

    static VmId vm(int n) {
        return new VmId(1, n);
    }

    static String path(int n) {
        return "/api/v1/vms/" + vm(n);
    }

    static Definition definition(String name, int mebibytes) {
        return new Definition(
                new VmStatic(
                        name,
                        VmOrigin.OVIRT,
                        false,
                        mebibytes,
                        mebibytes,
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

    String status(String path) {
        return engine.json(path).path("status").asString();
    }

    static JsonNode json(HttpResponse<String> answer) {
        return RunningEngine.JSON.readTree(answer.body());
    }

    /** The id of the accepted operation. */
    static String accepted(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return json(answer).path("id").asString();
    }

    static JsonNode created(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return json(answer);
    }

    /** The operation that was accepted, once it has succeeded. */
    JsonNode done(HttpResponse<String> answer, String kind) {
        JsonNode end = ended(accepted(answer));
        assertThat(end.path("kind").asString()).isEqualTo(kind);
        assertThat(end.path("state").asString()).as(end.toString()).isEqualTo("succeeded");
        return end;
    }

    /** The operation, once it has ended in any way. */
    JsonNode ended(String id) {
        String path = "/api/v1/operations/" + id;
        awaitAdvancing(() -> !engine.json(path).path("endedAt").isNull());
        return engine.json(path);
    }

    /** The batch, once it has ended in any way. */
    JsonNode batchEnded(String batch) {
        awaitAdvancing(
                () -> engine.json(batch + "?limit=0").path("batch").path("ended").asBoolean());
        return engine.json(batch + "?limit=1000");
    }

    /** Looks again and again, while time passes on the hosts. */
    void awaitAdvancing(BooleanSupplier holds) {
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofMillis(500));
                    return holds.getAsBoolean();
                },
                () -> engine.get("/api/v1/operations?limit=3").body());
    }

    static void assertProblem(HttpResponse<String> answer, int status, String detail) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        assertThat(json(answer).path("detail").asString()).contains(detail);
    }
}
