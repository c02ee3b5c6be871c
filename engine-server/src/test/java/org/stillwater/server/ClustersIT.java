package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** Clusters, orders to hosts and the health of hosts over the interface of one engine. */
@Timeout(90)
class ClustersIT {

    private static final String CLUSTERS = "/api/v1/clusters";
    private static final String DATA_CENTRES = "/api/v1/data-centres";
    private static final String HOSTS = "/api/v1/hosts";

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(7, 4, 2));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments().stream()
                                .filter(argument -> !argument.contains("hosts[3]"))
                                .toList(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.host-policy.auto-recovery=100ms",
                        "--stillwater.host-policy.slow-answer=1s");
        engine.awaitHostsUp(3);
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static JsonNode created(String path, String body) {
        HttpResponse<String> answer = engine.post(path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        JsonNode made = RunningEngine.JSON.readTree(answer.body());
        assertThat(answer.headers().firstValue("Location"))
                .hasValue(path + "/" + made.path("id").asString());
        return made;
    }

    private static void assertProblem(HttpResponse<String> answer, int status, String detail) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        JsonNode problem = RunningEngine.JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("detail").asString()).contains(detail);
    }

    @Test
    void oneClusterIsThereFromTheBeginningAndHasTheHosts() {
        JsonNode cluster = engine.json(CLUSTERS + "/" + ClusterId.DEFAULT);
        assertThat(cluster.path("name").asString()).isEqualTo("Default");
        assertThat(cluster.path("dataCentre").asString())
                .isEqualTo(DataCentreId.DEFAULT.toString());
        assertThat(cluster.path("hosts").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(cluster.path("compatibilityVersion").isNull()).isTrue();
        assertThat(cluster.path("memory").path("leastFreeMebibytes").asInt()).isEqualTo(1024);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() > 0, () -> "no VM is known");
        JsonNode vm = engine.json("/api/v1/vms?limit=1").path("items").get(0);
        assertThat(vm.path("clusterId").asString()).isEqualTo(ClusterId.DEFAULT.toString());
    }

    @Test
    void aClusterIsReturnedAsSentAndCanBeSentBack() {
        JsonNode dataCentre = created(DATA_CENTRES, "{\"name\": \"north\"}");
        JsonNode cluster =
                created(
                        CLUSTERS,
                        """
                        {"name": "full", "description": "all of it", "dataCentre": "north",
                         "compatibilityVersion": "4.8",
                         "cpuType": {"name": "Haswell", "flags": ["model_Haswell", "nx"],
                                     "since": "4.2", "until": null},
                         "architecture": "x86_64", "machineTypes": ["pc-q35-rhel9.4.0", "q35"],
                         "emulatedMachine": "q35", "rngSources": ["hwrng"], "features": ["f"],
                         "fips": false, "uniformSystem": true, "hostedEngine": false,
                         "networks": [{"name": "ovirtmgmt"},
                                      {"name": "guests", "required": false, "vmNetwork": true}],
                         "migrateOnError": "highly_available",
                         "fencing": {"enabled": true, "mostSilentPercent": 50,
                                     "leaseRespected": true},
                         "memory": {"leastFreeMebibytes": 2048, "mostUsedPercent": 90}}
                        """);
        String path = CLUSTERS + "/" + cluster.path("id").asString();
        assertThat(cluster.path("dataCentre")).isEqualTo(dataCentre.path("id"));
        assertThat(cluster.path("networks").get(1).toString())
                .isEqualTo("{\"name\":\"ovirtmgmt\",\"required\":true,\"vmNetwork\":true}");
        assertThat(engine.json(path)).isEqualTo(cluster);

        HttpResponse<String> same = engine.put(path, cluster.toString());
        assertThat(RunningEngine.JSON.readTree(same.body())).isEqualTo(cluster);

        HttpResponse<String> plain = engine.put(path, "{\"name\": \"plain\"}");
        JsonNode changed = RunningEngine.JSON.readTree(plain.body());
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(changed.path("compatibilityVersion").isNull()).isTrue();
        assertThat(changed.path("networks")).isEmpty();
        assertThat(engine.json(path)).isEqualTo(changed);
        assertThat(engine.json(CLUSTERS).path("items").toString()).contains("\"plain\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]| The body must be a JSON object",
                "{}| name is missing",
                "{\"name\": 7}| name must be text",
                "{\"name\": \"a\\nb\"}| control character",
                "{\"name\": \"x\", \"nmae\": \"y\"}| There is no member nmae here.",
                "{\"name\": \"x\", \"dataCentre\": \"nowhere\"}| There is no data centre nowhere.",
                "{\"name\": \"x\", \"compatibilityVersion\": \"four\"}| such as \"4.8\"",
                "{\"name\": \"x\", \"compatibilityVersion\": 4.8}| compatibilityVersion must be"
                        + " text",
                "{\"name\": \"x\", \"cpuType\": {\"name\": \"c\"}}| at least one flag",
                "{\"name\": \"x\", \"cpuType\": \"c\"}| cpuType must be a JSON object",
                "{\"name\": \"x\", \"cpuType\": {\"flags\": [\"nx\"]}}| cpuType.name is missing",
                "{\"name\": \"x\", \"architecture\": \"z80\"}| not one of aarch64, ppc64, s390x,"
                        + " x86_64",
                "{\"name\": \"x\", \"machineTypes\": [1]}| machineTypes must be a list of texts",
                "{\"name\": \"x\", \"features\": \"f\"}| features must be a list",
                "{\"name\": \"x\", \"fips\": \"no\"}| fips must be true or false",
                "{\"name\": \"x\", \"networks\": [{\"required\": true}]}| networks[0].name is"
                        + " missing",
                "{\"name\": \"x\", \"networks\": [{\"name\": \"n\", \"vlan\": 1}]}|"
                        + " networks[0].vlan",
                "{\"name\": \"x\", \"networks\": [{\"name\": \"n\"}, {\"name\": \"n\"}]}| twice",
                "{\"name\": \"x\", \"migrateOnError\": \"maybe\"}| all, highly_available, none",
                "{\"name\": \"x\", \"fencing\": {\"mostSilentPercent\": 0}}| 1 to 100 %, not 0",
                "{\"name\": \"x\", \"fencing\": {\"mostSilentPercent\": 1.5}}| a whole number",
                "{\"name\": \"x\", \"memory\": {\"mostUsedPercent\": 101}}| 0 to 100 %, not 101",
                "{\"name\": | The body is not the JSON object"
            })
    void aRefusalNamesTheMistakeInACluster(String body, String detail) {
        assertProblem(engine.post(CLUSTERS, body), 400, detail);
        assertProblem(engine.put(CLUSTERS + "/" + ClusterId.DEFAULT, body), 400, detail);
    }

    @Test
    void clusterChangesAreListedSinceARevision() {
        long before = engine.json(CLUSTERS).path("revision").asLong();
        String id =
                created(CLUSTERS, "{\"name\":\"passing\",\"description\":\"a\"}")
                        .path("id")
                        .asString();
        JsonNode first = engine.json(CLUSTERS + "?since=" + before);
        assertThat(first.path("items").findValuesAsString("id")).contains(id);
        assertThat(first.path("removed").toString()).doesNotContain(id);
        long after = first.path("revision").asLong();
        assertThat(after).isGreaterThan(before);
        assertThat(engine.json(CLUSTERS + "?since=" + after).toString()).doesNotContain(id);
        assertThat(
                        engine.json(CLUSTERS + "?name=nonesuch&since=" + before)
                                .path("removed")
                                .toString())
                .contains(id);
        assertThat(engine.delete(CLUSTERS + "/" + id).statusCode()).isEqualTo(204);
        JsonNode gone = engine.json(CLUSTERS + "?since=" + after);
        assertThat(gone.path("items").toString()).doesNotContain(id);
        assertThat(gone.path("removed").toString()).contains(id);
        long last = gone.path("revision").asLong();
        assertThat(engine.json(CLUSTERS + "?since=" + last).toString()).doesNotContain(id);
        assertThat(engine.get(CLUSTERS + "?since=1").statusCode()).isEqualTo(410);
        assertThat(engine.get(CLUSTERS + "?since=" + last + "&cursor=x").statusCode())
                .isEqualTo(400);
    }

    @Test
    void clustersAndDataCentresAreFoundByIdAndTheirNamesAreTheirOwn() {
        String nobody = "00000000-0000-0000-0000-00000000ffff";
        for (String path : new String[] {CLUSTERS, DATA_CENTRES}) {
            assertProblem(engine.get(path + "/" + nobody), 404, nobody);
            assertProblem(engine.get(path + "/x"), 404, " x.");
            assertProblem(engine.put(path + "/" + nobody, "{\"name\": \"x\"}"), 404, nobody);
            assertProblem(engine.post(path, "{\"name\": \"Default\"}"), 409, "already");
            JsonNode other = created(path, "{\"name\": \"other\"}");
            String own = path + "/" + other.path("id").asString();
            assertProblem(engine.put(own, "{\"name\": \"Default\"}"), 409, "already");
            assertProblem(
                    engine.put(own, "{\"name\": \"x\", \"id\": \"" + nobody + "\"}"),
                    400,
                    "id is that of another");
            assertThat(engine.put(own, "{\"name\": \"renamed\"}").statusCode()).isEqualTo(200);
            assertThat(engine.json(own).path("name").asString()).isEqualTo("renamed");
        }
    }

    @Test
    void aHostThatDoesNotFitItsClusterIsNamedWithTheReasonUntilItDoes() {
        JsonNode cluster =
                created(CLUSTERS, "{\"name\": \"picky\", \"compatibilityVersion\": \"9.9\"}");
        String path = CLUSTERS + "/" + cluster.path("id").asString();
        var simulated = fleet.network().hosts().getLast();
        JsonNode host =
                created(
                        HOSTS,
                        """
                        {"name": "picked", "address": "%s", "port": %d, "cluster": "picky"}
                        """
                                .formatted(
                                        simulated.address().getHostString(),
                                        simulated.address().getPort()));
        assertThat(host.path("clusterId")).isEqualTo(cluster.path("id"));
        JsonNode item = awaitTrouble("picked", "non_operational");
        assertThat(item.path("status").asString()).isEqualTo("non_operational");
        assertThat(item.path("why").asString()).contains("compatibility version");
        assertThat(Instant.parse(item.path("since").asString()))
                .isEqualTo(engine.monitoring().fleet().hostNamed("picked").state().since());
        assertThat(engine.json(path).path("hosts").asInt()).isEqualTo(1);

        assertThat(engine.put(path, "{\"name\": \"picky\"}").statusCode()).isEqualTo(200);
        RunningEngine.await(
                () -> status(host).equals("up"), () -> engine.json(hostPath(host)).toString());
        assertThat(engine.post(hostPath(host) + "/refresh").statusCode()).isEqualTo(202);
        RunningEngine.await(
                () -> engine.json(hostPath(host)).path("vms").asInt() == 2,
                () -> engine.json(hostPath(host)).toString());
        String vms = "/api/v1/vms?host=" + host.path("id").asString();
        assertThat(engine.json(vms).path("items").get(0).path("clusterId"))
                .isEqualTo(cluster.path("id"));
        HttpResponse<String> draining = engine.post(hostPath(host) + "/maintenance");
        assertThat(draining.body()).contains("preparing_for_maintenance");
        assertThat(awaitTrouble("picked", "draining").path("status").asString())
                .isEqualTo("preparing_for_maintenance");
        assertProblem(engine.delete(hostPath(host)), 409, "preparing_for_maintenance");
    }

    @Test
    void aHostIsTakenOutOfServiceBroughtBackAndRemoved() {
        // No server listens there.
        JsonNode host =
                created(HOSTS, "{\"name\": \"absent\", \"address\": \"127.0.0.1\", \"port\": 1}");
        String path = hostPath(host);
        JsonNode silent = awaitTrouble("absent", "silent");
        assertThat(silent.path("why").asString()).contains("unreachable");
        assertProblem(engine.delete(path), 409, "maintenance");

        assertProblem(engine.post(path + "/maintenance", "{\"why\": \"x\"}"), 400, "member why");
        HttpResponse<String> answer =
                engine.post(path + "/maintenance", "{\"reason\": \"new disks\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(RunningEngine.JSON.readTree(answer.body()).path("status").asString())
                .isEqualTo("maintenance");
        assertThat(engine.json(path).path("reason").asString()).isEqualTo("new disks");
        assertProblem(engine.post(path + "/maintenance"), 409, "The host is maintenance");
        assertThat(condition("absent")).as("left alone is no trouble").isNull();

        assertThat(engine.post(path + "/activate").statusCode()).isEqualTo(200);
        awaitTrouble("absent", "silent");
        assertProblem(engine.post(path + "/activate", "[1]"), 400, "JSON object");

        assertThat(engine.post(path + "/maintenance").statusCode()).isEqualTo(200);
        assertThat(engine.delete(path).statusCode()).isEqualTo(204);
        assertProblem(engine.get(path), 404, host.path("id").asString());
        for (String action : new String[] {"/activate", "/maintenance", "/refresh"}) {
            assertProblem(engine.post(path + action), 404, host.path("id").asString());
        }
        assertProblem(engine.delete(path), 404, host.path("id").asString());
        assertThat(condition("absent")).isNull();
    }

    @Test
    void aHostChangesItsClusterOutOfServiceAndAnEmptyClusterIsRemoved() {
        String blue =
                CLUSTERS + "/" + created(CLUSTERS, "{\"name\": \"blue\"}").path("id").asString();
        JsonNode host =
                created(HOSTS, "{\"name\": \"mover\", \"address\": \"127.0.0.1\", \"port\": 1}");
        String path = hostPath(host);
        assertThat(host.path("powerManagement").asBoolean()).isFalse();
        awaitTrouble("mover", "silent");
        assertProblem(engine.put(path, "{\"cluster\": \"blue\"}"), 409, "maintenance before");
        assertThat(engine.post(path + "/maintenance").statusCode()).isEqualTo(200);

        HttpResponse<String> moved =
                engine.put(path, "{\"cluster\": \"blue\", \"powerManagement\": true}");
        assertThat(moved.statusCode()).as(moved.body()).isEqualTo(200);
        assertThat(RunningEngine.JSON.readTree(moved.body()).path("powerManagement").asBoolean())
                .isTrue();
        RunningEngine.await(
                () -> blue.endsWith(engine.json(path).path("clusterId").asString()),
                () -> "the host's monitor does not follow: " + engine.json(path));
        assertProblem(engine.delete(blue), 409, "1 hosts and 0 VMs belong to it");
        assertProblem(engine.delete(CLUSTERS + "/" + ClusterId.DEFAULT), 409, "name no other");

        assertThat(engine.delete(path).statusCode()).isEqualTo(204);
        assertThat(engine.delete(blue).statusCode()).isEqualTo(204);
        assertProblem(engine.delete(blue), 404, "There is no cluster");
    }

    @Test
    void aHostOnWhichVmsRunIsNotRemoved() {
        JsonNode host = engine.json(HOSTS).path("items").get(0);
        assertProblem(engine.delete(hostPath(host)), 409, "The host is up");
        assertProblem(engine.post(hostPath(host) + "/activate"), 409, "The host is up");
        assertThat(status(host)).isEqualTo("up");
    }

    @Test
    void aHostNeedsAClusterThatIsThere() {
        assertProblem(
                engine.post(
                        HOSTS,
                        "{\"name\": \"x\", \"address\": \"192.0.2.1\", \"cluster\": \"nowhere\"}"),
                400,
                "There is no cluster nowhere.");
    }

    @Test
    void aSlowHostIsNotSilent() {
        String name = fleet.network().hosts().getFirst().host().value();
        fleet.network()
                .faults()
                .add(
                        FaultSpec.of(FaultKind.LATENCY)
                                .withHost(name)
                                .withDelay(Duration.ofSeconds(2), Duration.ofSeconds(2)));
        JsonNode item = awaitTrouble(name, "slow");
        assertThat(item.path("status").asString()).isEqualTo("up");
        assertThat(item.path("why").asString()).contains("ms");
        JsonNode health = engine.json("/api/v1/health/hosts");
        assertThat(health.path("counts").path("slow").asLong())
                .as("a busy machine may make others slow, too: %s", health)
                .isPositive()
                .isEqualTo(
                        health.path("items")
                                .valueStream()
                                .filter(each -> each.path("condition").asString().equals("slow"))
                                .count());
        assertThat(health.path("counts").path("well").isInt()).isTrue();
        fleet.network().faults().clear();
        RunningEngine.await(
                () -> condition(name) == null, () -> engine.get("/api/v1/health/hosts").body());
    }

    private static String hostPath(JsonNode host) {
        return HOSTS + "/" + host.path("id").asString();
    }

    private static String status(JsonNode host) {
        return engine.json(hostPath(host)).path("status").asString();
    }

    private static JsonNode condition(String name) {
        for (JsonNode item : engine.json("/api/v1/health/hosts").path("items")) {
            if (item.path("name").asString().equals(name)) {
                return item;
            }
        }
        return null;
    }

    /** The host as it was listed with this trouble; a moment later it may be another one. */
    private static JsonNode awaitTrouble(String name, String trouble) {
        AtomicReference<JsonNode> found = new AtomicReference<>();
        RunningEngine.await(
                () -> {
                    JsonNode item = condition(name);
                    found.set(item);
                    return item != null && item.path("condition").asString().equals(trouble);
                },
                () -> engine.get("/api/v1/health/hosts").body());
        return found.get();
    }
}
