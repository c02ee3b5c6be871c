package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import tools.jackson.databind.JsonNode;

/**
 * VMs acted on over REST: real sockets, TLS and PostgreSQL, two hosts of 16 GiB. All tests share
 * them; each acts on VMs of its own.
 */
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsIT extends ActingOnVms {

    /** The first of them start together, the others one by one. */
    private static final int TOGETHER = 30;

    private static final int VMS = 50;
    private static final int MEBIBYTES = 256;

    /** A storage domain of the simulated hosts. */
    private static final UUID LEASES = UUID.fromString("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6");

    private static final VmId HUGE = new VmId(1, 99);

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < VMS; n++) {
                other.definitions().add(vm(n), definition("vm" + n, MEBIBYTES));
            }
            other.definitions().add(HUGE, definition("huge", 40 * 1024));
        }
        fleet = SimulatedFleet.start(folder, twoHosts(16));
        startEngine();
    }

    @Override
    @AfterAll
    void stop() {
        super.stop();
    }

    /** Leases on storage that the engine knows of. */
    private List<VmLease> leases() throws StoreUnavailable {
        try (Database other = database.open()) {
            return other.definitions().loadLeases();
        }
    }

    @Test
    void aVmWithALeaseIsStartedWithItAndLosesItAtTheEnd() throws Exception {
        HttpResponse<String> asked =
                engine.post(
                        "/api/v1/vms",
                        "{\"name\": \"leased\", \"memoryMebibytes\": 256, \"leaseStorageDomain\": \"%s\"}"
                                .formatted(LEASES));
        UUID vm = UUID.fromString(done(asked, "add_vm").path("vmId").asString());
        String path = "/api/v1/vms/" + vm;
        done(engine.post(path + "/start"), "run");
        assertThat(leases())
                .singleElement()
                .satisfies(lease -> {
                    assertThat(lease.vm()).isEqualTo(VmId.of(vm));
                    assertThat(lease.place())
                            .isEqualTo(new VmLease.Place("/dev/" + LEASES + "/xleases", 3L << 20));
                    assertThat(lease.run()).isEqualTo(1);
                });
        done(engine.post(path + "/suspend"), "suspend");
        done(engine.post(path + "/resume"), "resume");
        assertThat(leases()).extracting(VmLease::run).containsExactly(2L);
        done(engine.post(path + "/stop"), "power_off");
        done(engine.delete(path), "remove_vm");
        awaitAdvancing(() -> {
            try {
                return leases().isEmpty();
            } catch (StoreUnavailable e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void aVmLivesItsLife() {
        String vm = path(40);
        JsonNode started = done(engine.post(vm + "/start"), "run");
        assertThat(started.path("explanation").asString()).contains("is placed on");
        assertThat(status(path(40))).isEqualTo("up");
        String first = engine.json(vm).path("hostId").asString();

        HttpResponse<String> ticket = engine.post(vm + "/console-ticket", "{\"seconds\": 60}");
        assertThat(ticket.statusCode()).as(ticket.body()).isEqualTo(202);
        JsonNode told = RunningEngine.JSON.readTree(ticket.body());
        String password = told.path("password").asString();
        assertThat(password).hasSize(8);
        String id = told.path("operation").path("id").asString();
        JsonNode opened = ended(id);
        assertThat(opened.path("state").asString()).as(opened.toString()).isEqualTo("succeeded");
        assertThat(opened.toString()).doesNotContain(password);

        done(engine.post(vm + "/migrate"), "migrate");
        assertThat(engine.json(vm).path("hostId").asString()).isNotEqualTo(first);
        done(engine.post(vm + "/pause"), "pause");
        assertThat(status(path(40))).isEqualTo("paused");
        done(engine.post(vm + "/resume"), "resume");
        awaitAdvancing(() -> status(path(40)).equals("up")); // its guest may still be starting
        done(engine.post(vm + "/suspend"), "suspend");
        assertThat(status(path(40))).isEqualTo("suspended");
        done(engine.post(vm + "/resume"), "resume");
        awaitAdvancing(() -> status(path(40)).equals("up")); // its guest may still be starting
        done(engine.post(vm + "/reset"), "reset");
        done(engine.post(vm + "/shutdown", "{\"message\": \"bye\"}"), "shutdown");
        assertThat(status(path(40))).isEqualTo("down");
        assertThat(engine.json("/api/v1/operations?vm=" + vm(40)).path("items")).hasSize(9);
        assertThat(engine.json("/api/v1/operations?vm=" + vm(40) + "&kind=resume").path("items"))
                .hasSize(2);
    }

    @Test
    void aVmIsAddedChangedRunAndRemoved() {
        HttpResponse<String> asked =
                engine.post(
                        "/api/v1/vms",
                        "{\"name\": \"web\", \"memoryMebibytes\": 512, \"highlyAvailable\": true,"
                                + " \"priority\": 7, \"interfaces\": [{}], \"consoles\":"
                                + " [{\"protocol\": \"vnc\"}], \"disks\": [{\"place\": {\"kind\":"
                                + " \"file\", \"path\": \"/images/web\"}}]}");
        String vm = "/api/v1/vms/" + done(asked, "add_vm").path("vmId").asString();
        JsonNode definition = engine.json(vm + "/definition");
        assertThat(definition.path("interfaces").get(0).path("mac").asString())
                .startsWith("56:6f:");
        assertThat(definition.path("priority").asInt()).isEqualTo(7);
        assertThat(engine.json(vm).path("status").asString()).isEqualTo("down");

        String changed =
                definition.toString().replace("\"memoryMebibytes\":512", "\"memoryMebibytes\":768");
        done(engine.put(vm + "/definition", changed), "update_vm");
        assertThat(engine.json(vm).path("memoryMebibytes").asInt()).isEqualTo(768);
        assertThat(engine.json(vm + "/definition").path("disks"))
                .isEqualTo(definition.path("disks"));

        done(engine.post(vm + "/start"), "run");
        assertProblem(engine.delete(vm), 409, "only a VM that is down can be removed");
        done(engine.post(vm + "/stop"), "power_off");
        done(engine.delete(vm), "remove_vm");
        assertProblem(engine.get(vm), 404, "");
        assertProblem(engine.get(vm + "/definition"), 404, "");
    }

    @Test
    void manyAreStartedInOnePassAndFollowed() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int n = 0; n < TOGETHER; n++) {
            ids.add("\"" + vm(n) + "\"");
        }
        ids.add("\"" + NOBODY + "\"");
        JsonNode operations = engine.json("/api/v1/operations").path("items");
        double passes = engine.count("stillwater.placement.passes");
        HttpResponse<String> dry =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"start\", \"vms\": [%s], \"dryRun\": true}"
                                .formatted(String.join(",", ids)));
        assertThat(dry.statusCode()).as(dry.body()).isEqualTo(200);
        JsonNode checked = RunningEngine.JSON.readTree(dry.body());
        assertThat(checked.path("id").isNull()).isTrue();
        assertThat(checked.path("accepted").asInt()).isEqualTo(30);
        assertThat(checked.path("refused").asInt()).isEqualTo(1);
        assertThat(checked.path("items").get(30).path("problem").path("status").asInt())
                .isEqualTo(404);
        assertThat(engine.json("/api/v1/operations").path("items")).isEqualTo(operations);
        HttpResponse<String> answer =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"start\", \"vms\": [%s]}".formatted(String.join(",", ids)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        JsonNode begun = RunningEngine.JSON.readTree(answer.body());
        assertThat(begun.path("accepted").asInt()).isEqualTo(30);
        assertThat(begun.path("items").get(30).path("problem").path("status").asInt())
                .isEqualTo(404);
        String batch = "/api/v1/batches/" + begun.path("id").asString();

        JsonNode end = batchEnded(batch);
        assertThat(end.path("batch").path("counts").path("succeeded").asInt())
                .as(end.toString())
                .isEqualTo(30);
        assertThat(end.path("items")).hasSize(30);
        assertThat(engine.count("stillwater.placement.passes") - passes).isEqualTo(1);
        try (RunningEngine.Stream events = engine.open(batch + "/events")) {
            assertThat(events.next("snapshot").json().path("items")).hasSize(30);
            assertThat(events.next("end").json().path("ended").asBoolean()).isTrue();
            assertThat(events.next()).isNull();
        }
        assertThat(engine.post(batch + "/cancel").statusCode()).isEqualTo(202);
        String one = "/api/v1/operations/" + end.path("items").path(0).path("id").asString();
        try (RunningEngine.Stream events = engine.open(one + "/events")) {
            assertThat(events.next("snapshot").json().path("state").asString())
                    .isEqualTo("succeeded");
            assertThat(events.next("end").json().path("progress").asInt()).isEqualTo(100);
            assertThat(events.next()).isNull();
        }
        assertThat(engine.json("/api/v1/vms?status=up&total=true").path("total").asInt())
                .isGreaterThanOrEqualTo(30);
    }

    private JsonNode batch(String action, String vms, String rest) {
        HttpResponse<String> answer =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"%s\", \"vms\": [%s]%s}".formatted(action, vms, rest));
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 202);
        return RunningEngine.JSON.readTree(answer.body());
    }

    private void batchSucceeds(JsonNode begun, int operations) {
        JsonNode end = batchEnded("/api/v1/batches/" + begun.path("id").asString());
        assertThat(end.path("batch").path("counts").path("succeeded").asInt())
                .as(end.toString())
                .isEqualTo(operations);
    }

    private static List<String> vmIds(JsonNode begun) {
        List<String> ids = new ArrayList<>();
        begun.path("items").forEach(item -> ids.add(item.path("vmId").asString()));
        return ids;
    }

    private HttpResponse<String> filtered(String action, String filter, String rest) {
        return engine.post(
                "/api/v1/vms:batch",
                "{\"action\": \"%s\", \"filter\": %s%s}".formatted(action, filter, rest));
    }

    @Test
    void aFilterSelectsTheVmsOfABatchWhenItIsAccepted() {
        String down = "{\"name\": \"vm3?\", \"status\": \"down\"}";
        List<String> ids = new ArrayList<>();
        for (int n = 30; n < 40; n++) {
            ids.add(vm(n).toString());
        }
        JsonNode dry = json(filtered("start", down, ", \"dryRun\": true"));
        assertThat(dry.path("id").isNull()).isTrue();
        assertThat(dry.path("matched").asInt()).isEqualTo(10);
        assertThat(dry.path("accepted").asInt()).isEqualTo(10);
        assertThat(vmIds(dry)).isEqualTo(ids);
        assertThat(status(path(30))).isEqualTo("down");

        HttpResponse<String> answer = filtered("start", down, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        JsonNode begun = json(answer);
        assertThat(begun.path("matched").asInt()).isEqualTo(10);
        assertThat(vmIds(begun)).isEqualTo(ids);
        batchSucceeds(begun, 10); // although they match no longer

        HttpResponse<String> none = filtered("start", down, "");
        assertThat(none.statusCode()).as(none.body()).isEqualTo(200);
        assertThat(json(none).path("id").isNull()).isTrue();
        assertThat(json(none).path("matched").asInt(-1)).isZero();
        assertThat(json(none).path("items")).isEmpty();

        JsonNode stopped = json(filtered("stop", "{\"name\": \"vm3?\"}", ""));
        assertThat(stopped.path("matched").asInt()).isEqualTo(10);
        batchSucceeds(stopped, 10);
        assertThat(status(path(39))).isEqualTo("down");
    }

    @Test
    void aFilterThatTheListRefusesIsRefusedByName() {
        assertProblem(filtered("start", "{}", ""), 400, "filter has no condition");
        assertProblem(filtered("start", "[]", ""), 400, "filter must be a JSON object");
        assertProblem(
                filtered("start", "{\"satus\": \"up\"}", ""),
                400,
                "There is no member filter.satus here. The members are cluster, cpuAbove,");
        assertProblem(
                filtered("start", "{\"status\": \" \"}", ""), 400, "filter: status has no value");
        assertProblem(
                filtered("start", "{\"status\": \"asleep\"}", ""),
                400,
                "status \"asleep\" is not one of");
        assertProblem(
                filtered("start", "{\"cpuAbove\": 80}", ""), 400, "filter.cpuAbove must be text");
        assertProblem(
                filtered("start", "{\"host\": \"nowhere\"}", ""), 404, "There is no host nowhere.");
        assertProblem(
                filtered("start", "{\"name\": \"vm1\"}", ", \"vms\": [\"vm1\"]"),
                400,
                "vms and filter exclude each other");
        assertProblem(
                engine.post("/api/v1/vms:batch", "{\"action\": \"start\"}"),
                400,
                "give vms or filter");
        JsonNode asleep = json(filtered("start", "{\"status\": \"asleep\"}", ""));
        assertThat(asleep.path("member").asString()).isEqualTo("filter");
    }

    @Test
    void definitionsOfManyAreChangedTogether() {
        String one = path(48);
        String two = path(49);
        String both = "\"%s\", \"%s\"".formatted(vm(48), vm(49));
        JsonNode before = engine.json(one + "/definition");
        String members = ", \"parameters\": {\"priority\": 9, \"description\": \"spare\"}";
        JsonNode dry = batch("edit", both, members + ", \"dryRun\": true");
        assertThat(dry.path("accepted").asInt()).isEqualTo(2);
        assertThat(engine.json(one + "/definition")).isEqualTo(before);
        batchSucceeds(batch("edit", both, members), 2);
        assertThat(engine.json(two + "/definition").path("priority").asInt()).isEqualTo(9);
        JsonNode after = engine.json(one + "/definition");
        assertThat(after.path("description").asString()).isEqualTo("spare");
        assertThat(after.path("disks")).isEqualTo(before.path("disks"));
        assertThat(engine.json("/api/v1/events?vm=" + vm(48)).toString())
                .contains("The definition of VM vm48 was changed by");

        batchSucceeds(batch("protect", both, ""), 2);
        assertProblem(engine.delete(one), 409, "is protected");
        JsonNode again = batch("protect", both, ", \"dryRun\": true");
        assertThat(again.path("refused").asInt()).isEqualTo(2);
        assertThat(again.path("items").get(0).path("problem").path("detail").asString())
                .isEqualTo("The VM is protected already.");
        batchSucceeds(batch("unprotect", both, ""), 2);
        assertProblem(
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"edit\", \"vms\": [%s]}".formatted(both)),
                400,
                "at least one of");
        done(engine.delete(one), "remove_vm");
    }

    @Test
    void oneOperationIsFollowedUntilItsEnd() throws Exception {
        List<String> steps = new ArrayList<>();
        String location;
        RunningEngine.Stream events;
        // Until it is followed, it cannot save that the VM is being started.
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("LOCK TABLE vm_dynamic IN SHARE MODE");
            HttpResponse<String> start = engine.post(path(41) + "/start");
            location = start.headers().firstValue("Location").orElseThrow();
            events = engine.open(location + "/events");
            assertThat(events.next("snapshot").json().path("vmName").asString()).isEqualTo("vm41");
            holder.rollback();
        }
        try (events) {
            awaitAdvancing(
                    () -> engine.json(location).path("state").asString().equals("succeeded"));
            RunningEngine.Event event;
            while ((event = events.next()) != null) {
                steps.add(event.name() + ": " + event.json().path("step").asString());
            }
        }
        assertThat(steps).last().isEqualTo("end: the VM is up");
        assertThat(steps.subList(0, steps.size() - 1))
                .isNotEmpty()
                .allMatch(step -> step.startsWith("changed: "));
    }

    @Test
    void aNameThatOnlyTheDatabaseKnowsIsTakenToo() throws Exception {
        try (Database other = database.open()) { // as another engine, or people with a client
            other.definitions().add(new VmId(7, 7), definition("hidden", MEBIBYTES));
        }
        assertProblem(
                engine.post("/api/v1/vms", "{\"name\": \"hidden\", \"memoryMebibytes\": 64}"),
                409,
                "There is already a VM hidden.");
        JsonNode definition = engine.json(path(42) + "/definition");
        assertProblem(
                engine.put(
                        path(42) + "/definition",
                        definition.toString().replace("\"name\":\"vm42\"", "\"name\":\"hidden\"")),
                409,
                "There is already a VM hidden.");
        done(engine.put(path(42) + "/definition", definition.toString()), "update_vm");
    }

    @Test
    void everyDataCentreHasItsOwnNamesAndAddresses() {
        created(engine.post("/api/v1/data-centres", "{\"name\": \"north\"}"));
        created(
                engine.post(
                        "/api/v1/clusters", "{\"name\": \"up north\", \"dataCentre\": \"north\"}"));
        String twin =
                "{\"name\": \"%s\", \"memoryMebibytes\": 64, \"cluster\": \"%s\", \"interfaces\":"
                        + " [{\"name\": \"nic1\", \"mac\": \"56:00:00:00:00:0A\"}]}";
        done(engine.post("/api/v1/vms", twin.formatted("twin", "Default")), "add_vm");
        assertProblem(
                engine.post("/api/v1/vms", twin.formatted("other", "Default")),
                409,
                "The MAC address 56:00:00:00:00:0a belongs to the VM twin.");
        JsonNode added =
                done(engine.post("/api/v1/vms", twin.formatted("twin", "up north")), "add_vm");
        String north = "/api/v1/vms/" + added.path("vmId").asString() + "/definition";
        assertProblem(
                engine.put(north, twin.formatted("twin", "Default")),
                409,
                "Its new cluster is of the data centre Default, where there is already a VM twin.");
        assertProblem(
                engine.put(north, twin.formatted("single", "Default")),
                409,
                "Its new cluster is of the data centre Default, where the MAC address"
                        + " 56:00:00:00:00:0a belongs to the VM twin.");
        done(engine.put(north, twin.formatted("single", "up north")), "update_vm");
    }

    @Test
    void aRefusedRequestIsReportedAndChangesNothing() {
        String vm = path(43);
        assertProblem(engine.post("/api/v1/vms/" + NOBODY + "/start"), 404, NOBODY);
        assertProblem(engine.post("/api/v1/vms/nobody/start"), 404, "There is no VM nobody.");
        assertProblem(engine.get("/api/v1/operations/" + NOBODY), 404, NOBODY);
        assertProblem(engine.post("/api/v1/operations/" + NOBODY + "/cancel"), 404, NOBODY);
        assertProblem(engine.get("/api/v1/batches/" + NOBODY), 404, NOBODY);
        assertProblem(engine.get("/api/v1/operations/" + NOBODY + "/events"), 404, NOBODY);
        assertProblem(engine.post(vm + "/shutdown"), 409, "The VM is down: its guest");
        assertProblem(engine.post(vm + "/resume"), 409, "neither paused nor suspended");
        assertProblem(engine.post(vm + "/migrate"), 409, "The VM is down");
        assertProblem(
                engine.post(vm + "/start", "{\"host\": \"nowhere\"}"),
                400,
                "no host with the name or id \"nowhere\"");
        assertProblem(engine.post(vm + "/start", "{\"force\": true}"), 400, "force");
        assertProblem(
                engine.post(vm + "/console-ticket", "{\"password\": \"a\"}"), 400, "password has");
        assertProblem(
                engine.post("/api/v1/vms:batch", "{\"action\": \"explode\"}"), 400, "not one of");
        assertProblem(
                engine.post("/api/v1/vms:batch", "{\"action\": \"start\", \"vms\": []}"),
                400,
                "1 to 5000");
        assertThat(engine.json("/api/v1/me").path("mostInBatch").asInt()).isEqualTo(5000);
        assertProblem(
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"start\", \"vms\": [\"%s\", \"%s\"]}"
                                .formatted(vm(0), vm(0))),
                400,
                "twice");
        assertProblem(
                engine.post("/api/v1/vms", "{\"name\": \"x\", \"memoryMebibytes\": 1}"),
                400,
                "16 to");
        assertProblem(
                engine.post("/api/v1/vms", "{\"name\": \"vm1\", \"memoryMebibytes\": 64}"),
                409,
                "already a VM vm1");

        assertProblem(
                engine.post("/api/v1/vms", "{\"name\": \"x\", \"name\": \"y\"}"),
                400,
                " names a member again");
        assertProblem(engine.post("/api/v1/vms", "{\"name\": \"x\",}"), 400, "line 1, column");

        JsonNode nowhere =
                ended(json(engine.post("/api/v1/vms/" + HUGE + "/start")).path("id").asString());
        assertThat(nowhere.path("state").asString()).isEqualTo("failed");
        assertThat(nowhere.path("failure").path("code").asString()).isEqualTo("no_host");
        assertThat(nowhere.path("failure").path("reason").asString()).contains("memory");
        assertThat(engine.json("/api/v1/vms/" + HUGE).path("status").asString()).isEqualTo("down");

        HttpResponse<String> start = engine.post(vm + "/start");
        assertProblem(engine.post(vm + "/start"), 409, "");
        assertProblem(engine.delete(vm), 409, "");
        done(start, "run");
        assertProblem(engine.post(vm + "/start"), 409, "it runs already");
    }

    @Test
    void operationsHaveTheNameOfTheCaller() {
        HttpResponse<String> answer =
                engine.send(
                        HttpRequest.newBuilder(URI.create(engine.address() + path(44) + "/start"))
                                .header("X-Correlation-Id", "ticket 4711")
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build());
        assertThat(answer.headers().firstValue("X-Correlation-Id")).contains("ticket 4711");
        assertThat(json(answer).path("correlationId").asString()).isEqualTo("ticket 4711");
        assertThat(answer.headers().firstValue("Location"))
                .contains("/api/v1/operations/" + json(answer).path("id").asString());
        done(answer, "run");
    }

    @Test
    void affinityGroupsAreKept() {
        String body =
                "{\"name\": \"apart\", \"positive\": false, \"enforcing\": true, \"vms\": [\"%s\", \"%s\"]}"
                        .formatted(vm(45), vm(46));
        HttpResponse<String> added = engine.post("/api/v1/affinity-groups", body);
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        assertProblem(engine.post("/api/v1/affinity-groups", body), 409, "apart");
        done(engine.post(path(45) + "/start"), "run");
        done(engine.post(path(46) + "/start"), "run");
        assertThat(engine.json(path(45)).path("hostId"))
                .isNotEqualTo(engine.json(path(46)).path("hostId"));
        String group = "/api/v1/affinity-groups/" + json(added).path("id").asString();
        assertThat(engine.json(group).path("vms")).hasSize(2);
        assertThat(engine.delete(group).statusCode()).isEqualTo(204);
        assertProblem(engine.get(group), 404, "");
    }

    @Test
    void passwordsOfFenceAgentsAreNeverReturned() {
        String host = engine.json("/api/v1/hosts").path("items").get(0).path("id").asString();
        String agents = "/api/v1/hosts/" + host + "/fence-agents";
        String secret = "s3cr3t-of-a-board";
        HttpResponse<String> saved =
                engine.put(
                        agents,
                        "{\"items\": [{\"type\": \"ipmilan\", \"address\": \"192.0.2.7\", \"user\": \"root\", \"password\": \"%s\", \"options\": {\"lanplus\": \"1\"}}]}"
                                .formatted(secret));
        assertThat(saved.statusCode()).as(saved.body()).isEqualTo(200);
        HttpResponse<String> read = engine.get(agents);
        assertThat(saved.body() + read.body()).doesNotContain(secret);
        assertThat(json(read).path("items").get(0).path("hasPassword").asBoolean()).isTrue();
        for (String nothing : List.of("{}", "{\"items\": null}", "{\"total\": 0}")) {
            assertProblem(engine.put(agents, nothing), 400, "items is missing");
        }
        // An answer may be sent back; the password stays.
        assertThat(json(engine.put(agents, read.body())).path("items").get(0).path("hasPassword"))
                .isEqualTo(json(read).path("items").get(0).path("hasPassword"));
        assertProblem(
                engine.put(
                        agents,
                        "{\"items\": [{\"type\": \"ipmilan\", \"address\": \"192.0.2.7\","
                                + " \"options\": {\"password\": \"%s\"}}]}".formatted(secret)),
                400,
                "fence_ipmilan takes no option password here");
        String without = "{\"items\": [{\"type\": \"apc\", \"address\": \"192.0.2.8\"}]}";
        for (int times = 0; times < 2; times++) { // the second time one without password is known
            HttpResponse<String> taken = engine.put(agents, without);
            assertThat(taken.statusCode()).as(taken.body()).isEqualTo(200);
        }
        assertProblem(
                engine.put(agents, "{\"items\": [{\"type\": \"../sh\", \"address\": \"a\"}]}"),
                400,
                "items[0]: the type of a fence agent");
    }

    @Test
    void aStartThatWasUnderWayEndsAfterARestart() {
        String id = json(engine.post(path(47) + "/start")).path("id").asString();
        engine.close();
        startEngine();

        JsonNode end = ended(id);
        assertThat(end.path("state").asString()).as(end.toString()).isEqualTo("succeeded");
        assertThat(status(path(47))).isEqualTo("up");
        assertThat(
                        fleet.world().vms().stream()
                                .filter(vm -> vm.id().equals(vm(47).toUuid()))
                                .filter(vm -> vm.host() != null))
                .hasSize(1);
    }
}
