package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/** The REST interface and the event stream of one running engine with 3 hosts × 20 VMs. */
@Timeout(90) // a silent stream must not stop the build
class ApiIT {

    private static final int VMS = 60;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(5, 3, 20));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.stream.snapshot-chunk=7",
                        "--stillwater.stream.max-subscribers=3",
                        "--stillwater.audit.recent=20",
                        "--stillwater.rest.max-body=64KB",
                        "--stillwater.database.probe-interval=10ms",
                        "--stillwater.database.connect-timeout=1s");
        engine.awaitHostsUp(3);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    /** A stream that its reader has left is noticed at the next heart-beat. */
    @BeforeEach
    void streamsOfOtherTestsAreGone() {
        RunningEngine.await(
                () ->
                        engine.get("/actuator/prometheus")
                                .body()
                                .contains("stillwater_stream_subscribers 0.0"),
                () -> "streams of other tests");
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/nothing,404",
        "/nothing,404",
        "/api/v1/vms/no-such-name,404",
        "/api/v1/vms/00000000-0000-0000-0000-000000000000,404",
        "/api/v1/vms/00000000-0000-0000-0000-000000000000/statistics,404",
        "/api/v1/vms/00000000-0000-0000-0000-000000000000/configurations,404",
        "/api/v1/vms/no-such-name/configurations,404",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000/configurations,404",
        "/api/v1/hosts/no-such-name/configurations?limit=1001,404",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000/configurations?limit=0,400",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000/configurations?limit=1001,400",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000/configurations?cursor=0,400",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000/configurations?cursor=abc,400",
        "/api/v1/hosts/no-such-name,404",
        "/api/v1/hosts/00000000-0000-0000-0000-000000000000,404",
        "/api/v1/vms?limit=0,400",
        "/api/v1/vms?limit=10001,400",
        "/api/v1/vms?limit=many,400",
        "/api/v1/stream?spacing=5001,400",
        "/api/v1/stream?spacing=soon,400",
        "/api/v1/stream?snapshot=columns,400",
        "/api/v1/stream?snapshot=packed,400",
        "/api/v1/stream?snapshot=tables&fields=name,400",
        "/api/v1/vms?status=fine,400",
        "/api/v1/vms?sort=size,400",
        "/api/v1/vms?sort=guestNics,400",
        "/api/v1/vms?sort=-name%2Cname,400",
        "/api/v1/vms?fields=name%2Csize,400",
        "/api/v1/vms?fields=%2C,400",
        "/api/v1/vms?age=perhaps,400",
        "/api/v1/vms?cpuAbove=much,400",
        "/api/v1/vms?since=never,400",
        "/api/v1/vms?since=1,410",
        "/api/v1/vms?since=1&limit=5,400",
        "/api/v1/hosts?since=1&sort=name,400",
        "/api/v1/clusters?since=1&cursor=abc,400",
        "/api/v1/vms?since=9000000000000000000,410",
        "/api/v1/hosts?since=1,410",
        "/api/v1/hosts?status=fine,400",
        "/api/v1/clusters?since=1,410",
        "/api/v1/clusters?since=never,400",
        "/api/v1/clusters?fields=size,400",
        "/api/v1/statistics/vms?fields=nics,400",
        "/api/v1/statistics/vms?format=xml,400",
        "/api/v1/statistics/hosts?fields=disks,400",
        "/api/v1/vms?cursor=abc,400",
        "/api/v1/stream?entity=disk,400",
        "/api/v1/events?limit=0,400",
        "/api/v1/events?limit=1001,400",
        "/api/v1/events?cursor=abc,400",
        "/api/v1/events?cursor=MjAyNi0xMS0yMVQxMjowMDowMFo,400",
        "/api/v1/events?vm=no-such-name,404",
        "/api/v1/events?host=nowhere,404",
        "/api/v1/operations?host=nowhere,404",
        "/api/v1/work?host=nowhere,404",
        "/api/v1/vms?host=00000000-0000-0000-0000-000000000000,404",
        "/api/v1/vms?cluster=nowhere,404",
        "/api/v1/hosts?cluster=nowhere,404",
        "/api/v1/stream?host=nowhere,404",
        "/api/v1/vms?satus=down,400",
        "/api/v1/vms?Status=down,400",
        "/api/v1/hosts?limit=5&hots=1,400",
        "/api/v1/clusters?satus=down,400",
        "/api/v1/events?severty=bad,400",
        "/api/v1/operations?satus=queued,400",
        "/api/v1/work?limits=1,400",
        "/api/v1/summary?fields=vms,400",
        "/api/v1/health/hosts?condition=slow,400",
        "/api/v1/statistics/hosts?nic=true,400",
        "/api/v1/stream?views=light,400",
        "/api/v1/me?pretty=true,400",
        "/api/v1/events?severity=bad,400",
        "/api/v1/events?event=VM_FLEW,400",
        "/api/v1/events?event=7,400",
        "/api/v1/events?since=yesterday,400",
        "/api/v1/events?until=%2B999999999-12-31T23:59:59Z,400",
        "/api/v1/events?since=2026-11-22T00:00:00Z&until=2026-11-21T00:00:00Z,400",
        "/api/v1/stream?view=odd,400",
        "/api/v1/findings?cluster=nowhere,404",
        "/api/v1/operations?vm=,400",
        "/api/v1/operations?vm=%20+,400",
        "/actuator/env,404"
    })
    void aFailedRequestIsAProblem(String path, int status) {
        assertProblem(engine.get(path), status);
    }

    @Test
    void anUnknownParameterIsRefusedWithThoseThatThereAre() {
        HttpResponse<String> answer = engine.get("/api/v1/operations?satus=queued");
        assertProblem(answer, 400);
        assertThat(RunningEngine.JSON.readTree(answer.body()).path("detail").asString())
                .isEqualTo(
                        "There is no parameter \"satus\": GET /api/v1/operations takes batch,"
                                + " cursor, host, kind, limit, state, vm.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "PUT", "PATCH", "QUERY", "PROPFIND", "BREW"})
    void aWrongMethodIsAProblemTooThatNamesTheRightOnes(String method) {
        HttpResponse<String> answer =
                engine.send(
                        HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/vms"))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build());
        assertProblem(answer, 405);
        assertThat(answer.headers().firstValue("Allow").orElse("").split(", ?"))
                .contains("GET", "POST")
                .doesNotContain(method);
    }

    /** Also without a boundary, and where the endpoint reads no body. */
    @ParameterizedTest
    @CsvSource({
        "POST,/api/v1/clusters,415",
        "PUT,/api/v1/clusters/00000000-0000-0000-0000-000000000001,415",
        "POST,/api/v1/hosts/nowhere/refresh,404",
        "GET,/api/v1/summary,200"
    })
    void aFormWithFilesIsNoDefectOfTheEngine(String method, String path, int status) {
        for (String type : List.of("multipart/form-data", "multipart/form-data; boundary=x")) {
            HttpResponse<String> answer =
                    engine.send(
                            HttpRequest.newBuilder(URI.create(engine.address() + path))
                                    .header("Content-Type", type)
                                    .method(method, HttpRequest.BodyPublishers.noBody())
                                    .build());
            assertThat(answer.statusCode()).as(type + ": " + answer.body()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|400",
                "no json|400",
                "{'name':'x'}|400",
                "{'name':'','address':'a'}|400",
                "{'name':'x','address':'a b'}|400",
                "{'name':'x','address':'a','port':0}|400",
                "{'name':'x','address':'a','port':65536}|400",
                "{'name':'x','address':'a','port':'many'}|400",
                "{'name':'x','address':'a','adress':'b'}|400",
                "{'name':'host-0001','address':'a'}|409"
            })
    void invalidHostsAreRefused(String body, int status) {
        assertProblem(engine.post("/api/v1/hosts", body.replace('\'', '"')), status);
    }

    @Test
    void twoHostsAreNotAtOneAddress() {
        JsonNode hosts = engine.json("/api/v1/hosts").path("items");
        JsonNode first = hosts.path(0);
        String there =
                "\"address\":\"%s\",\"port\":%d"
                        .formatted(
                                first.path("address").asString().toUpperCase(Locale.ROOT),
                                first.path("port").asInt());
        HttpResponse<String> twin =
                engine.post("/api/v1/hosts", "{\"name\":\"twin\"," + there + "}");
        assertProblem(twin, 409);
        assertThat(twin.body()).contains(first.path("name").asString());
        assertProblem(
                engine.put(
                        "/api/v1/hosts/" + hosts.path(1).path("id").asString(), "{" + there + "}"),
                409);
        assertThat(
                        engine.put(
                                        "/api/v1/hosts/" + first.path("id").asString(),
                                        "{" + there.toLowerCase(Locale.ROOT) + "}")
                                .statusCode())
                .as("it is there itself")
                .isEqualTo(200);
    }

    @Test
    void aBodyBeyondTheLimitIsRefused() {
        assertProblem(engine.post("/api/v1/hosts", "\"" + "x".repeat(70_000) + "\""), 413);
        HttpRequest chunked =
                HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/hosts"))
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.fromPublisher(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"name\":\"" + "x".repeat(70_000) + "\"}")))
                        .build();
        assertProblem(engine.send(chunked), 413);
    }

    private static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("application/problem+json");
        JsonNode problem = RunningEngine.JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotBlank();
    }

    @Test
    void aSubscriberOfTheEngineGetsAReadingEverySecond() throws Exception {
        try (Stream stream = engine.stream("?entity=engine")) {
            Event first = stream.next("engine");
            assertThat(first.id()).isNull();
            JsonNode told = first.json().path("engine");
            assertThat(told.path("heapUsedBytes").asLong()).isPositive();
            assertThat(
                            told.path("structures")
                                    .valueStream()
                                    .map(each -> each.path("name").asString()))
                    .contains("vms", "writer queue");
            Event second = stream.next("engine");
            assertThat(second.json().path("engine").path("at").asString())
                    .isGreaterThan(told.path("at").asString());
        }
    }

    @Test
    void eventsAreListedNewestFirstInPagesFromMemoryAndTheDatabase() throws Exception {
        assertThat(engine.monitoring().flush(Duration.ofSeconds(30))).isTrue();
        List<Long> ids = new ArrayList<>();
        List<String> times = new ArrayList<>();
        Set<String> takenIn = new HashSet<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page = engine.json("/api/v1/events?limit=7&cursor=" + cursor);
            assertThat(page.path("items").size()).isBetween(1, 7);
            page.path("items")
                    .forEach(entry -> {
                        ids.add(entry.path("id").asLong());
                        times.add(entry.path("at").asString());
                        if (entry.path("code").asInt() == 100_001) {
                            takenIn.add(entry.path("vmId").asString());
                        }
                    });
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(VMS);
        assertThat(times.stream().map(java.time.Instant::parse).toList().reversed()).isSorted();
        assertThat(takenIn).as("every VM was taken in, and told once").hasSize(VMS);
    }

    @Test
    void eventsAreFilteredByVmHostSeverityEventAndTime() throws Exception {
        SimulatedVm vm = withAgent(3);
        vm.fireWatchdog("reset");
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
        assertThat(engine.monitoring().flush(Duration.ofSeconds(30))).isTrue();
        JsonNode list = engine.json("/api/v1/events?vm=" + vm.id());
        assertThat(list.path("items").size()).isEqualTo(2);
        JsonNode fired = list.path("items").get(0);
        assertThat(fired.path("event").asString()).isEqualTo("WATCHDOG_EVENT");
        assertThat(fired.path("severity").asString()).isEqualTo("warning");
        assertThat(fired.path("vmName").asString()).endsWith(vm.name());
        assertThat(fired.path("details").path("action").asString()).isEqualTo("reset");
        assertThat(fired.path("text").asString()).contains(vm.name()).contains("reset");
        JsonNode takenIn = list.path("items").get(1);
        assertThat(takenIn.path("hostName").asString())
                .isEqualTo(fired.path("hostName").asString());
        String about = "vm=" + vm.id() + "&";
        for (String one :
                List.of(
                        "severity=warning",
                        "event=watchdog_event",
                        "event=9901",
                        "since=" + fired.path("at").asString())) {
            assertThat(engine.json("/api/v1/events?" + about + one).path("items"))
                    .as(one)
                    .hasSize(1);
        }
        assertThat(engine.json("/api/v1/events?" + about + "severity=alert").path("items"))
                .isEmpty();
        assertThat(
                        engine.json(
                                        "/api/v1/events?until="
                                                + fired.path("at").asString()
                                                + "&"
                                                + about)
                                .path("items"))
                .hasSize(1);
        String host = fired.path("hostName").asString();
        assertThat(
                        engine.json(
                                        "/api/v1/events?limit=1000&event=EXTERNAL_VM_ADDED&host="
                                                + host)
                                .path("items"))
                .hasSize(20);
    }

    @Test
    void eventsComeOnTheStreamAndItResumesForThemToo() throws Exception {
        SimulatedVm vm = withAgent(4);
        Event first;
        try (Stream stream = engine.stream("?entity=event")) {
            assertThat(stream.next().name()).isEqualTo("snapshot-end");
            vm.fireWatchdog("pause");
            fleet.world().advance(Duration.ofSeconds(1));
            first = auditOf(stream, vm);
            assertThat(first.json().path("entry").path("details").path("action").asString())
                    .isEqualTo("pause");
        }
        fleet.world().advance(Duration.ofSeconds(1));
        vm.fireWatchdog("poweroff");
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
        try (Stream resumed = engine.stream("?entity=event", "Last-Event-ID", first.id())) {
            Event next = auditOf(resumed, vm);
            assertThat(next.json().path("entry").path("details").path("action").asString())
                    .isEqualTo("poweroff");
            assertThat(next.json().path("revision").asLong())
                    .isGreaterThan(first.json().path("revision").asLong());
        }
    }

    /** Streams of events have nothing but events, once the snapshot is over. */
    private static Event auditOf(Stream stream, SimulatedVm vm) throws Exception {
        Event event = stream.next();
        while (event != null) {
            assertThat(event.name()).isEqualTo("audit");
            if (event.json().path("entry").path("vmId").asString().equals(vm.id().toString())) {
                return event;
            }
            event = stream.next();
        }
        throw new AssertionError("the stream ended");
    }

    @Test
    void moreStreamsThanAllowedAreRefusedForNow() throws Exception {
        try (Stream a = engine.stream("?entity=host");
                Stream b = engine.stream("?entity=host");
                Stream c = engine.stream("?entity=host")) {
            a.next("snapshot-end");
            b.next("snapshot-end");
            c.next("snapshot-end");
            HttpResponse<String> refused = engine.get("/api/v1/stream");
            assertProblem(refused, 503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        }
    }

    /** The n-th VM whose guest agent talks, so that a login is reported. */
    private static SimulatedVm withAgent(int number) {
        return Truth.running(RunningEngine.JSON.readTree(fleet.world().state())).values().stream()
                .filter(vm -> vm.path("guest").path("agent").asString().equals("active"))
                .skip(number)
                .map(vm -> fleet.world().vm(vm.path("id").asString()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thePageIsServedWithItsParts() {
        HttpResponse<String> page = engine.get("/");
        assertThat(page.body()).contains("<title>Stillwater</title>");
        assertThat(page.headers().firstValue("Cache-Control")).contains("private, no-cache");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'self'")
                .doesNotContain("unsafe");
        List<String> parts =
                Pattern.compile("(?:href|src)=\"(console/[^\"]+)\"")
                        .matcher(page.body())
                        .results()
                        .map(part -> part.group(1))
                        .toList();
        assertThat(parts)
                .as("one style, one program, and the parts that it imports at once")
                .filteredOn(part -> !part.startsWith("console/chunk-"))
                .satisfiesExactly(
                        style -> assertThat(style).startsWith("console/style-"),
                        app -> assertThat(app).startsWith("console/app-"));
        for (String part : parts) {
            HttpResponse<String> file = engine.get("/" + part);
            assertThat(file.statusCode()).as(part).isEqualTo(200);
            assertThat(file.headers().firstValue("Cache-Control"))
                    .as("its name has the hash of its content")
                    .contains("max-age=31536000, private, immutable");
            HttpResponse<String> compressed =
                    engine.send(
                            HttpRequest.newBuilder(URI.create(engine.address() + "/" + part))
                                    .header("Accept-Encoding", "gzip")
                                    .build());
            assertThat(compressed.headers().firstValue("Content-Encoding")).contains("gzip");
        }
        assertThat(engine.json("/api/v1/summary").path("hosts").path("up").asInt()).isEqualTo(3);
    }

    @Test
    void everyMeterStandsOnAReferencePage() throws Exception {
        Path reference = Path.of("..", "docs", "reference");
        String pages =
                Files.readString(reference.resolve("meters.md"))
                        + Files.readString(reference.resolve("server-meters.md"));
        assertThat(engine.meterNames())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(pages).contains("`" + name + "`"));
    }

    @Test
    void readinessNamesAnAbsentDatabaseWhileReadsContinue() {
        assertThat(engine.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
        database.allowConnections(false);
        database.dropConnections();
        try {
            SimulatedVm vm = withAgent(2);
            vm.logIn("not-durable");
            fleet.world().advance(Duration.ofSeconds(1));
            RunningEngine.await(
                    () -> engine.get("/actuator/health/readiness").statusCode() == 503,
                    () -> engine.get("/actuator/health/readiness").body());
            assertThat(engine.get("/actuator/health/readiness").body()).contains("not durable");
            assertThat(engine.json("/api/v1/events?limit=5").path("items")).hasSize(5);
            assertProblem(engine.get("/api/v1/events?limit=500"), 503);
            assertThat(engine.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            RunningEngine.await(
                    () ->
                            engine.json("/api/v1/vms/" + vm.id())
                                    .path("guestUser")
                                    .asString()
                                    .equals("not-durable"),
                    () -> "the change is not read");
        } finally {
            database.allowConnections(true);
        }
        RunningEngine.await(
                () -> engine.get("/actuator/health/readiness").statusCode() == 200,
                () -> engine.get("/actuator/health/readiness").body());
        engine.awaitWritten();
    }
}
