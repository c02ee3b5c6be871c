package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** The world of {@code ./stillwater demo} has room for what a newcomer tries in it. */
@Timeout(600)
class DemoRoomIT extends ActingOnVms {

    private static final int HOSTS = 5;
    private static final int VMS_PER_HOST = 20;
    private static final int SOME = 50;

    /** What the launcher gives hosts of so many VMs; its own test has the same number. */
    private static final int HOST_MEBIBYTES = 327_680;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        fleet =
                SimulatedFleet.start(
                        folder,
                        WorldSettings.of(1, HOSTS, VMS_PER_HOST).withHostMemory(HOST_MEBIBYTES));
        startEngine();
        awaitFaster(() -> up().size() == HOSTS * VMS_PER_HOST);
    }

    private List<String> up() {
        List<String> ids = new ArrayList<>();
        for (JsonNode vm :
                engine.json("/api/v1/vms?limit=1000&fields=id&status=up").path("items")) {
            ids.add(vm.path("id").asString());
        }
        return ids;
    }

    /** As {@link #awaitAdvancing}, with more of the hosts' time at once. */
    private void awaitFaster(BooleanSupplier holds) {
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofSeconds(2));
                    return holds.getAsBoolean();
                },
                () -> engine.get("/api/v1/operations?limit=3").body());
    }

    private void all(String action, List<String> vms) {
        String ids = "\"" + String.join("\",\"", vms) + "\"";
        HttpResponse<String> answer =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"%s\", \"vms\": [%s]}".formatted(action, ids));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        String batch = "/api/v1/batches/" + json(answer).path("id").asString();
        awaitFaster(() -> engine.json(batch + "?limit=1").path("batch").path("ended").asBoolean());
        JsonNode end = engine.json(batch + "?limit=1000");
        assertThat(end.path("batch").path("counts").path("succeeded").asInt())
                .as(action + ": " + end)
                .isEqualTo(vms.size());
    }

    @Test
    void migrationsADrainAndRestartsSucceed() {
        assertThat(committedPercent()).isLessThanOrEqualTo(60);
        List<String> some = up().subList(0, SOME);
        all("migrate", some);

        String host = hosts().get(0).path("id").asString();
        HttpResponse<String> drain = engine.post("/api/v1/hosts/" + host + "/maintenance", "{}");
        assertThat(drain.statusCode()).as(drain.body()).isIn(200, 202);
        awaitFaster(() -> status("/api/v1/hosts/" + host).equals("maintenance"));
        assertThat(engine.json("/api/v1/vms?total=true&host=" + host).path("total").asInt())
                .isZero();
        assertThat(engine.post("/api/v1/hosts/" + host + "/activate", "{}").statusCode())
                .isIn(200, 202);
        awaitFaster(() -> status("/api/v1/hosts/" + host).equals("up"));

        all("shutdown", some);
        assertThat(up()).hasSize(HOSTS * VMS_PER_HOST - SOME);
        all("start", some);
        awaitFaster(() -> up().size() == HOSTS * VMS_PER_HOST);
    }

    private JsonNode hosts() {
        return engine.json("/api/v1/hosts").path("items");
    }

    private double committedPercent() {
        double committed = 0;
        double physical = 0;
        for (JsonNode host : hosts()) {
            committed += host.path("committedMemoryMebibytes").asDouble();
            physical +=
                    engine.json("/api/v1/hosts/" + host.path("id").asString())
                            .path("capabilities")
                            .path("memory")
                            .path("physicalMebibytes")
                            .asDouble();
        }
        assertThat(physical).isPositive();
        return 100 * committed / physical;
    }
}
