package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.ApiClient.basic;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The view and the rights of users with roles on some objects only: over HTTP, on every path that
 * shows VMs, with VMs that run on simulated hosts and VMs of another cluster.
 */
@Timeout(180)
class GrantsIT {

    private static final String UNKNOWN = new UUID(0, 255).toString();
    private static final String PASSWORD = "long enough";
    private static final int HOSTS = 2;
    private static final int VMS_PER_HOST = 2;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    /** A VM that runs; its operator may read and act on nothing else. */
    private static String mine;

    /** A VM that runs, which none of the users may read. */
    private static String hidden;

    /** Another cluster, and a VM in it. */
    private static String cluster;

    private static String elsewhere;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(41, HOSTS, VMS_PER_HOST));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.cycle.repoll-pause=0s",
                        // A host that never answers may be removed after so long.
                        "--stillwater.host-policy.forgiven-silence=5s",
                        "--stillwater.host-policy.forgiven-silence-per-vm=0ms",
                        "--stillwater.host-policy.forgiven-silence-spm=0ms",
                        "--stillwater.stream.heart-beat=20s",
                        "--stillwater.stream.access-check=50ms");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == HOSTS * VMS_PER_HOST,
                () -> "" + engine.monitoring().health());
        List<SimulatedVm> vms = fleet.world().vms();
        mine = vms.getFirst().id().toString();
        hidden = vms.getLast().id().toString();
        cluster =
                json(admin("POST", "/api/v1/clusters", "{\"name\":\"other\"}"))
                        .path("id")
                        .asString();
        elsewhere = defined("elsewhere", cluster);
        user("operator-of-one", grant("operator", "vm", mine));
        user("reader-of-cluster", grant("reader", "cluster", cluster));
        user("mixed", grant("operator", "vm", mine) + "," + grant("reader", "cluster", cluster));
        user("scraper-of-one", grant("scraper", "vm", mine));
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static String grant(String role, String scope, String id) {
        return "{\"role\":\"%s\",\"%s\":\"%s\"}".formatted(role, scope, id);
    }

    private static String user(String name, String grants) {
        HttpResponse<String> made =
                admin(
                        "POST",
                        "/api/v1/users",
                        "{\"name\":\"%s\",\"password\":\"%s\",\"grants\":[%s]}"
                                .formatted(name, PASSWORD, grants));
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        return json(made).path("id").asString();
    }

    /** A VM that is down, known to monitoring. */
    private static String defined(String name, String in) {
        HttpResponse<String> asked =
                admin(
                        "POST",
                        "/api/v1/vms",
                        "{\"name\":\"%s\",\"memoryMebibytes\":64,\"cluster\":\"%s\"}"
                                .formatted(name, in));
        assertThat(asked.statusCode()).as(asked.body()).isEqualTo(202);
        String id = json(asked).path("vmId").asString();
        RunningEngine.await(
                () -> admin("GET", "/api/v1/vms/" + id, null).statusCode() == 200,
                () -> "no VM " + name);
        return id;
    }

    private static void removed(String vm) {
        RunningEngine.await(
                () -> admin("DELETE", "/api/v1/vms/" + vm, null).statusCode() == 202,
                () -> "not to be removed");
        RunningEngine.await(
                () -> admin("GET", "/api/v1/vms/" + vm, null).statusCode() == 404,
                () -> "still there");
    }

    private static HttpResponse<String> admin(String method, String path, String body) {
        return send(method, path, body, basic("admin", RunningEngine.PASSWORD));
    }

    private static HttpResponse<String> as(String user, String method, String path) {
        return send(method, path, null, basic(user, PASSWORD));
    }

    private static HttpResponse<String> get(String user, String path) {
        return as(user, "GET", path);
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String authorization, String... headers) {
        List<String> all = new ArrayList<>(List.of("Authorization", authorization));
        if (body != null) {
            all.addAll(List.of("Content-Type", "application/json"));
        }
        all.addAll(List.of(headers));
        return engine.api().send(method, path, body, all.toArray(String[]::new));
    }

    private static JsonNode json(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
        return RunningEngine.JSON.readTree(answer.body());
    }

    private static List<String> ids(String user, String path) {
        return json(get(user, path)).path("items").findValuesAsString("id");
    }

    @Test
    void listsHoldReadableObjectsOnly() {
        assertThat(ids("operator-of-one", "/api/v1/vms?fields=id")).containsExactly(mine);
        assertThat(ids("reader-of-cluster", "/api/v1/vms?fields=id"))
                .contains(elsewhere)
                .doesNotContain(mine, hidden);
        assertThat(ids("mixed", "/api/v1/vms?fields=id"))
                .contains(mine, elsewhere)
                .doesNotContain(hidden);
        assertThat(ids("operator-of-one", "/api/v1/hosts?fields=id")).isEmpty();
        assertThat(ids("operator-of-one", "/api/v1/clusters?fields=id")).isEmpty();
        assertThat(ids("reader-of-cluster", "/api/v1/clusters?fields=id")).containsExactly(cluster);
        assertThat(get("reader-of-cluster", "/api/v1/operations").body())
                .doesNotContain(mine, hidden);
        assertThat(get("reader-of-cluster", "/api/v1/events?limit=200").body())
                .doesNotContain(mine, hidden, "USER_ADDED");
    }

    @Test
    void oVirtsListsHoldReadableObjectsOnly() {
        String api = "/ovirt-engine/api";
        for (String[] seen :
                new String[][] {{"operator-of-one", mine}, {"reader-of-cluster", elsewhere}}) {
            HttpResponse<String> vms =
                    send(
                            "GET",
                            api + "/vms",
                            null,
                            basic(seen[0], PASSWORD),
                            "Accept",
                            "application/json");
            assertThat(vms.statusCode()).isEqualTo(200);
            assertThat(vms.body()).contains("\"id\":\"" + seen[1] + "\"").doesNotContain(hidden);
            assertThat(get(seen[0], api + "/vms").body()).contains(seen[1]).doesNotContain(hidden);
            assertThat(get(seen[0], api + "/vms/" + hidden).statusCode()).isEqualTo(404);
            assertThat(get(seen[0], api + "/vms/" + hidden + "/statistics").statusCode())
                    .isEqualTo(404);
            assertThat(get(seen[0], api + "/vms?search=id%3D" + hidden).body())
                    .doesNotContain(hidden);
            assertThat(get(seen[0], api + "/hosts").body()).doesNotContain("<host ");
            assertThat(get(seen[0], api + "/events?max=500").body()).doesNotContain(hidden);
        }
        assertThat(get("operator-of-one", api + "/vms").body()).doesNotContain(elsewhere);
        assertThat(get("reader-of-cluster", api + "/vms").body()).doesNotContain(mine);
    }

    @Test
    void unreadableObjectsAreUnknown() {
        for (String below :
                List.of(
                        "",
                        "/statistics",
                        "/jobs",
                        "/numa",
                        "/explain",
                        "/beliefs",
                        "/definition",
                        "/history?metric=usageCpuPercent&from=-5m")) {
            assertThat(get("operator-of-one", "/api/v1/vms/" + hidden + below).statusCode())
                    .as(below)
                    .isEqualTo(404);
            assertThat(get("operator-of-one", "/api/v1/vms/" + mine + below).statusCode())
                    .as(below)
                    .isEqualTo(200);
        }
        String host =
                json(admin("GET", "/api/v1/hosts?fields=id", null))
                        .path("items")
                        .get(0)
                        .path("id")
                        .asString();
        assertThat(get("operator-of-one", "/api/v1/hosts/" + host).statusCode()).isEqualTo(404);
        assertThat(get("reader-of-cluster", "/api/v1/hosts/" + host).statusCode()).isEqualTo(404);
        assertThat(get("reader-of-cluster", "/api/v1/hosts/" + host + "/explain").statusCode())
                .isEqualTo(404);
        assertThat(get("operator-of-one", "/api/v1/clusters/" + cluster).statusCode())
                .isEqualTo(404);
        assertThat(get("reader-of-cluster", "/api/v1/stream?entity=engine").statusCode())
                .isEqualTo(403);
    }

    @Test
    void removedObjectsAreUnknownToLimitedReaders() {
        String gone = defined("gone", cluster);
        removed(gone);
        String path = "/api/v1/vms/" + gone + "/configurations";
        assertThat(admin("GET", path, null).statusCode()).isEqualTo(200);
        assertThat(get("operator-of-one", path).statusCode()).isEqualTo(404);
        assertThat(get("reader-of-cluster", path).statusCode()).isEqualTo(404);
        String host =
                json(admin(
                                "POST",
                                "/api/v1/hosts",
                                "{\"name\":\"passing\",\"address\":\"192.0.2.7\"}"))
                        .path("id")
                        .asString();
        admin("POST", "/api/v1/hosts/" + host + "/maintenance", "{}");
        RunningEngine.await(
                () -> admin("DELETE", "/api/v1/hosts/" + host, null).statusCode() == 204,
                () -> "not to be removed");
        String ofHost = "/api/v1/hosts/" + host + "/configurations";
        assertThat(admin("GET", ofHost, null).body()).contains("192.0.2.7");
        assertThat(get("operator-of-one", ofHost).statusCode()).isEqualTo(404);
    }

    /** A hidden object gets the same answer as a missing one. */
    @Test
    void answersDoNotRevealUnreadableObjects() {
        String host =
                json(admin("GET", "/api/v1/hosts?fields=name", null))
                        .path("items")
                        .get(0)
                        .path("name")
                        .asString();
        for (String list :
                List.of(
                        "/api/v1/events?host=",
                        "/api/v1/operations?host=",
                        "/api/v1/vms?host=",
                        "/api/v1/statistics/vms?host=",
                        "/api/v1/stream?host=")) {
            HttpResponse<String> hiddenHost = get("reader-of-cluster", list + host);
            assertThat(hiddenHost.statusCode()).isEqualTo(404);
            assertThat(hiddenHost.body().replace(host, "NAME"))
                    .isEqualTo(
                            get("reader-of-cluster", list + "nowhere")
                                    .body()
                                    .replace("nowhere", "NAME"));
        }
        String hiddenName =
                json(admin("GET", "/api/v1/vms/" + hidden, null)).path("name").asString();
        for (String[] named :
                new String[][] {
                    {"/api/v1/vms/", hiddenName},
                    {"/api/v1/events?vm=", hiddenName},
                    {"/api/v1/operations?vm=", hiddenName},
                    {"/api/v1/stream?vm=", hiddenName},
                    {"/api/v1/hosts/", host}
                }) {
            HttpResponse<String> there = get("reader-of-cluster", named[0] + named[1]);
            assertThat(there.statusCode()).as(named[0]).isEqualTo(404);
            assertThat(there.body().replace(named[1], "NAME"))
                    .isEqualTo(
                            get("reader-of-cluster", named[0] + "nowhere")
                                    .body()
                                    .replace("nowhere", "NAME"));
        }
        for (String body :
                List.of("{\"host\":\"NAME\"}", "<action><host><name>NAME</name></host></action>")) {
            boolean xml = body.startsWith("<");
            String path = (xml ? "/ovirt-engine/api" : "/api/v1") + "/vms/" + mine + "/migrate";
            assertThat(asked("operator-of-one", path, body, host))
                    .isEqualTo(asked("operator-of-one", path, body, "nowhere"));
        }
        for (String body :
                List.of(
                        "{\"name\":\"new\",\"memoryMebibytes\":64,\"cluster\":\"NAME\"}",
                        "<vm><name>new</name><cluster><name>NAME</name></cluster></vm>")) {
            String path = (body.startsWith("<") ? "/ovirt-engine/api" : "/api/v1") + "/vms";
            assertThat(asked("operator-of-one", path, body, "other"))
                    .isEqualTo(asked("operator-of-one", path, body, "nowhere"))
                    .contains("NAME");
        }
        for (String[] path :
                new String[][] {{"PUT", "/definition"}, {"POST", "/start"}, {"POST", "/migrate"}}) {
            for (String type : List.of("application/json", "text/plain")) {
                assertThat(bad(path[0], hidden, path[1], type))
                        .as(path[1] + " " + type)
                        .isEqualTo(bad(path[0], UNKNOWN, path[1], type))
                        .startsWith("404");
            }
        }
    }

    /** A guest reads any source in its definition: another VM's disk, or a file of the host. */
    @Test
    void anOperatorReachesNoFurtherIntoHosts() {
        String vm = defined("stores", cluster);
        user("operator-of-stores", grant("operator", "vm", vm));
        String definition = "/api/v1/vms/" + vm + "/definition";
        String disk =
                """
                {"name":"stores","memoryMebibytes":64,"cluster":"other",
                 "disks":[{"name":"taken","place":{"kind":"file","path":"/etc/shadow"},
                           "bus":"virtio","format":"raw"}]}\
                """;
        String api = "/ovirt-engine/api/vms/" + vm;
        String hooked =
                "{\"custom_properties\":{\"custom_property\":[{\"name\":\"a\",\"value\":\"b\"}]}}";
        String[][] tries = {
            {"PUT", definition, disk, "disk taken"},
            {"PUT", api + "/cdroms/" + new UUID(0, 0), "{\"file\":{\"id\":\"/etc/shadow\"}}", "CD"},
            {
                "PUT",
                api + "/cdroms/" + new UUID(0, 0) + "?current=true",
                "{\"file\":{\"id\":\"/etc/shadow\"}}",
                "CD"
            },
            {"PUT", api, hooked, "custom property a"},
            {"POST", api + "/start", "{\"vm\":" + hooked + "}", "custom property a"},
        };

        for (String[] each : tries) {
            HttpResponse<String> answer =
                    send(
                            each[0],
                            each[1],
                            each[2],
                            basic("operator-of-stores", PASSWORD),
                            "Accept",
                            "application/json");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
            assertThat(answer.body()).contains(each[3], "administrator of the cluster");
        }
        HttpResponse<String> renamed =
                admin("PUT", definition, "{\"name\":\"e\u202eslse\",\"memoryMebibytes\":64}");
        assertThat(renamed.statusCode()).isEqualTo(400);
        assertThat(renamed.body()).contains("invisible");
        assertThat(accepted(() -> admin("PUT", definition, disk)).body()).contains("update_vm");
        removed(vm);
    }

    private static String asked(String user, String path, String body, String name) {
        HttpResponse<String> answer =
                send(
                        "POST",
                        path,
                        body.replace("NAME", name),
                        basic(user, PASSWORD),
                        "Accept",
                        "application/json");
        return answer.statusCode() + answer.body().replace(name, "NAME");
    }

    private static String bad(String method, String vm, String below, String type) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/vms/" + vm + below))
                        .header("Authorization", basic("operator-of-one", PASSWORD))
                        .header("Content-Type", type)
                        .method(method, HttpRequest.BodyPublishers.ofString("{"))
                        .build();
        HttpResponse<String> answer = engine.send(request);
        return answer.statusCode() + answer.body().replace(vm, "ID");
    }

    @Test
    void dataCentresAreSeenWithAClusterInThem() {
        String other =
                json(admin("POST", "/api/v1/data-centres", "{\"name\":\"far away\"}"))
                        .path("id")
                        .asString();
        assertThat(ids("operator-of-one", "/api/v1/data-centres")).isEmpty();
        assertThat(ids("reader-of-cluster", "/api/v1/data-centres"))
                .hasSize(1)
                .doesNotContain(other);
        assertThat(get("reader-of-cluster", "/api/v1/data-centres/" + other).statusCode())
                .isEqualTo(404);
        assertThat(admin("GET", "/api/v1/data-centres/" + other, null).statusCode()).isEqualTo(200);
    }

    @Test
    void aLongHeaderIsNoDefect() {
        String types = "a/b" + ",a/b".repeat(60);
        for (String path :
                List.of(
                        "/api/v1/vms",
                        "/api/v1/hosts",
                        "/api/v1/clusters",
                        "/api/v1/statistics/vms",
                        "/api/v1/vms/" + mine + "/history",
                        "/api/v1/events",
                        "/api/v1/me")) {
            HttpResponse<String> answer =
                    send("GET", path, null, basic("operator-of-one", PASSWORD), "Accept", types);
            assertThat(answer.statusCode()).as(path + answer.body()).isIn(400, 406);
        }
    }

    /** The answer 202; the operation that defined the VM may have to end first. */
    private static HttpResponse<String> accepted(Supplier<HttpResponse<String>> request) {
        List<HttpResponse<String>> answers = new ArrayList<>();
        RunningEngine.await(
                () -> {
                    answers.add(request.get());
                    return answers.getLast().statusCode() == 202;
                },
                () -> answers.getLast().body());
        return answers.getLast();
    }

    /** No cluster decides about an operation with a VM that is not there any more. */
    @Test
    void theRequesterSeesTheEndOfARemoval() {
        user("remover", grant("operator", "cluster", cluster));
        user("other-remover", grant("operator", "cluster", cluster));
        String one = defined("to-be-removed", cluster);
        String two = defined("to-be-removed-too", cluster);
        String id =
                json(accepted(() -> as("remover", "DELETE", "/api/v1/vms/" + one)))
                        .path("id")
                        .asString();
        String body = "{\"action\":\"remove\",\"vms\":[\"%s\"]}".formatted(two);
        JsonNode batch =
                json(
                        accepted(() ->
                                send(
                                        "POST",
                                        "/api/v1/vms:batch",
                                        body,
                                        basic("remover", PASSWORD))));
        String batchPath = "/api/v1/batches/" + batch.path("id").asString();
        for (String vm : List.of(one, two)) {
            RunningEngine.await(
                    () -> admin("GET", "/api/v1/vms/" + vm, null).statusCode() == 404,
                    () -> "still there");
        }
        RunningEngine.await(
                () ->
                        json(get("remover", "/api/v1/operations/" + id))
                                .path("state")
                                .asString()
                                .equals("succeeded"),
                () -> "not removed");
        RunningEngine.await(
                () -> json(get("remover", batchPath)).path("batch").path("ended").asBoolean(),
                () -> "the batch has not ended");
        assertThat(ids("remover", "/api/v1/operations")).contains(id);
        assertThat(get("other-remover", "/api/v1/operations/" + id).statusCode()).isEqualTo(404);
        assertThat(get("other-remover", batchPath).statusCode()).isEqualTo(404);
        assertThat(ids("other-remover", "/api/v1/operations")).doesNotContain(id);
    }

    @Test
    void readersCannotActOnObjects() {
        for (String action : List.of("/start", "/shutdown", "/migrate")) {
            assertThat(as("mixed", "POST", "/api/v1/vms/" + elsewhere + action).statusCode())
                    .as(action)
                    .isEqualTo(403);
            assertThat(as("mixed", "POST", "/api/v1/vms/" + hidden + action).statusCode())
                    .as(action)
                    .isEqualTo(404);
        }
        assertThat(as("mixed", "DELETE", "/api/v1/vms/" + elsewhere).statusCode()).isEqualTo(403);
        assertThat(
                        as("reader-of-cluster", "POST", "/api/v1/vms/" + elsewhere + "/start")
                                .statusCode())
                .isEqualTo(403);
        for (String[] asked : new String[][] {{elsewhere, "403"}, {hidden, "404"}}) {
            HttpResponse<String> batch =
                    send(
                            "POST",
                            "/api/v1/vms:batch",
                            "{\"action\":\"resume\",\"vms\":[\"%s\",\"%s\",\"%s\"]}"
                                    .formatted(asked[0], mine, UNKNOWN),
                            basic("mixed", PASSWORD));
            assertThat(batch.statusCode()).as(batch.body()).isEqualTo(200);
            JsonNode items = RunningEngine.JSON.readTree(batch.body()).path("items");
            assertThat(
                            send(
                                            "POST",
                                            "/api/v1/vms:batch",
                                            "{\"action\":\"resume\",\"dryRun\":true,\"vms\":[\"%s\",\"%s\",\"%s\"]}"
                                                    .formatted(asked[0], mine, UNKNOWN),
                                            basic("mixed", PASSWORD))
                                    .body())
                    .as("a dry run refuses the same")
                    .isEqualTo(batch.body());
            assertThat(items).hasSize(3);
            assertThat(items.path(0).path("vmId").asString()).isEqualTo(asked[0]);
            assertThat(items.path(0).path("problem").path("status").asString()).isEqualTo(asked[1]);
            assertThat(items.path(1).path("problem").path("detail").asString())
                    .as("of what the caller may act on")
                    .contains("neither paused nor suspended");
            assertThat(items.path(2).path("problem").toString())
                    .as("what is not there is told of as what is hidden")
                    .isEqualTo(
                            asked[1].equals("404")
                                    ? items.path(0)
                                            .path("problem")
                                            .toString()
                                            .replace(hidden, UNKNOWN)
                                    : items.path(2).path("problem").toString());
            HttpResponse<String> ovirt =
                    send(
                            "POST",
                            "/ovirt-engine/api/vms/" + asked[0] + "/start",
                            "{}",
                            basic("mixed", PASSWORD),
                            "Accept",
                            "application/json");
            assertThat(ovirt.statusCode()).as(ovirt.body()).isEqualTo(Integer.parseInt(asked[1]));
        }
        HttpResponse<String> added =
                send(
                        "POST",
                        "/api/v1/vms",
                        "{\"name\":\"not-mine\",\"memoryMebibytes\":64}",
                        basic("mixed", PASSWORD));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(403);
        HttpResponse<String> acted = as("mixed", "POST", "/api/v1/vms/" + mine + "/reboot");
        assertThat(acted.statusCode()).as(acted.body()).isIn(202, 409);
    }

    @Test
    void theFilterOfABatchMatchesOnlyVmsThatTheCallerMayActOn() {
        String body = "{\"action\":\"resume\",\"dryRun\":true,\"filter\":{\"name\":\"*\"}}";
        assertThat(ids("mixed", "/api/v1/vms")).contains(mine, elsewhere);
        JsonNode found = json(send("POST", "/api/v1/vms:batch", body, basic("mixed", PASSWORD)));
        assertThat(found.path("matched").asInt()).isEqualTo(1);
        assertThat(found.path("items").path(0).path("vmId").asString()).isEqualTo(mine);
        int all = json(admin("GET", "/api/v1/vms?limit=1", null)).path("total").asInt();
        assertThat(json(admin("POST", "/api/v1/vms:batch", body)).path("matched").asInt())
                .isEqualTo(all);
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/vms:batch",
                                        body,
                                        basic("reader-of-cluster", PASSWORD))
                                .statusCode())
                .isEqualTo(403);
    }

    @Test
    void anOperatorOfAVmTakesItOutOfNoPool() {
        String vm = defined("pooled", cluster);
        user("operator-of-pooled", grant("operator", "vm", vm));
        String pool =
                "/api/v1/pools/"
                        + json(admin(
                                        "POST",
                                        "/api/v1/pools",
                                        "{\"name\":\"shared\",\"cluster\":\"%s\",\"size\":1,\"vms\":[\"%s\"]}"
                                                .formatted(cluster, vm)))
                                .path("id")
                                .asString();
        String detach = "/ovirt-engine/api/vms/" + vm + "/detach";
        HttpResponse<String> refused =
                send("POST", detach, "{}", basic("operator-of-pooled", PASSWORD));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
        assertThat(json(admin("GET", pool, null)).path("vms").toString()).contains(vm);
        assertThat(admin("POST", detach, "{}").statusCode()).isEqualTo(200);
        assertThat(json(admin("GET", pool, null)).path("vms").toString()).doesNotContain(vm);
        assertThat(admin("DELETE", pool, null).statusCode()).isEqualTo(204);
        removed(vm);
    }

    @Test
    void statisticsAreOfReadableObjectsOnly() {
        for (String format : List.of("json", "ndjson", "csv")) {
            assertThat(get("operator-of-one", "/api/v1/statistics/vms?format=" + format).body())
                    .as(format)
                    .contains(mine)
                    .doesNotContain(hidden, elsewhere);
            assertThat(get("reader-of-cluster", "/api/v1/statistics/vms?format=" + format).body())
                    .as(format)
                    .contains(elsewhere)
                    .doesNotContain(mine, hidden);
        }
        assertThat(json(get("operator-of-one", "/api/v1/statistics/hosts")).path("items"))
                .isEmpty();
        JsonNode summary = json(get("operator-of-one", "/api/v1/summary"));
        assertThat(summary.path("vms").valueStream().mapToInt(JsonNode::asInt).sum()).isEqualTo(1);
        assertThat(summary.path("hosts")).isEmpty();
    }

    @Test
    void metricsAreOfScrapableObjectsOnly() {
        HttpResponse<String> scrape = get("scraper-of-one", "/metrics/vms");
        assertThat(scrape.statusCode()).isEqualTo(200);
        assertThat(scrape.body()).contains(mine).doesNotContain(hidden, elsewhere);
        assertThat(get("scraper-of-one", "/metrics/hosts").body())
                .doesNotContain("stillwater_host{");
        assertThat(get("scraper-of-one", "/actuator/prometheus").statusCode()).isEqualTo(403);
        assertThat(get("operator-of-one", "/metrics/vms").statusCode()).isEqualTo(403);
    }

    private static long revision() {
        return json(admin("GET", "/api/v1/vms?limit=1", null)).path("revision").asLong();
    }

    @Test
    void changesHideUnreadableObjects() {
        String passing = defined("passing", cluster);
        long before = revision();
        removed(passing);
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
        JsonNode mineOnly = json(get("operator-of-one", "/api/v1/vms?fields=id&since=" + before));
        assertThat(mineOnly.toString()).doesNotContain(passing, hidden, elsewhere);
        JsonNode clusters = json(get("reader-of-cluster", "/api/v1/vms?fields=id&since=" + before));
        assertThat(clusters.path("removed").toString()).contains(passing);
        assertThat(clusters.toString()).doesNotContain(mine, hidden);
        assertThat(
                        json(get("operator-of-one", "/api/v1/hosts?fields=id&since=" + before))
                                .path("removed"))
                .isEmpty();
        String arriving = defined("arriving", cluster);
        assertThat(get("operator-of-one", "/api/v1/vms?since=" + before).body())
                .doesNotContain(arriving);
        assertThat(get("reader-of-cluster", "/api/v1/vms?since=" + before).body())
                .contains(arriving);
        removed(arriving);
    }

    private static Stream stream(String query, String authorization) throws Exception {
        return engine.stream(query, "Authorization", authorization);
    }

    private static String bearer(String user, String roles) {
        HttpResponse<String> made =
                send(
                        "POST",
                        "/api/v1/tokens",
                        "{\"label\":\"t\",\"roles\":[%s]}".formatted(roles),
                        basic(user, PASSWORD));
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        return json(made).toString();
    }

    /** Everything up to the event of this name. */
    private static String upTo(Stream stream, String name) throws IOException {
        StringBuilder told = new StringBuilder();
        Event event = stream.next();
        while (event != null && !event.name().equals(name)) {
            told.append(event.data()).append('\n');
            event = stream.next();
        }
        assertThat(event).as("the stream ended; before: " + told).isNotNull();
        return told.toString();
    }

    @Test
    void theStreamHidesUnreadableObjects() throws Exception {
        String own = defined("own", cluster);
        String passing = defined("passing-by", cluster);
        user("streamer", grant("operator", "vm", own));
        try (Stream restricted = stream("?entity=vm,host", basic("streamer", PASSWORD));
                Stream reader = stream("?entity=vm,host", basic("reader-of-cluster", PASSWORD))) {
            assertThat(upTo(restricted, "snapshot-end"))
                    .contains(own)
                    .doesNotContain(mine, hidden, passing, elsewhere);
            assertThat(upTo(reader, "snapshot-end"))
                    .contains(own, passing, elsewhere)
                    .doesNotContain(mine, hidden);
            removed(passing);
            removed(own);
            // The last thing that the owner hears: his VM is gone, and with it his last grant.
            StringBuilder told = new StringBuilder();
            Event event = restricted.next();
            while (event != null) {
                told.append(event.data());
                event = restricted.next();
            }
            assertThat(told.toString()).doesNotContain(passing, mine, hidden);
            JsonNode gone = reader.next("delta").json();
            while (!gone.path("change").asString().equals("removed")) {
                gone = reader.next("delta").json();
            }
            assertThat(gone.path("id").asString()).isEqualTo(passing);
        }
    }

    @Test
    void aStreamFollowsTheGrantsOfItsReader() throws Exception {
        String id = user("promoted", grant("operator", "vm", mine));
        try (Stream stream = stream("?entity=vm", basic("promoted", PASSWORD))) {
            assertThat(upTo(stream, "snapshot-end")).contains(mine).doesNotContain(elsewhere);
            change(id, "{\"grants\":[%s]}".formatted(grant("reader", "cluster", cluster)));
            String again = upTo(stream, "snapshot-end");
            assertThat(again.substring(again.indexOf("\"vms\"")))
                    .as("told anew, of what is seen now")
                    .contains(elsewhere)
                    .doesNotContain(hidden);
            change(id, "{\"enabled\":false}");
            awaitEnd(stream);
        }
    }

    @Test
    void changedGrantsInvalidateARevision() throws Exception {
        String id = user("changing", grant("operator", "vm", mine));
        String authorization = basic("changing", PASSWORD);
        long seen = json(get("changing", "/api/v1/vms")).path("revision").asLong();
        String told;
        try (Stream stream = stream("?entity=vm", authorization)) {
            told = idAfterSnapshot(stream);
        }
        assertThat(get("changing", "/api/v1/vms?since=" + seen).statusCode()).isEqualTo(200);
        change(id, "{\"grants\":[%s]}".formatted(grant("reader", "cluster", cluster)));
        for (String list : List.of("vms", "hosts", "clusters")) {
            HttpResponse<String> gone = get("changing", "/api/v1/" + list + "?since=" + seen);
            assertThat(gone.statusCode()).as(gone.body()).isEqualTo(410);
        }
        for (String from : List.of("&lastEventId=" + told, "&since=" + told, "&since=" + seen)) {
            try (Stream stream = stream("?entity=vm" + from, authorization)) {
                assertThat(upTo(stream, "snapshot-end"))
                        .as(from)
                        .contains(elsewhere)
                        .doesNotContain(mine, hidden);
            }
        }
        assertThat(firstOfSocket("?entity=vm&since=" + told, authorization))
                .contains("\"snapshot\"", elsewhere);
        long now = json(get("changing", "/api/v1/vms")).path("revision").asLong();
        for (String list : List.of("vms", "hosts", "clusters")) {
            HttpResponse<String> on = get("changing", "/api/v1/" + list + "?since=" + now);
            assertThat(on.statusCode()).as(on.body()).isEqualTo(200);
        }
        try (Stream stream = stream("?entity=vm", authorization)) {
            told = idAfterSnapshot(stream);
        }
        String arrived = defined("arrived", cluster);
        try (Stream stream = stream("?entity=vm&lastEventId=" + told, authorization)) {
            Event event = stream.next();
            while (event != null && !event.data().contains(arrived)) {
                assertThat(event.name()).isEqualTo("delta");
                event = stream.next();
            }
            assertThat(event).isNotNull();
            assertThat(event.name()).isEqualTo("delta");
        }
        removed(arrived);
    }

    private static String idAfterSnapshot(Stream stream) throws IOException {
        Event event = stream.next();
        while (event != null && !event.name().equals("snapshot-end")) {
            event = stream.next();
        }
        assertThat(event).isNotNull();
        return event.id();
    }

    /** The first message that a socket is sent. */
    private static String firstOfSocket(String query, String authorization) throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket =
                    client.newWebSocketBuilder()
                            .header("Authorization", authorization)
                            .buildAsync(
                                    URI.create(
                                            engine.address().replace("http:", "ws:")
                                                    + "/api/v1/stream/ws"
                                                    + query),
                                    new WebSocket.Listener() {
                                        private final StringBuilder part = new StringBuilder();

                                        @Override
                                        public CompletionStage<?> onText(
                                                WebSocket from, CharSequence data, boolean last) {
                                            part.append(data);
                                            if (last) {
                                                messages.add(part.toString());
                                                part.setLength(0);
                                            }
                                            from.request(1);
                                            return null;
                                        }
                                    })
                            .join();
            String first = messages.poll(60, TimeUnit.SECONDS);
            socket.abort();
            assertThat(first).isNotNull();
            return first;
        }
    }

    private static void change(String user, String body) {
        HttpResponse<String> changed = admin("PUT", "/api/v1/users/" + user, body);
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    }

    private static void awaitEnd(Stream stream) throws IOException {
        Event event = stream.next();
        while (event != null) {
            event = stream.next();
        }
    }

    @Test
    void aStreamEndsWithTheLoginOfItsReader() throws Exception {
        String id = user("leaver", grant("reader", "cluster", cluster));
        JsonNode token = RunningEngine.JSON.readTree(bearer("leaver", "\"reader\""));
        String program = "Bearer " + token.path("token").asString();
        try (Stream byToken = stream("?entity=vm", program);
                Stream byPassword = stream("?entity=vm", basic("leaver", PASSWORD))) {
            assertThat(upTo(byToken, "snapshot-end")).contains(elsewhere);
            assertThat(upTo(byPassword, "snapshot-end")).contains(elsewhere);
            assertThat(
                            admin("DELETE", "/api/v1/tokens/" + token.path("id").asString(), null)
                                    .statusCode())
                    .isEqualTo(204);
            awaitEnd(byToken);
            change(id, "{\"password\":\"quite another\"}");
            awaitEnd(byPassword);
        }
        String again = basic("leaver", "quite another");
        try (Stream stream = stream("?entity=vm", again)) {
            upTo(stream, "snapshot-end");
            assertThat(admin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
            awaitEnd(stream);
        }
    }

    @Test
    void aSocketEndsWithItsSession() throws Exception {
        user("socket", grant("reader", "cluster", cluster));
        String form =
                "grant_type=password&scope=ovirt-app-api&username=socket%40internal&password=long+enough";
        HttpResponse<String> login =
                engine.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address() + "/ovirt-engine/sso/oauth/token"))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(HttpRequest.BodyPublishers.ofString(form))
                                .build());
        String secret = json(login).path("access_token").asString();
        BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
        List<String> told = new CopyOnWriteArrayList<>(); // more may come while it is looked at
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket =
                    client.newWebSocketBuilder()
                            .header("Authorization", "Bearer " + secret)
                            .buildAsync(
                                    URI.create(
                                            engine.address().replace("http:", "ws:")
                                                    + "/api/v1/stream/ws?entity=vm"),
                                    new WebSocket.Listener() {
                                        private final StringBuilder part = new StringBuilder();

                                        @Override
                                        public CompletionStage<?> onText(
                                                WebSocket from, CharSequence data, boolean last) {
                                            part.append(data);
                                            if (last) {
                                                told.add(part.toString());
                                                if (part.indexOf("snapshot-end") >= 0) {
                                                    ends.add(part.toString());
                                                }
                                                part.setLength(0);
                                            }
                                            from.request(1);
                                            return null;
                                        }

                                        @Override
                                        public CompletionStage<?> onClose(
                                                WebSocket from, int code, String reason) {
                                            closed.add(code);
                                            return null;
                                        }
                                    })
                            .join();
            assertThat(ends.poll(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(told.toString()).contains(elsewhere).doesNotContain(mine, hidden);
            engine.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            engine.address() + "/ovirt-engine/services/sso-logout"))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            "scope=ovirt-app-api&token=" + secret))
                            .build());
            assertThat(closed.poll(30, TimeUnit.SECONDS)).isEqualTo(1008);
            socket.abort();
        }
    }

    @Test
    void lookingAfterStreamsCostsNoSql() throws Exception {
        try (Stream stream = stream("?entity=vm", basic("reader-of-cluster", PASSWORD))) {
            upTo(stream, "snapshot-end");
            engine.awaitWritten();
            long users =
                    engine.database().statements().statements(org.stillwater.dal.SqlStage.USERS);
            for (int i = 0; i < 10; i++) {
                engine.pollAll();
            }
            assertThat(engine.database().statements().statements(org.stillwater.dal.SqlStage.USERS))
                    .isEqualTo(users);
        }
    }

    @Test
    void grantsEndWithTheirObjects() {
        String vm = defined("short-lived", cluster);
        String empty =
                json(admin("POST", "/api/v1/clusters", "{\"name\":\"empty\"}"))
                        .path("id")
                        .asString();
        String id =
                user(
                        "survivor",
                        grant("reader", "vm", vm)
                                + ","
                                + grant("reader", "cluster", empty)
                                + ","
                                + grant("reader", "cluster", cluster));
        removed(vm);
        assertThat(admin("DELETE", "/api/v1/clusters/" + empty, null).statusCode()).isEqualTo(204);
        RunningEngine.await(
                () -> {
                    String user = admin("GET", "/api/v1/users/" + id, null).body();
                    return !user.contains(vm) && !user.contains(empty) && user.contains(cluster);
                },
                () -> admin("GET", "/api/v1/users/" + id, null).body());
        change(id, "{\"enabled\":false}");
        assertThat(get("survivor", "/api/v1/vms").statusCode()).isEqualTo(401);
    }
}
