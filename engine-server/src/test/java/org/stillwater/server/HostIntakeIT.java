package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.id.ClusterId;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.worker.WorkerHealth;
import tools.jackson.databind.JsonNode;

/**
 * One of two hosts gives no definitions of its VMs, and no storage pool is configured. A XAPI pool
 * is beside them.
 */
@Timeout(300)
class HostIntakeIT {

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static String refusing;
    private static final int POOL_VMS = 10;
    private static SimulatedPool pool;

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
        pool = SimulatedPool.start("127.13.1", 2, POOL_VMS);
        List<String> arguments = new ArrayList<>(fleet.engineArguments());
        arguments.addAll(pool.engineArguments("xcp"));
        engine =
                RunningEngine.start(
                        database,
                        arguments,
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.commands.storage-pool=",
                        "--stillwater.commands.longest-retry=500ms",
                        "--stillwater.data-folder=" + folder.resolve("data"));
        engine.awaitHostsUp(4);
        RunningEngine.await(
                () -> engine.json("/api/v1/vms").path("total").asInt() == 2 + POOL_VMS,
                () -> engine.json("/api/v1/vms").toString());
    }

    @AfterAll
    static void stop() {
        engine.close();
        pool.close();
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
    void aHostWithRefusedVmsIsInTrouble() {
        RunningEngine.await(
                () -> {
                    JsonNode trouble = trouble();
                    return trouble != null
                            && trouble.path("condition").asString().equals("intake_failed")
                            && trouble.path("why").asString().contains("2")
                            && trouble.path("why").asString().contains("General Exception");
                },
                () -> String.valueOf(trouble()));
        RunningEngine.await(
                () -> engine.json("/api/v1/summary").path("trouble").toString().contains(refusing),
                () -> engine.json("/api/v1/summary").toString());
        assertThat(
                        engine.json("/api/v1/events?event=EXTERNAL_VMS_NOT_ADDED")
                                .path("items")
                                .findValuesAsString("event"))
                .isNotEmpty();
    }

    @Test
    void aVmIsNotSuspendedWithoutAStoragePool() {
        String vm =
                engine.json("/api/v1/vms?cluster=Default")
                        .path("items")
                        .path(0)
                        .path("id")
                        .asString();
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

    private static JsonNode vm(String id) {
        return engine.json("/api/v1/vms/" + id);
    }

    private static void awaitStatus(String id, String status) {
        RunningEngine.await(
                () -> vm(id).path("status").asString().equals(status), () -> vm(id).toString());
    }

    @Test
    @DisplayName("X58 hosts and VMs of a pool stand beside VDSM's in lists, filters and clusters")
    void aPoolIsACluster() {
        JsonNode tagged = engine.json("/api/v1/vms?tag=xcp:prod&fields=id,tags").path("items");
        assertThat(tagged.size()).as(tagged.toString()).isBetween(1, POOL_VMS - 1);
        assertThat(tagged).allMatch(vm -> vm.path("tags").toString().contains("\"xcp:prod\""));
        assertThat(engine.json("/api/v1/tags").path("items").findValuesAsString("source"))
                .containsExactly("xcp");
        JsonNode cluster = engine.json("/api/v1/clusters?name=xcp").path("items").path(0);
        assertThat(cluster.path("id").asString()).isEqualTo(pool.uuid());
        assertThat(cluster.path("hypervisor").asString()).isEqualTo("xapi");
        assertThat(cluster.path("hosts").asInt()).isEqualTo(2);
        JsonNode vms =
                engine.json("/api/v1/vms?cluster=xcp&fields=id,name,status,hypervisor,hostName");
        assertThat(vms.path("items").size()).as(vms.toString()).isEqualTo(POOL_VMS);
        for (JsonNode each : vms.path("items")) {
            assertThat(each.path("hypervisor").asString()).isEqualTo("xapi");
            RunningEngine.await(
                    () ->
                            vm(each.path("id").asString())
                                    .path("status")
                                    .asString()
                                    .equals(pool.status(each.path("id").asString())),
                    () -> vm(each.path("id").asString()).toString());
        }
        assertThat(
                        engine.json("/api/v1/vms?cluster=Default&fields=hypervisor")
                                .path("items")
                                .findValuesAsString("hypervisor"))
                .containsOnly("vdsm");
        String xcp = "/api/v1/hosts?cluster=xcp&fields=name,status,hypervisor";
        RunningEngine.await(
                () ->
                        engine.json(xcp).path("items").findValuesAsString("status").stream()
                                .allMatch("up"::equals),
                () -> engine.json(xcp).toString());
        JsonNode hosts = engine.json(xcp);
        assertThat(hosts.path("items").findValuesAsString("hypervisor")).containsOnly("xapi");
        for (String kind : List.of("vms", "hosts")) {
            JsonNode found =
                    engine.json("/api/v1/" + kind + "?hypervisor=xapi&fields=id,hypervisor");
            assertThat(found.path("items").findValuesAsString("id"))
                    .containsExactlyInAnyOrderElementsOf(
                            engine.json("/api/v1/" + kind + "?cluster=xcp&fields=id")
                                    .path("items")
                                    .findValuesAsString("id"))
                    .isNotEmpty();
            JsonNode one = found.path("items").path(0);
            assertThat(
                            engine.json("/api/v1/" + kind + "/" + one.path("id").asString())
                                    .path("hypervisor")
                                    .asString())
                    .isEqualTo("xapi");
            JsonNode others = engine.json("/api/v1/" + kind + "?hypervisor=vdsm&fields=hypervisor");
            assertThat(others.path("items").findValuesAsString("hypervisor")).containsOnly("vdsm");
            HttpResponse<String> refused = engine.get("/api/v1/" + kind + "?hypervisor=kvm");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("vdsm, xapi");
        }
        assertThat(engine.get("/actuator/health/xapi").body())
                .contains("xcp", "hosts: 2, VMs: " + POOL_VMS)
                .containsPattern("templates: [1-9]\\d*, snapshots: 0, control domains: 2,")
                .containsPattern("last answer \\d+ s ago");
        assertThat(engine.monitoring().workers().health())
                .filteredOn(worker -> worker.condition() == WorkerHealth.Condition.WELL)
                .extracting(WorkerHealth::name)
                .contains("xapi-inventory", "xapi-watch-xcp-state", "xapi-watch-xcp-tasks");
    }

    @Test
    void onlyThePoolAddsAndRemovesHostsAndVmsOfItsCluster() {
        HttpResponse<String> host =
                engine.post(
                        "/api/v1/hosts",
                        "{\"name\":\"foreign\",\"address\":\"192.0.2.8\",\"cluster\":\"xcp\"}");
        assertThat(host.statusCode()).as(host.body()).isEqualTo(409);
        assertThat(host.body()).contains("add the host to the pool");
        HttpResponse<String> vm =
                engine.post(
                        "/api/v1/vms",
                        "{\"name\":\"foreign\",\"memoryMebibytes\":256,\"cluster\":\"xcp\"}");
        assertThat(vm.statusCode()).as(vm.body()).isEqualTo(409);
        assertThat(vm.body()).contains("add the VM to the pool");
        String path = "/api/v1/vms/" + pool.vm("Running") + "/definition";
        HttpResponse<String> moved =
                engine.put(
                        path,
                        engine.get(path).body().replace(pool.uuid(), ClusterId.DEFAULT.toString()));
        assertThat(moved.statusCode()).as(moved.body()).isEqualTo(409);
        assertThat(moved.body()).contains("one of a XAPI pool");
        String resting = pool.vm("Running");
        pool.order(resting, "clean_shutdown");
        pool.advance();
        awaitStatus(resting, "down");
        HttpResponse<String> removed = engine.delete("/api/v1/vms/" + resting);
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(409);
        assertThat(removed.body()).contains("delete it there");
        assertThat(vm(resting).path("status").asString()).isEqualTo("down");
        pool.order(resting, "start");
        pool.advance();
        awaitStatus(resting, "up");
    }

    @Test
    @DisplayName("X58 a VM of a pool is followed through stop, start, rename and migration")
    void aVmOfAPoolIsFollowed() {
        String id = pool.vm("Running");
        awaitStatus(id, "up");
        pool.order(id, "rename", "name", "renamed");
        RunningEngine.await(
                () -> vm(id).path("name").asString().equals("renamed"), () -> vm(id).toString());
        String from = vm(id).path("hostId").asString();
        String to = pool.otherHost(from);
        pool.order(id, "migrate", "host", to);
        awaitStatus(id, "migrating_from");
        pool.advance();
        RunningEngine.await(
                () -> vm(id).path("hostId").asString().equals(to), () -> vm(id).toString());
        awaitStatus(id, "up");
        pool.order(id, "clean_shutdown");
        awaitStatus(id, "powering_down");
        pool.advance();
        awaitStatus(id, "down");
        assertThat(vm(id).path("hostId").isNull()).isTrue();
        pool.order(id, "start");
        pool.advance();
        awaitStatus(id, "up");
        String statistics = "/api/v1/vms/" + id + "/statistics";
        RunningEngine.await(
                () -> engine.json(statistics).path("elapsedSeconds").isNumber(),
                () -> engine.json(statistics).toString());
    }

    @Test
    @DisplayName("X41, X42 a command on a VM of a pool is an operation that the pool carries out")
    void commandsReachThePool() {
        String id = pool.vm("Running");
        awaitStatus(id, "up");
        assertThat(taken("/api/v1/vms/" + id + "/pause", "{}")).contains("\"pause\"");
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return vm(id).path("status").asString().equals("paused");
                },
                () -> vm(id).toString());
        HttpResponse<String> again = engine.post("/api/v1/vms/" + id + "/pause");
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        String halted = pool.vm("Halted");
        awaitStatus(halted, "down");
        assertThat(taken("/api/v1/vms/" + halted + "/start", "{}")).contains("\"run\"");
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return vm(halted).path("status").asString().equals("up");
                },
                () -> vm(halted) + "\n" + engine.json("/api/v1/operations"));
    }

    /**
     * The answer to a command; the engine stores a VM, and learns its allowed operations, a little
     * after it shows it.
     */
    private static String taken(String path, String body) {
        List<HttpResponse<String>> answers = new ArrayList<>();
        RunningEngine.await(
                () -> {
                    answers.add(engine.post(path, body));
                    return answers.getLast().statusCode() == 202;
                },
                () -> path + " " + answers.getLast().body());
        return answers.getLast().body();
    }

    /** The path of the operation that a command becomes. */
    private static String operationOf(String path, String body) {
        return "/api/v1/operations/"
                + RunningEngine.JSON.readTree(taken(path, body)).path("id").asString();
    }

    /** Takes a command to its end while the pool's time goes on; the operation as it ended. */
    private static JsonNode carriedOut(String path, String body) {
        String operation = operationOf(path, body);
        RunningEngine.await(
                () -> {
                    JsonNode now = engine.json(operation);
                    // A reboot takes longer than the answer to its order.
                    if (!now.path("kind").asString().equals("reboot")
                            || now.path("step").asString().startsWith("waits until")) {
                        pool.advance();
                    }
                    return now.path("endedAt").isString();
                },
                () -> engine.json(operation).toString());
        return engine.json(operation);
    }

    private static void succeeds(String vm, String action, String body) {
        JsonNode ended = carriedOut("/api/v1/vms/" + vm + "/" + action, body);
        assertThat(ended.path("state").asString()).as(ended.toString()).isEqualTo("succeeded");
    }

    /** A VM of the pool that runs, in the engine as in the pool, with its agent; none is paused. */
    private static String runningVm() {
        pool.unpauseAll();
        pool.advance();
        String id = pool.vm("Running");
        pool.advance();
        awaitStatus(id, "up");
        return id;
    }

    @Test
    @Tag("full")
    @DisplayName(
            "X41 shut down, start on a host, reboot, suspend, resume and migrate a VM of a pool")
    void everyCommandReachesThePool() {
        String id = runningVm();
        succeeds(id, "shutdown", "{}");
        assertThat(pool.status(id)).isEqualTo("down");
        String host =
                pool.otherHost(
                        engine.json("/api/v1/hosts?cluster=xcp")
                                .path("items")
                                .path(0)
                                .path("id")
                                .asString());
        succeeds(id, "start", "{\"host\":\"" + host + "\"}");
        assertThat(pool.status(id)).isEqualTo("up");
        assertThat(pool.hostOf(id)).isEqualTo(host);
        pool.advance(); // its agent reports
        long domain = pool.domain(id);
        succeeds(id, "reboot", "{}");
        pool.advance();
        assertThat(pool.domain(id)).isNotEqualTo(domain);
        pool.advance(); // its agent reports
        awaitStatus(id, "up");
        succeeds(id, "suspend", "{}");
        assertThat(pool.status(id)).isEqualTo("suspended");
        awaitStatus(id, "suspended");
        succeeds(id, "resume", "{}");
        assertThat(pool.status(id)).isEqualTo("up");
        pool.advance();
        String to = pool.otherHost(pool.hostOf(id));
        succeeds(id, "migrate", "{\"host\":\"" + to + "\"}");
        assertThat(pool.hostOf(id)).isEqualTo(to);
        succeeds(id, "pause", "{}");
        succeeds(id, "resume", "{}");
        pool.failNext("Async.VM.suspend", "VM_BAD_POWER_STATE OpaqueRef:1 running paused");
        JsonNode race = carriedOut("/api/v1/vms/" + id + "/suspend", "{}");
        assertThat(race.path("state").asString()).as(race.toString()).isEqualTo("failed");
        assertThat(race.toString()).contains("expected running, found paused");
    }

    @Test
    @DisplayName("X41 a suspended VM of a pool is powered off by its pool")
    void aSuspendedVmIsPoweredOff() {
        String id = runningVm();
        succeeds(id, "suspend", "{}");
        awaitStatus(id, "suspended");
        pool.failNext("Async.VM.hard_shutdown", "VM_LACKS_FEATURE OpaqueRef:1");
        JsonNode refused = carriedOut("/api/v1/vms/" + id + "/stop", "{}");
        assertThat(refused.path("state").asString()).as(refused.toString()).isEqualTo("failed");
        assertThat(refused.toString()).contains("VM_LACKS_FEATURE");
        assertThat(engine.json("/api/v1/vms/" + id).path("status").asString())
                .isEqualTo("suspended");
        assertThat(pool.status(id)).isEqualTo("suspended");

        succeeds(id, "stop", "{}");
        assertThat(pool.status(id)).isEqualTo("down");
        awaitStatus(id, "down");
        succeeds(id, "start", "{}");
        assertThat(pool.status(id)).isEqualTo("up");
    }

    @Test
    @Tag("full")
    @DisplayName("X45 a migration of a VM of a pool shows its progress, and can be cancelled")
    void aMigrationIsCancelled() {
        String id = runningVm();
        String from = pool.hostOf(id);
        String path = "/api/v1/vms/" + id;
        String to = pool.otherHost(from);
        String migration = operationOf(path + "/migrate", "{\"host\":\"" + to + "\"}");
        RunningEngine.await(() -> pool.isMigrating(id), () -> engine.json(migration).toString());
        pool.advance(Duration.ofMillis(2_100)); // half of its time
        RunningEngine.await(
                () -> engine.json(migration).path("progress").asInt() == 50,
                () -> engine.json(migration).toString());
        String cancellation = operationOf(path + "/cancel-migration", "{}");
        RunningEngine.await(
                () -> engine.json(cancellation).path("step").asString().startsWith("waits for"),
                () -> engine.json(cancellation).toString());
        pool.advance(Duration.ofMillis(300));
        RunningEngine.await(
                () ->
                        engine.json(cancellation).path("endedAt").isString()
                                && engine.json(migration).path("endedAt").isString(),
                () -> engine.json("/api/v1/operations").toString());
        assertThat(engine.json(cancellation).path("state").asString()).isEqualTo("succeeded");
        assertThat(engine.json(migration).path("state").asString()).isEqualTo("cancelled");
        pool.advance();
        awaitStatus(id, "up");
        assertThat(pool.hostOf(id)).isEqualTo(from);
    }

    private static void awaitHost(String id, String status) {
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return engine.json("/api/v1/hosts/" + id)
                            .path("status")
                            .asString()
                            .equals(status);
                },
                () ->
                        engine.json("/api/v1/hosts/" + id)
                                + "\n"
                                + engine.json("/api/v1/operations"));
    }

    /** An order that its pool answers as time goes on. */
    private static HttpResponse<String> order(String path, String body) {
        CompletableFuture<HttpResponse<String>> answer =
                CompletableFuture.supplyAsync(() -> engine.post(path, body));
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return answer.isDone();
                },
                () -> path);
        return answer.join();
    }

    @Test
    @Tag("full")
    @DisplayName("X41 maintenance disables and evacuates a host of a pool; activation enables it")
    void maintenanceOfAPoolsHost() {
        String vm = runningVm();
        String host = pool.hostOf(vm);
        pool.failNext("Async.host.disable", "HA_OPERATION_WOULD_BREAK_FAILOVER_PLAN");
        HttpResponse<String> refused = order("/api/v1/hosts/" + host + "/maintenance", "{}");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("HA_OPERATION_WOULD_BREAK_FAILOVER_PLAN");
        assertThat(pool.isEnabled(host)).isTrue();
        HttpResponse<String> taken = order("/api/v1/hosts/" + host + "/maintenance", "{}");
        assertThat(taken.statusCode()).as(taken.body()).isIn(200, 202);
        awaitHost(host, "maintenance");
        assertThat(pool.isEnabled(host)).isFalse();
        assertThat(pool.guests(host)).isZero();
        awaitStatus(vm, "up");
        assertThat(engine.json("/api/v1/operations").toString()).contains("drain");
        HttpResponse<String> activated =
                order("/ovirt-engine/api/hosts/" + host + "/activate", "{}");
        assertThat(activated.statusCode()).as(activated.body()).isEqualTo(200);
        assertThat(pool.isEnabled(host)).isTrue();
        awaitHost(host, "up");
        pool.failNext("Async.host.evacuate", "VM_MISSING_PV_DRIVERS OpaqueRef:1"); // asked again
        HttpResponse<String> again = order("/ovirt-engine/api/hosts/" + host + "/deactivate", "{}");
        assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
        awaitHost(host, "maintenance");
        assertThat(pool.isEnabled(host)).isFalse();
        assertThat(order("/api/v1/hosts/" + host + "/activate", "{}").statusCode()).isEqualTo(200);
        awaitHost(host, "up");
    }

    @Test
    @DisplayName("X38 a message of a pool becomes one audit event")
    void aMessageBecomesAnEvent() {
        pool.message("VM_CRASHED", "the guest is gone");
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/events")
                                .toString()
                                .contains("VM_CRASHED: the guest is gone"),
                () -> engine.json("/api/v1/events").toString());
    }
}
