package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** VMs that are changed while they run: the change takes effect at the end of their run. */
@Timeout(240)
class NextRunIT extends ActingOnVms {

    private static final String VMS = "/ovirt-engine/api/vms";
    private static final String VM = VMS + "/" + vm(0);
    private static final String JSON = "?accept=application/json";
    private static final int MEBIBYTES = 1_024;
    private static final long GIBIBYTE = 1L << 30;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < 2; n++) {
                other.definitions().add(vm(n), definition("vm" + n, MEBIBYTES));
            }
        }
        fleet = SimulatedFleet.start(folder, twoHosts(16));
        startEngine();
        done(engine.post(path(0) + "/start"), "run");
    }

    private void restartEngine() {
        engine.awaitWritten();
        engine.close();
        startEngine();
        engine.pollAll(); // so that hosts are connected and report the end of the next operation
    }

    private static void assertShape(JsonNode vm, int gibibytes, int cores, boolean changes) {
        assertThat(vm.path("memory").asLong()).as(vm.toString()).isEqualTo(gibibytes * GIBIBYTE);
        assertThat(vm.path("memory_policy").path("max").asLong()).isEqualTo(gibibytes * GIBIBYTE);
        assertThat(vm.path("cpu").path("topology").path("cores").asInt()).isEqualTo(cores);
        assertThat(vm.path("next_run_configuration_exists").asString())
                .isEqualTo(String.valueOf(changes));
    }

    /** A definition that was changed or not yet read since a start is read in the background. */
    private void assertShown(String path, int gibibytes, int cores, boolean changes) {
        RunningEngine.await(
                () -> {
                    JsonNode vm = engine.json(path);
                    return vm.path("memory_policy").path("max").asLong() == gibibytes * GIBIBYTE
                            && vm.path("next_run_configuration_exists")
                                    .asString()
                                    .equals(String.valueOf(changes));
                },
                () -> engine.json(path).toString());
        assertShape(engine.json(path), gibibytes, cores, changes);
    }

    /** Shown on all interfaces: the running and the next definition. */
    private void assertRunsAsBefore() {
        assertShown(VM + JSON, 1, 1, true);
        assertShown(VM + JSON + "&next_run=true", 3, 4, true);
        JsonNode found = engine.json(VMS + JSON + "&search=next_run_config_exists%3Dtrue");
        assertThat(found.path("vm")).hasSize(1);
        assertShape(found.path("vm").path(0), 1, 1, true);
        assertThat(engine.json(VMS + JSON + "&search=memory%3D3072").path("vm")).isEmpty();
        assertInstalled(1);
    }

    private void assertIsTheNewOne() {
        assertShown(VM + JSON, 3, 4, false);
        assertShown(VM + JSON + "&next_run=true", 3, 4, false);
        assertThat(engine.json(VMS + JSON + "&search=next_run_config_exists%3Dtrue").path("vm"))
                .isEmpty();
        assertInstalled(3);
    }

    private void assertInstalled(int gibibytes) {
        JsonNode statistics = engine.json(VM + "/statistics" + JSON).path("statistic");
        assertThat(number(statistics, "memory.installed")).isEqualTo(gibibytes * GIBIBYTE);
        assertThat(number(statistics, "memory.used")).isLessThanOrEqualTo(gibibytes * GIBIBYTE);
    }

    private static long number(JsonNode statistics, String name) {
        for (JsonNode each : statistics) {
            if (each.path("name").asString().equals(name)) {
                return each.path("values").path("value").path(0).path("datum").asLong();
            }
        }
        throw new AssertionError(name + " is not there");
    }

    @Test
    void changesOfARunningVmApplyToTheNextRun() {
        HttpResponse<String> changed =
                engine.put(
                        VM + JSON + "&next_run=true",
                        "{\"name\": \"renamed\", \"memory\": \"%d\", \"memory_policy\": {\"max\": \"%d\"}, \"cpu\": {\"topology\": {\"cores\": \"4\"}}}"
                                .formatted(3 * GIBIBYTE, 3 * GIBIBYTE));
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertShape(json(changed), 1, 1, true);
        assertThat(json(changed).path("name").asString()).isEqualTo("renamed");
        assertRunsAsBefore();

        done(engine.post(path(0) + "/reboot"), "reboot");
        awaitAdvancing(() -> status(path(0)).equals("up"));
        assertRunsAsBefore();

        restartEngine();
        assertThat(status(path(0))).isEqualTo("up");
        assertRunsAsBefore();

        done(engine.post(path(0) + "/suspend"), "suspend");
        assertThat(status(path(0))).isEqualTo("suspended");
        assertRunsAsBefore();
        done(engine.post(path(0) + "/resume"), "resume");
        awaitAdvancing(() -> status(path(0)).equals("up"));
        assertRunsAsBefore();
        restartEngine();
        assertRunsAsBefore();

        done(engine.post(path(0) + "/stop"), "power_off");
        assertThat(status(path(0))).isEqualTo("down");
        assertIsTheNewOne();
        done(engine.post(path(0) + "/start"), "run");
        assertThat(status(path(0))).isEqualTo("up");
        assertIsTheNewOne();
        restartEngine();
        assertIsTheNewOne();
    }

    @Test
    void aDefinitionThatIsReplacedTakesEffectWithAColdReboot() {
        ObjectNode definition = (ObjectNode) engine.json(path(0) + "/definition");
        definition.put("memoryMebibytes", 3 * MEBIBYTES);
        definition.put("coresPerSocket", 4);
        for (int change = 0; change < 5; change++) {
            definition.put("comment", "change " + change);
            done(engine.put(path(0) + "/definition", definition.toString()), "update_vm");
            assertThat(engine.json(VM + JSON + "&next_run=true").path("comment").asString())
                    .as("a change is shown once its operation has ended")
                    .isEqualTo("change " + change);
        }
        assertRunsAsBefore();
        assertThat(engine.json(path(0) + "/definition").path("memoryMebibytes").asInt())
                .as("a definition is what is stored")
                .isEqualTo(3 * MEBIBYTES);

        definition.put("memoryMebibytes", MEBIBYTES);
        definition.put("coresPerSocket", 1);
        done(engine.put(path(0) + "/definition", definition.toString()), "update_vm");
        assertShown(VM + JSON, 1, 1, false);
        definition.put("memoryMebibytes", 3 * MEBIBYTES);
        definition.put("coresPerSocket", 4);
        done(engine.put(path(0) + "/definition", definition.toString()), "update_vm");
        assertRunsAsBefore();

        done(engine.post(path(0) + "/reboot", "{\"cold\": true}"), "reboot");
        awaitAdvancing(() -> status(path(0)).equals("up"));
        assertIsTheNewOne();
    }

    @Test
    void resourcesOfTheNextRunAreNotTakenYet() {
        ObjectNode definition = (ObjectNode) engine.json(path(0) + "/definition");
        definition.put("memoryMebibytes", 40 * MEBIBYTES * MEBIBYTES);
        definition.put("guaranteedMemoryMebibytes", MEBIBYTES);
        definition.put("coresPerSocket", 600);
        done(engine.put(path(0) + "/definition", definition.toString()), "update_vm");
        for (int round = 0; round < 2; round++) {
            String host = engine.json(path(0)).path("hostId").asString();
            done(engine.post(path(1) + "/start", "{\"host\": \"" + host + "\"}"), "run");
            done(engine.post(path(1) + "/stop"), "power_off");
            done(engine.post(path(0) + "/migrate"), "migrate");
            assertThat(engine.json(path(0)).path("hostId").asString()).isNotEqualTo(host);
        }

        String other =
                created(
                                engine.post(
                                        "/api/v1/clusters",
                                        "{\"name\": \"other\", \"dataCentre\": \"%s\"}"
                                                .formatted(
                                                        engine.json("/api/v1/clusters")
                                                                .path("items")
                                                                .path(0)
                                                                .path("dataCentre")
                                                                .asString())))
                        .path("id")
                        .asString();
        definition.put("memoryMebibytes", MEBIBYTES);
        definition.put("coresPerSocket", 1);
        definition.put("cluster", other);
        HttpResponse<String> refused = engine.put(path(0) + "/definition", definition.toString());
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("The VM is up", "only while it is down");
        done(engine.post(path(0) + "/stop"), "power_off");
        done(engine.put(path(0) + "/definition", definition.toString()), "update_vm");
        assertThat(engine.json(path(0)).path("clusterId").asString()).isEqualTo(other);
    }
}
