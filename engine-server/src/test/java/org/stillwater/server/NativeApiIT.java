package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.vdsm.client.recording.Recorded;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordingReader;
import tools.jackson.databind.JsonNode;

/**
 * The native interface of one running engine with 3 hosts × 20 VMs: the contract of every
 * hypervisor, and the parts without hypervisors.
 */
@Timeout(120)
class NativeApiIT extends RestContract {

    private static final int VMS = 60;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static ContractSubject subject;

    @Override
    ContractSubject subject() {
        return subject;
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(7, 3, 20));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s");
        engine.awaitHostsUp(3);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        engine.pollAll();
        engine.awaitWritten();
        subject = new VdsmSubject(engine, fleet, 3, 20);
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
        JsonNode unknown =
                json(engine.post("/api/v1/alert-rules", rule.replace("usageCpu", "usageCup")));
        assertThat(unknown.path("detail").asString()).contains("vm.usageCpuPercent");
        assertThat(unknown.path("member").asString()).isEqualTo("expr");

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

        for (String matcher :
                List.of(
                        "{\"label\": \"alertname\"}",
                        "{\"label\": \"team\", \"value\": \"\"}",
                        "{\"label\": \"team\", \"value\": \"web\", \"equal\": false}")) {
            HttpResponse<String> all =
                    engine.post(
                            "/api/v1/silences",
                            "{\"matchers\": [" + matcher + "], \"minutes\": 5}");
            assertThat(all.statusCode()).as(all.body()).isEqualTo(400);
            assertThat(json(all).path("member").asString()).startsWith("matchers");
        }
        assertThat(
                        json(engine.post(
                                        "/api/v1/alert-rules/backtest",
                                        "{\"rule\": {\"alert\": \"A\", \"expr\":"
                                                + " \"vm.usageCpuPercent > 1\"},"
                                                + " \"over\": \"30s\"}"))
                                .path("member")
                                .asString())
                .isEqualTo("over");

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
