package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** History of a running engine, asked for over HTTP. */
class HistoryIT {

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static Instant begin;
    private static String vm;
    private static String host;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(7, 1, 3));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.history.query.max-values=1200");
        engine.awaitHostsUp(1);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == 3,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        engine.awaitWritten();
        vm = engine.json("/api/v1/vms?limit=1").path("items").get(0).path("id").asString();
        host = engine.json("/api/v1/hosts").path("items").get(0).path("id").asString();
        // Times in memory are whole seconds: from the next one on everything is there.
        begin = Instant.now().plusSeconds(1);
        RunningEngine.await(
                () -> Instant.now().isAfter(begin.plusSeconds(3)), () -> "three seconds");
        // A busy machine may poll less often.
        awaitNumbers("vms/" + vm + "/history?metric=usageCpuPercent&step=1s&from=" + begin, 0);
        awaitNumbers("hosts/" + host + "/history?from=" + begin, 1);
    }

    private static void awaitNumbers(String path, int series) {
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/" + path)
                                .path("series")
                                .path(series)
                                .path("mean")
                                .valueStream()
                                .anyMatch(JsonNode::isNumber),
                () -> engine.get("/api/v1/" + path).body());
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    @Test
    void historyInMemoryCostsNoStatement() {
        long statements = engine.statements();
        JsonNode answer =
                engine.json(
                        "/api/v1/vms/%s/history?metric=usageCpuPercent,diskReadRate&from=%s&step=1s"
                                .formatted(vm, begin));
        JsonNode all = engine.json("/api/v1/hosts/%s/history?from=%s".formatted(host, begin));

        assertThat(engine.statements() - statements).isZero();
        assertThat(answer.path("vmId").asString()).isEqualTo(vm);
        assertThat(answer.path("step").asString()).isEqualTo("PT1S");
        assertThat(answer.path("missing").isNull()).isTrue();
        assertThat(answer.path("sources").findValuesAsString("name")).containsExactly("memory");
        assertThat(answer.path("at").size()).isGreaterThanOrEqualTo(3);
        JsonNode cpu = answer.path("series").get(0);
        assertThat(cpu.path("metric").asString()).isEqualTo("usageCpuPercent");
        assertThat(cpu.path("unit").asString()).isEqualTo("%");
        assertThat(cpu.path("mean").size()).isEqualTo(answer.path("at").size());
        assertThat(cpu.path("mean").toString()).containsPattern("[0-9]");
        assertThat(cpu.path("count").toString()).containsPattern("[1-9]");
        assertThat(all.path("hostId").asString()).isEqualTo(host);
        assertThat(all.path("series").findValuesAsString("metric"))
                .containsExactlyElementsOf(
                        HistoryMetric.of(Subject.HOST).stream().map(HistoryMetric::label).toList());
        assertThat(all.path("series").get(1).path("mean").toString()).containsPattern("[0-9]");
    }

    @Test
    void olderHistoryIsReadFromTheDatabase() {
        JsonNode answer =
                engine.json("/api/v1/vms/%s/history?metric=usageCpuPercent".formatted(vm));

        assertThat(answer.path("sources").findValuesAsString("name"))
                .containsExactly("minute", "memory");
        assertThat(answer.path("step").asString()).isEqualTo("PT1M");
        assertThat(answer.path("missing").isNull()).isTrue();
        JsonNode years = engine.json("/api/v1/hosts/%s/history?from=-900d".formatted(host));
        assertThat(years.path("sources").findValuesAsString("name")).contains("day", "memory");
    }

    @Test
    void csvIsHadByHeaderOrParameter() {
        String path =
                "/api/v1/vms/%s/history?metric=usageCpuPercent&metric=cpuUserPercent&step=1s&from=%s"
                        .formatted(vm, begin);
        HttpResponse<String> byHeader =
                engine.send(
                        HttpRequest.newBuilder(URI.create(engine.address() + path))
                                .header("Accept", "text/csv, application/json;q=0.5")
                                .build());
        HttpResponse<String> byParameter = engine.get(path + "&format=csv");

        for (HttpResponse<String> answer : List.of(byHeader, byParameter)) {
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/csv");
            List<String> lines = answer.body().lines().toList();
            assertThat(lines.getFirst()).isEqualTo("at,metric,unit,min,mean,max,count");
            assertThat(lines.get(1)).startsWith(begin.toString().substring(0, 10));
            assertThat(lines).allSatisfy(line -> assertThat(line.split(",", -1)).hasSize(7));
            assertThat(lines.getLast()).contains(",cpuUserPercent,% of one core,");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "metric=cpu 400 usageCpuPercent,_cpuUserPercent",
                "from=yesterday 400 -90m",
                "from=2026-11-21T12:00:00Z&to=2026-11-21T11:00:00Z 400 before",
                "from=-1h&to=-2h 400 before",
                "from=-99999999d 400 -90m",
                "to=+999999999-12-31T23:59:59Z 400 -90m",
                "step=0s 400 15s",
                "step=PT0.5S 400 15s",
                "step=fast 400 15s",
                "format=xml 400 csv",
                "from=-30d&step=1s 400 step_of"
            })
    void aRefusedQueryHasARemedy(String parameters, int status, String hint) {
        for (String path : List.of("/api/v1/vms/" + vm, "/api/v1/hosts/" + host)) {
            HttpResponse<String> answer = engine.get(path + "/history?" + parameters);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .contains("application/problem+json");
            assertThat(answer.body()).contains(hint.replace('_', ' '));
        }
    }

    @Test
    void problemsAreProblemsForReadersOfCsvToo() {
        HttpResponse<String> answer =
                engine.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address()
                                                        + "/api/v1/vms/%s/history?metric=cpu"
                                                                .formatted(vm)))
                                .header("Accept", "text/csv")
                                .build());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("usageCpuPercent");
    }

    @Test
    void anUnknownObjectIsNotFound() {
        String nobody = "00000000-0000-0000-0000-000000000000";
        assertThat(engine.get("/api/v1/vms/" + nobody + "/history").statusCode()).isEqualTo(404);
        assertThat(engine.get("/api/v1/hosts/" + nobody + "/history").statusCode()).isEqualTo(404);
        assertThat(engine.get("/api/v1/vms/no-such-name/history").statusCode()).isEqualTo(404);
    }
}
