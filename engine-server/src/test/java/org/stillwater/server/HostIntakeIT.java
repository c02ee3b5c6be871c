package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** One of two hosts gives no definitions of its VMs, and no storage pool is configured. */
@Timeout(90)
class HostIntakeIT {

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static String refusing;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(41, 2, 2));
        refusing = fleet.network().hosts().getFirst().host().value();
        fleet.network()
                .faults()
                .add(
                        FaultSpec.of(FaultKind.ERROR_CODE)
                                .withHost(refusing)
                                .withVerb("Host.dumpxmls")
                                .withError(100, "General Exception"));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.commands.storage-pool=");
        engine.awaitHostsUp(2);
        RunningEngine.await(
                () -> engine.json("/api/v1/vms").path("total").asInt() == 2,
                () -> engine.json("/api/v1/vms").toString());
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    /** The host's trouble; null for none. */
    private static @Nullable JsonNode trouble() {
        for (JsonNode item : engine.json("/api/v1/health/hosts").path("items")) {
            if (item.path("name").asString().equals(refusing)) {
                return item;
            }
        }
        return null;
    }

    @Test
    void aHostWhoseVmsAreNotTakenInIsInTrouble() {
        RunningEngine.await(
                () -> {
                    JsonNode trouble = trouble();
                    return trouble != null
                            && trouble.path("condition").asString().equals("intake_failed");
                },
                () -> String.valueOf(trouble()));
        JsonNode trouble = Objects.requireNonNull(trouble());
        assertThat(trouble.path("why").asString()).contains("2", "General Exception");
        assertThat(engine.json("/api/v1/summary").path("trouble").toString()).contains(refusing);
        assertThat(engine.json("/api/v1/events").toString()).contains("EXTERNAL_VMS_NOT_ADDED");
    }

    @Test
    void aVmIsNotSuspendedWithoutAStoragePool() {
        String vm = engine.json("/api/v1/vms").path("items").path(0).path("id").asString();
        HttpResponse<String> refused = engine.post("/api/v1/vms/" + vm + "/suspend");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("stillwater.commands.storage-pool");
        HttpResponse<String> fault = engine.post("/ovirt-engine/api/vms/" + vm + "/suspend", "{}");
        assertThat(fault.statusCode()).as(fault.body()).isEqualTo(409);
        assertThat(fault.body()).contains("stillwater.commands.storage-pool");
        assertThat(engine.json("/api/v1/vms/" + vm).path("status").asString()).isEqualTo("up");
    }

    @Test
    void thatAHostHasAnOlderAgentIsKept() {
        HttpResponse<String> added =
                engine.post(
                        "/api/v1/hosts",
                        "{\"name\":\"older\",\"address\":\"192.0.2.9\",\"olderAgent\":true}");
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        String path =
                "/api/v1/hosts/" + RunningEngine.JSON.readTree(added.body()).path("id").asString();
        assertThat(engine.json(path).path("olderAgent").asBoolean()).isTrue();
        assertThat(engine.put(path, "{\"olderAgent\":false}").statusCode()).isEqualTo(200);
        assertThat(engine.json(path).path("olderAgent").asBoolean(true)).isFalse();
        assertThat(engine.put(path, "{\"olderAgent\":\"perhaps\"}").statusCode()).isEqualTo(400);
    }
}
