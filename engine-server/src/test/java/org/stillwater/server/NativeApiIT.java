package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.vdsm.client.recording.Recorded;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordingReader;
import tools.jackson.databind.JsonNode;

/** Lists, bulk statistics and changes of one running engine with 3 hosts × 20 VMs. */
@Timeout(120)
class NativeApiIT {

    private static final int VMS = 60;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(7, 3, 20));
        engine =
                RunningEngine.start(
                        database, fleet.engineArguments(), "--stillwater.cycle.interval=1h");
        engine.awaitHostsUp(3);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        engine.pollAll();
        engine.awaitWritten();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    @Test
    void aRuleIsTestedAddedFiresAndGoes() {
        String rule =
                """
                {"alert": "AnyVm", "expr": "vm.usageCpuPercent >= 0", "flood": 2}\
                """;
        JsonNode past =
                json(
                        engine.post(
                                "/api/v1/alert-rules/backtest",
                                "{\"rule\": " + rule + ", \"over\": \"1h\"}"));
        assertThat(past.path("text").asString()).startsWith("would have fired ");
        assertThat(past.path("objects").asInt()).isPositive();
        assertThat(engine.json("/api/v1/alert-rules").path("total").asInt()).isZero();

        HttpResponse<String> refused =
                engine.post("/api/v1/alert-rules", rule.replace("flood", "flod"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("flod").contains("flood").contains("meant?");
        assertThat(engine.post("/api/v1/alert-rules", rule.replace("usageCpu", "usageCup")).body())
                .contains("vm.usageCpuPercent");

        HttpResponse<String> added = engine.post("/api/v1/alert-rules", rule);
        assertThat(added.statusCode()).isEqualTo(201);
        String path = "/api/v1/alert-rules/" + json(added).path("id").asString();
        assertThat(engine.get(path).headers().firstValue("ETag")).isPresent();
        assertThat(engine.post("/api/v1/alert-rules", rule).statusCode()).isEqualTo(409);
        engine.bean(org.stillwater.monitoring.alert.AlertMonitor.class).turn();
        JsonNode alert = engine.json("/api/v1/alerts?state=firing").path("items").get(0);
        assertThat(alert.path("kind").asString()).isEqualTo("group");
        assertThat(alert.path("members").asInt()).isGreaterThan(2);
        JsonNode known =
                json(
                        engine.post(
                                "/api/v1/alerts/" + alert.path("id").asString() + "/acknowledge",
                                "{\"comment\": \"known\"}"));
        assertThat(known.path("acknowledged").path("comment").asString()).isEqualTo("known");

        HttpResponse<String> quiet =
                engine.post(
                        "/api/v1/silences",
                        "{\"matchers\": [{\"label\": \"alertname\", \"value\": \"AnyVm\"}],"
                                + " \"minutes\": 5}");
        assertThat(quiet.statusCode()).isEqualTo(201);
        assertThat(engine.json("/api/v1/alerts").path("items").get(0).path("silenced").asBoolean())
                .isTrue();
        String silence = "/api/v1/silences/" + json(quiet).path("id").asString();
        assertThat(engine.delete(silence).statusCode()).isEqualTo(204);

        assertThat(engine.delete(path).statusCode()).isEqualTo(204);
        assertThat(engine.delete(path).statusCode()).isEqualTo(404);
        assertThat(engine.json("/api/v1/alerts").path("items").get(0).path("resolution").asString())
                .isEqualTo("rule");
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return RunningEngine.JSON.readTree(answer.body());
    }

    @Test
    void fieldsAreSelectedAndUnknownOnesNamed() {
        JsonNode vm =
                engine.json("/api/v1/vms?limit=1&fields=name,id,statistics.cpu,status")
                        .path("items")
                        .get(0);
        assertThat(vm.propertyNames()).containsExactly("name", "id", "status", "statistics");
        assertThat(vm.path("statistics").propertyNames()).containsExactly("cpu");
        HttpResponse<String> refused = engine.get("/api/v1/vms?fields=id,size");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("no field size").contains("statistics.usageCpuPercent");
    }

    @Test
    void aGuestIsFoundByItsAddressAndItsNameInDns() {
        JsonNode guest = null;
        for (JsonNode vm :
                engine.json("/api/v1/vms?fields=id,guestIps,fqdn&limit=60").path("items")) {
            if (!vm.path("guestIps").asString("").isEmpty()
                    && !vm.path("fqdn").asString("").isEmpty()) {
                guest = vm;
            }
        }
        assertThat(guest).isNotNull();
        String address = guest.path("guestIps").asString().split(" ")[0];
        String fqdn = guest.path("fqdn").asString();
        for (String filter :
                List.of(
                        "ip=" + address,
                        "ip=" + address + "/32",
                        "fqdn=" + fqdn.toUpperCase(java.util.Locale.ROOT))) {
            JsonNode found = engine.json("/api/v1/vms?total=true&fields=id&" + filter);
            assertThat(found.path("total").asInt()).as(filter).isEqualTo(1);
            assertThat(found.path("items").get(0).path("id")).isEqualTo(guest.path("id"));
        }
        assertThat(engine.json("/api/v1/statistics/vms?fields=id&ip=" + address).path("items"))
                .hasSize(1);
        assertThat(engine.get("/api/v1/vms?ip=web-1").body())
                .contains("ip has addresses such as 10.0.3.7");
        assertThat(engine.json("/api/v1/hosts?address=LOCAL*&total=true").path("total").asInt())
                .isEqualTo(3);
        assertThat(engine.json("/api/v1/hosts?address=*.example&total=true").path("total").asInt())
                .isZero();
    }

    @Test
    void aNameIsAsGoodAsAnId() {
        JsonNode vm =
                engine.json("/api/v1/vms?limit=1&fields=id,name,hostId,hostName")
                        .path("items")
                        .get(0);
        String id = vm.path("id").asString();
        String name = vm.path("name").asString();
        String host = vm.path("hostId").asString();
        String hostName = vm.path("hostName").asString();
        for (String path : List.of("", "/statistics", "/numa", "/configurations")) {
            assertThat(engine.json("/api/v1/vms/" + name + path))
                    .as(path)
                    .isEqualTo(engine.json("/api/v1/vms/" + id + path));
        }
        assertThat(engine.json("/api/v1/hosts/" + hostName + "/configurations"))
                .isEqualTo(engine.json("/api/v1/hosts/" + host + "/configurations"));
        assertThat(engine.post("/api/v1/hosts/" + hostName + "/refresh").statusCode())
                .isEqualTo(202);
        for (String list : List.of("events", "operations", "work")) {
            assertThat(engine.json("/api/v1/" + list + "?vm=" + name).path("items"))
                    .isEqualTo(engine.json("/api/v1/" + list + "?vm=" + id).path("items"));
            HttpResponse<String> nobody = engine.get("/api/v1/" + list + "?vm=nobody");
            assertThat(nobody.statusCode()).as(list).isEqualTo(404);
            assertThat(nobody.body()).contains("There is no VM nobody.");
        }
        assertThat(engine.get("/api/v1/vms/nobody").statusCode()).isEqualTo(404);
        assertThat(engine.get("/api/v1/hosts/nobody").statusCode()).isEqualTo(404);
    }

    @Test
    void statisticsAreToldInTheListWhenAskedFor() {
        RunningEngine.await( // a poll may come between two reads
                () -> {
                    JsonNode list = engine.json("/api/v1/vms?statistics=true&limit=60");
                    assertThat(list.path("items")).hasSize(VMS);
                    JsonNode numbers = list.path("items").get(0).path("statistics");
                    String id = list.path("items").get(0).path("id").asString();
                    JsonNode alone = engine.json("/api/v1/vms/" + id + "/statistics");
                    return List.of("observedAt", "stale", "usageCpuPercent", "elapsedSeconds")
                                    .stream()
                                    .allMatch(name ->
                                            numbers.has(name)
                                                    && numbers.path(name).equals(alone.path(name)))
                            && numbers.path("nics").size() == alone.path("nics").size();
                },
                () ->
                        "the list and the VM differ: "
                                + engine.json("/api/v1/vms?statistics=true&limit=1"));
        assertThat(engine.json("/api/v1/vms?limit=1").path("items").get(0).has("statistics"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cpu,name",
                "-cpu,name",
                "-memory,-name",
                "host,-statistics.elapsedSeconds,id",
                "-id",
                "highlyAvailable,-cpus,name"
            })
    void pagesOfAnyOrderHaveEveryVmOnce(String sort) {
        JsonNode whole = engine.json("/api/v1/vms?fields=id&limit=60&sort=" + sort);
        List<String> ids = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page =
                    engine.json("/api/v1/vms?fields=id&limit=7&sort=" + sort + "&cursor=" + cursor);
            page.path("items").forEach(vm -> ids.add(vm.path("id").asString()));
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        assertThat(ids).isEqualTo(whole.path("items").findValuesAsString("id"));
        assertThat(new HashSet<>(ids)).hasSize(VMS);
    }

    @Test
    void sortedByUsageIsSortedByUsage() {
        List<Integer> usage = new ArrayList<>();
        engine.json("/api/v1/vms?fields=statistics.cpu&limit=60&sort=-cpu")
                .path("items")
                .forEach(vm -> {
                    JsonNode cpu = vm.path("statistics").path("cpu");
                    usage.add(cpu.isNull() ? -1 : cpu.asInt());
                });
        assertThat(usage.reversed()).isSorted();
    }

    @Test
    void listsAreFilteredByWildcardClusterAndNumbers() {
        JsonNode all = engine.json("/api/v1/vms?limit=60&statistics=true").path("items");
        String name = all.get(3).path("name").asString();
        assertThat(ids("name=" + name)).contains(all.get(3).path("id").asString());
        assertThat(ids("name=" + name.substring(0, name.length() - 1) + "?")).isNotEmpty();
        assertThat(ids("name=*" + name.substring(2).toUpperCase(java.util.Locale.ROOT)))
                .contains(all.get(3).path("id").asString());
        assertThat(ids("name=" + name.substring(1) + "*")).isEmpty();
        assertThat(ids("cluster=Default")).hasSize(VMS);
        Set<String> busy = new HashSet<>();
        all.forEach(vm -> {
            JsonNode cpu = vm.path("statistics").path("usageCpuPercent");
            if (!cpu.isNull() && cpu.asInt() > 20) {
                busy.add(vm.path("id").asString());
            }
        });
        assertThat(ids("cpuAbove=20")).isEqualTo(busy);
    }

    private static Set<String> ids(String filter) {
        return new HashSet<>(
                engine.json("/api/v1/vms?fields=id&limit=60&" + filter)
                        .path("items")
                        .findValuesAsString("id"));
    }

    @Test
    void everyValueTellsItsAgeOnRequest() {
        JsonNode vm =
                engine.json("/api/v1/vms?limit=1&age=true&statistics=true").path("items").get(0);
        assertThat(vm.path("status").path("value").isString()).isTrue();
        assertThat(vm.path("status").path("ageSeconds").isNumber()).isTrue();
        assertThat(vm.path("status").path("state").asString()).isEqualTo("current");
        vm.path("statistics")
                .forEach(value -> {
                    assertThat(value.path("state").asString()).isIn("current", "stale", "unknown");
                    assertThat(value.path("state").asString().equals("unknown"))
                            .isEqualTo(value.path("value").isNull());
                });
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/vms",
        "/api/v1/vms?statistics=true",
        "/api/v1/vms?sort=-cpu&limit=5",
        "/api/v1/hosts",
        "/api/v1/clusters",
        "/api/v1/data-centres",
        "/api/v1/statistics/vms",
        "/api/v1/statistics/vms?format=csv",
        "/api/v1/statistics/hosts",
        "/api/v1/operations",
        "/api/v1/work",
        "/api/v1/events"
    })
    void whatIsKnownAlreadyIsNotToldAgain(String path) throws Exception {
        HttpResponse<String> first = engine.get(path);
        String tag = first.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = conditional(path, tag);
        for (int i = 0; i < 9 && again.statusCode() == 200; i++) {
            first = again; // a host's numbers came between the two
            tag = first.headers().firstValue("ETag").orElseThrow();
            again = conditional(path, tag);
        }
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(tag).startsWith("\"").endsWith("\"");
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(again.headers().firstValue("ETag")).contains(tag);
        assertThat(conditional(path, "\"other\"").statusCode()).isEqualTo(200);

        HttpResponse<byte[]> small = compressed(path);
        if (small.headers().firstValue("Content-Encoding").isPresent()) {
            for (int i = 0; i < 9 && !isOfTheSame(small, first); i++) {
                first = engine.get(path); // a host's numbers came between the two
                small = compressed(path);
            }
            assertThat(isOfTheSame(small, first)).as("%s and %s", small, first).isTrue();
            String unzipped =
                    new String(
                            new GZIPInputStream(new ByteArrayInputStream(small.body()))
                                    .readAllBytes(),
                            StandardCharsets.UTF_8);
            assertThat(unzipped).isEqualTo(first.body());
        }
    }

    private static HttpResponse<byte[]> compressed(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        request(path).header("Accept-Encoding", "gzip").build(),
                        HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Whether the tag is the other one's but for the encoding, so that it is not the same. */
    private static boolean isOfTheSame(HttpResponse<?> gzip, HttpResponse<?> plain) {
        String tag = plain.headers().firstValue("ETag").orElseThrow();
        return gzip.headers()
                .firstValue("ETag")
                .orElseThrow()
                .equals(tag.substring(0, tag.length() - 1) + "-gzip\"");
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(engine.address() + path));
    }

    private static HttpResponse<String> conditional(String path, String tag) {
        return engine.send(request(path).header("If-None-Match", tag).build());
    }

    @Test
    void changesArePolledByRevision() throws Exception {
        long revision = engine.json("/api/v1/vms?limit=1").path("revision").asLong();
        JsonNode none = engine.json("/api/v1/vms?since=" + revision);
        assertThat(none.path("items")).isEmpty();
        assertThat(none.path("removed")).isEmpty();
        SimulatedVm vm = withAgent();
        vm.logIn("delta");
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
        JsonNode changes =
                engine.json(
                        "/api/v1/vms?fields=id,guestUser,revision&since="
                                + none.path("revision").asLong());
        JsonNode changed = null;
        for (JsonNode item : changes.path("items")) {
            assertThat(item.path("revision").asLong()).isGreaterThan(revision);
            if (item.path("id").asString().equals(vm.id().toString())) {
                changed = item;
            }
        }
        assertThat(changed).as("" + changes).isNotNull();
        assertThat(changed.path("guestUser").asString()).isEqualTo("delta");
        assertThat(changes.path("revision").asLong()).isGreaterThan(revision);
        JsonNode left = engine.json("/api/v1/vms?status=suspended&since=" + revision);
        assertThat(left.path("items")).isEmpty();
        assertThat(left.path("removed").values().stream().map(JsonNode::asString))
                .as("does not match any more")
                .contains(vm.id().toString());
        HttpResponse<String> old = engine.get("/api/v1/vms?since=17");
        assertThat(old.statusCode()).isEqualTo(410);
        assertThat(old.body()).contains("Read GET /api/v1/vms without since");
    }

    private static SimulatedVm withAgent() {
        return Truth.running(RunningEngine.JSON.readTree(fleet.world().state())).values().stream()
                .filter(vm -> vm.path("guest").path("agent").asString().equals("active"))
                .map(vm -> fleet.world().vm(vm.path("id").asString()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void statisticsOfAllAreToldInThreeForms() {
        JsonNode json = engine.json("/api/v1/statistics/vms?nics=true&disks=true");
        assertThat(json.path("items")).hasSize(VMS);
        JsonNode first = json.path("items").get(0);
        assertThat(first.propertyNames())
                .contains("id", "name", "status", "observedAt", "stale", "cpuUserPercent", "nics");
        String[] lines = engine.get("/api/v1/statistics/vms?format=ndjson").body().split("\n");
        assertThat(lines).hasSize(VMS);
        assertThat(RunningEngine.JSON.readTree(lines[0]).path("id").isString()).isTrue();
        HttpResponse<String> csv =
                engine.send(
                        request("/api/v1/statistics/vms?fields=id,name,cpu,memory")
                                .header("Accept", "text/csv")
                                .build());
        assertThat(csv.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("text/csv");
        String[] rows = csv.body().split("\r\n");
        assertThat(rows[0]).isEqualTo("id,name,cpu,memory");
        assertThat(rows).hasSize(VMS + 1);
        String[] parts =
                engine.get("/api/v1/statistics/vms?format=csv&nics=true&disks=true")
                        .body()
                        .split("\r\n");
        int columns = parts[0].split(",", -1).length;
        for (String row : parts) {
            if (!row.contains("\"")) {
                assertThat(row.split(",", -1)).as(row).hasSize(columns);
            }
        }
        assertThat(parts.length).isGreaterThan(2 * VMS);
        assertThat(
                        engine.send(
                                        request("/api/v1/statistics/vms")
                                                .header("Accept", "image/png")
                                                .build())
                                .statusCode())
                .isEqualTo(406);
        assertThat(engine.json("/api/v1/statistics/hosts?nics=true").path("items")).hasSize(3);
    }

    @Test
    void noListAsksTheDatabase() {
        long before = engine.statements();
        for (String path :
                List.of(
                        "/api/v1/vms?statistics=true&limit=60",
                        "/api/v1/hosts?statistics=true",
                        "/api/v1/clusters",
                        "/api/v1/statistics/vms?nics=true",
                        "/api/v1/statistics/hosts",
                        "/metrics/vms",
                        "/metrics/hosts")) {
            assertThat(engine.get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(engine.statements()).isEqualTo(before);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection =
                        engine.bean(Database.class).dataSource().getConnection(SqlStage.OTHER);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aSlowStatementIsTheFirstOfItsStage() throws Exception {
        execute("SELECT pg_sleep(4) FROM vm_static LIMIT 1");
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/engine/statements?seconds=3600")
                                .path("items")
                                .valueStream()
                                .filter(each -> each.path("stage").asString("").equals("other"))
                                .anyMatch(each ->
                                        each.path("statement")
                                                .asString("")
                                                .equals("SELECT vm_static")),
                () -> "" + engine.json("/api/v1/engine/statements"));
        JsonNode report = engine.json("/api/v1/engine/statements?seconds=3600");
        JsonNode first =
                report.path("items")
                        .valueStream()
                        .filter(each -> each.path("stage").asString().equals("other"))
                        .findFirst()
                        .orElseThrow();
        assertThat(first.path("statement").asString()).isEqualTo("SELECT vm_static");
        assertThat(first.path("calls").asInt()).isEqualTo(1);
        assertThat(first.path("p99Micros").asLong()).isGreaterThan(1_000_000);
        assertThat(report.path("summary").asString()).startsWith("Monitoring sent");
        assertThat(report.path("stages").valueStream().map(each -> each.path("stage").asString()))
                .contains("other");
    }

    @Test
    void valuesOfAVmAndOfAHostAreExplained() {
        JsonNode vm = engine.json("/api/v1/vms?limit=1&status=up").path("items").get(0);
        JsonNode explained = engine.json("/api/v1/vms/" + vm.path("name").asString() + "/explain");
        assertThat(explained.path("vmId")).isEqualTo(vm.path("id"));
        JsonNode reported = group(explained, "reported");
        assertThat(reported.path("values").valueStream().map(JsonNode::asString))
                .contains("status", "guestIps");
        assertThat(reported.path("report").path("hostId")).isEqualTo(vm.path("hostId"));
        assertThat(reported.path("report").path("decodedAt").asString()).isNotBlank();
        assertThat(group(explained, "counted").path("ageSeconds").isNumber()).isTrue();
        assertThat(group(explained, "defined").path("stale").asBoolean()).isFalse();
        JsonNode host = engine.json("/api/v1/hosts/" + vm.path("hostId").asString() + "/explain");
        assertThat(group(host, "vms").path("report").path("kind").asString()).isEqualTo("poll");
        assertThat(group(host, "reported").path("values").valueStream().map(JsonNode::asString))
                .contains("capabilities");
        assertThat(engine.get("/api/v1/vms/" + UUID.randomUUID() + "/explain").statusCode())
                .isEqualTo(404);
    }

    @Test
    void whatWasBelievedIsToldWithItsRule() {
        JsonNode vm = engine.json("/api/v1/vms?limit=1&status=up").path("items").get(0);
        String path = "/api/v1/vms/" + vm.path("name").asString() + "/beliefs";
        JsonNode beliefs = engine.json(path);
        assertThat(beliefs.path("missing").isNull()).isTrue();
        JsonNode newest = beliefs.path("items").get(0);
        assertThat(newest.path("status").asString()).isEqualTo("up");
        assertThat(newest.path("hostId")).isEqualTo(vm.path("hostId"));
        assertThat(newest.path("scenario").asString()).matches("S[0-9]+");
        JsonNode then = engine.json(path + "?at=" + newest.path("at").asString());
        assertThat(then.path("items")).hasSize(1);
        assertThat(then.path("items").get(0)).isEqualTo(newest);
        JsonNode before = engine.json(path + "?at=2020-01-01T00:00:00Z");
        assertThat(before.path("items")).isEmpty();
        JsonNode host = engine.json("/api/v1/hosts/" + vm.path("hostId").asString() + "/beliefs");
        assertThat(host.path("items").get(0).path("rule").asString()).isEqualTo("contact_made");
        assertThat(host.path("items").get(0).path("scenario").asString()).isEqualTo("S85");
        assertThat(engine.get(path + "?at=yesterday").statusCode()).isEqualTo(400);
        assertThat(engine.get(path + "?at=2999-01-01T00:00:00Z").statusCode()).isEqualTo(400);
    }

    private static JsonNode group(JsonNode explained, String name) {
        return explained
                .path("items")
                .valueStream()
                .filter(each -> each.path("group").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theEngineReportsItsCpuByStageAndItsMemory() {
        JsonNode cpu = engine.json("/api/v1/engine/profile?seconds=3600&tree=true");
        assertThat(cpu.path("items").valueStream().map(each -> each.path("stage").asString()))
                .contains("decode", "analyse", "write", "rest", "gc", "jit", "other");
        assertThat(cpu.path("samples").asLong()).isPositive();
        assertThat(cpu.path("cpuMillis").asLong()).isPositive();
        assertThat(cpu.path("tree").path("name").asString()).isEqualTo("all");
        assertThat(cpu.path("tree").path("samples")).isEqualTo(cpu.path("samples"));
        assertThat(engine.json("/api/v1/engine/profile").path("tree").isNull()).isTrue();
        JsonNode memory = engine.json("/api/v1/engine/memory?seconds=3600");
        assertThat(memory.path("residentBytes").asLong()).isPositive();
        assertThat(memory.path("items").get(0).has("type")).isTrue();
        assertThat(
                        memory.path("items")
                                .valueStream()
                                .filter(each -> each.path("name").asString("").equals("vms"))
                                .map(each -> each.path("entries").asInt()))
                .containsExactly(VMS);
        assertThat(engine.get("/api/v1/engine/profile?seconds=0").statusCode()).isEqualTo(400);
        assertThat(engine.get("/api/v1/engine/profile?minutes=1").statusCode()).isEqualTo(400);
    }

    @Test
    void aRecordingIsStartedStoppedDownloadedAndHasNoSecrets() throws Exception {
        String path = "/api/v1/engine/recording";
        assertThat(engine.get(path + "/file").statusCode()).isEqualTo(404);
        assertThat(engine.post(path, "{\"seconds\":100000}").statusCode()).isEqualTo(400);
        HttpResponse<String> started = engine.post(path, "{\"seconds\":300}");
        assertThat(started.statusCode()).as(started.body()).isEqualTo(200);
        assertThat(engine.post(path, "{}").statusCode()).isEqualTo(409);
        execute("SELECT 1");
        assertThat(engine.post(path + "/stop", "{}").statusCode()).isEqualTo(200);
        assertThat(engine.json(path).path("state").asString()).isEqualTo("stopped");
        Path file = folder.resolve("engine.jfr");
        HttpResponse<Path> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(
                                                URI.create(engine.address() + path + "/file"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofFile(file));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type"))
                .contains("application/octet-stream");
        Set<String> types = new HashSet<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            types.add(event.getEventType().getName());
        }
        assertThat(types)
                .contains("stillwater.SqlStatement")
                .noneMatch(type -> type.startsWith("jdk.Initial"))
                .doesNotContain("jdk.JVMInformation", "jdk.SystemProcess");
        for (String request :
                List.of("POST " + path, "POST " + path + "/stop", "GET " + path + "/file")) {
            RunningEngine.await(
                    () -> engine.get("/api/v1/events").body().contains('"' + request + '"'),
                    () -> engine.get("/api/v1/events").body());
        }
    }

    @Test
    void hostsAreRecordedWithPseudonyms() throws Exception {
        String path = "/api/v1/engine/host-recording";
        JsonNode host = engine.json("/api/v1/hosts?limit=1&fields=id,name").path("items").get(0);
        String name = host.path("name").asString();
        assertThat(engine.get(path + "/file").statusCode()).isEqualTo(404);
        assertThat(engine.post(path, "{}").statusCode()).isEqualTo(400);
        assertThat(engine.post(path, "{\"hosts\":[\"nowhere\"]}").statusCode()).isEqualTo(404);
        String wish = "{\"hosts\":[\"" + name + "\"],\"seconds\":300}";
        HttpResponse<String> started = engine.post(path, wish);
        assertThat(started.statusCode()).as(started.body()).isEqualTo(200);
        assertThat(engine.post(path, wish).statusCode()).isEqualTo(409);
        // The head has 22 lines: the recording, the host and its 20 VMs.
        RunningEngine.await(
                () -> engine.json(path).path("lines").asInt() >= 24,
                () -> engine.json(path).toString());
        assertThat(engine.post(path + "/stop", "{}").statusCode()).isEqualTo(200);
        assertThat(engine.json(path).path("ended").asString()).isEqualTo("stopped");
        HttpResponse<String> file = engine.get(path + "/file");
        assertThat(file.statusCode()).isEqualTo(200);
        RecordingReader.Recording recording = RecordingReader.read(new StringReader(file.body()));
        assertThat(recording.hosts()).singleElement().matches(RecordedHost::connected);
        assertThat(recording.vms()).hasSize(20);
        assertThat(recording.lines())
                .anyMatch(line ->
                        line instanceof Recorded.Answered answered
                                && answered.verb().equals("Host.getAllVmStats"));
        assertThat(file.body())
                .doesNotContain(name)
                .doesNotContain(host.path("id").asString())
                .doesNotContain(fleet.world().vms().getFirst().name());
        for (String request :
                List.of("POST " + path, "POST " + path + "/stop", "GET " + path + "/file")) {
            RunningEngine.await(
                    () -> engine.get("/api/v1/events").body().contains('"' + request + '"'),
                    () -> engine.get("/api/v1/events").body());
        }
    }
}
