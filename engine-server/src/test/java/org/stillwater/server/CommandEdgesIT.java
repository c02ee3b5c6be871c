package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.testkit.Tier;
import tools.jackson.databind.JsonNode;

/**
 * Edge cases of requests over REST: pools, fencing, cancelled and doubled requests, limits, and
 * operations that outlive the engine or an outage of the database. All tests share hosts and
 * database; each acts on VMs of its own.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandEdgesIT extends ActingOnVms {

    private static final int MANY = Tier.count(200, 1_000);

    /** The first of those that are started by the hundred. */
    private static final int HUNDREDS = 300;

    private static final int BIG = HUNDREDS + 100 + MANY;
    private static final int VMS = BIG + 10;
    private static final int MEBIBYTES = 64;
    private static final Duration SAVED_EVERY = Duration.ofSeconds(2);

    /** Additional options of the engine. */
    private List<String> settings = List.of();

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < VMS; n++) {
                // The last ones are so big that a host has room for two.
                other.definitions()
                        .add(vm(n), definition("vm" + n, n < BIG ? MEBIBYTES : 200 * 1024));
            }
        }
        fleet = SimulatedFleet.start(folder, twoHosts(512));
        startEngine();
    }

    @Override
    @AfterAll
    void stop() {
        super.stop();
    }

    /** The engine with these settings; it is started again if it has others. */
    private void with(String... more) {
        if (!settings.equals(List.of(more))) {
            engine.close();
            startEngine(more);
        }
    }

    @BeforeEach
    void withoutMore() {
        with();
    }

    @Override
    void startEngine(String... more) {
        settings = List.of(more);
        super.startEngine(
                Stream.concat(
                                Stream.of(
                                        "--stillwater.rest.order-patience=10s",
                                        "--stillwater.commands.scheduling.cpu-overcommit=100"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    @Test
    void poolsAreMadeUsedResizedAndRemoved() {
        String members = "\"%s\", \"%s\", \"%s\"".formatted(vm(0), vm(1), vm(2));
        String body =
                "{\"name\": \"desks\", \"size\": %d, \"prestarted\": %d, \"stateful\": false,"
                        + " \"vms\": [%s]}";
        HttpResponse<String> added = engine.post("/api/v1/pools", body.formatted(3, 1, members));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        assertThat(json(added).path("disksReset").asBoolean(true)).isFalse();
        String pool = "/api/v1/pools/" + json(added).path("id").asString();
        awaitAdvancing(() -> up(pool) == 1);

        HttpResponse<String> given = engine.post(pool + "/allocate", "{\"user\": \"eve\"}");
        assertThat(given.statusCode()).as(given.body()).isEqualTo(200);
        String hers = json(given).path("id").asString();
        assertProblem(engine.post(pool + "/allocate", "{\"user\": \"eve\"}"), 409, "the most");
        assertProblem(engine.post(pool + "/allocate", "{\"user\": \" \"}"), 400, "user is missing");
        awaitAdvancing(() -> up(pool) == 2); // another one takes its place

        assertProblem(
                engine.put(pool, "{\"name\": \"desks\", \"size\": 2}"), 409, "The pool has 3 VMs");
        assertProblem(
                engine.put(pool, "{\"name\": \"desks\", \"size\": 2, \"prestarted\": 3}"),
                400,
                "0 to 2");
        HttpResponse<String> changed =
                engine.put(pool, body.formatted(3, 2, members).replace("desks", "tables"));
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        awaitAdvancing(() -> up(pool) == 3);
        assertThat(engine.json(pool).path("vms").toString()).contains("\"eve\"");

        String release = pool + "/vms/" + hers + "/release";
        assertThat(engine.post(release).statusCode()).isEqualTo(200);
        assertProblem(engine.post(release), 409, "No user has");
        assertProblem(engine.post(pool + "/vms/" + vm(9) + "/release"), 404, "no VM");
        HttpResponse<String> emptied = engine.put(pool, body.formatted(0, 0, ""));
        assertThat(emptied.statusCode()).as(emptied.body()).isEqualTo(200);
        assertThat(engine.json(pool).path("vms")).isEmpty();
        assertThat(engine.delete(pool).statusCode()).isEqualTo(204);
        assertProblem(engine.get(pool), 404, "no pool");
        assertProblem(engine.delete(pool), 404, "no pool");
        assertThat(engine.get(path(0)).statusCode()).isEqualTo(200); // its VMs stay
    }

    private long up(String pool) {
        long count = 0;
        for (JsonNode member : engine.json(pool).path("vms")) {
            count += member.path("status").asString().equals("up") ? 1 : 0;
        }
        return count;
    }

    @Test
    void hostsAreFencedAndConfirmedByPeople() {
        String host =
                "/api/v1/hosts/"
                        + engine.json("/api/v1/hosts").path("items").get(0).path("id").asString();
        assertProblem(engine.post("/api/v1/hosts/" + NOBODY + "/fence"), 404, NOBODY);
        assertProblem(engine.post("/api/v1/hosts/nobody/fence"), 404, "There is no host nobody.");
        assertProblem(engine.post(host + "/fence", "{\"force\": true}"), 400, "force");
        assertProblem(
                engine.post(host + "/confirm-rebooted"), 409, "the engine itself monitors its VMs");
        JsonNode without = ended(accepted(engine.post(host + "/fence")));
        assertThat(without.path("state").asString()).isEqualTo("failed");
        assertThat(without.path("failure").path("reason").asString()).contains("no fence agent");
        assertThat(
                        engine.put(
                                        host + "/fence-agents",
                                        "{\"items\": [{\"type\": \"ipmilan\", \"address\":"
                                                + " \"192.0.2.9\", \"user\": \"admin\","
                                                + " \"password\": \"of a board\"}]}")
                                .statusCode())
                .isEqualTo(200);
        JsonNode fenced = ended(accepted(engine.post(host + "/fence")));
        assertThat(fenced.path("kind").asString()).isEqualTo("fence");
        assertThat(fenced.path("state").asString()).as(fenced.toString()).isEqualTo("succeeded");
        assertThat(fenced.path("step").asString())
                .startsWith("dry run: it would be switched off by fence_ipmilan at 192.0.2.9");
        assertThat(status(host)).isEqualTo("up");
    }

    @Test
    void queuedOperationsAreCancelledAndEndedOnesAreNot() {
        String run = accepted(engine.post(path(10) + "/start"));
        ended(run);
        assertProblem(engine.post("/api/v1/operations/" + run + "/cancel"), 409, "has ended");

        String migration = accepted(engine.post(path(10) + "/migrate"));
        HttpResponse<String> cancelled = engine.post("/api/v1/operations/" + migration + "/cancel");
        assertThat(cancelled.statusCode()).as(cancelled.body()).isEqualTo(202);
        assertThat(ended(migration).path("state").asString()).isIn("cancelled", "succeeded");
        awaitAdvancing(() -> status(path(10)).equals("up"));

        JsonNode begun = json(batch("start", 100, 160));
        String batch = "/api/v1/batches/" + begun.path("id").asString();
        JsonNode taken = json(engine.post(batch + "/cancel"));
        awaitAdvancing(() -> engine.json(batch).path("batch").path("ended").asBoolean());
        JsonNode counts = engine.json(batch).path("batch").path("counts");
        int ended = counts.path("succeeded").asInt() + counts.path("cancelled").asInt();
        assertThat(ended).as(counts + " " + taken).isEqualTo(60);
        assertThat(counts.path("cancelled").asInt())
                .isLessThanOrEqualTo(taken.path("cancelling").asInt());
    }

    @Test
    void aBatchIsFoundAndFollowedAfterARestart() throws Exception {
        String id = json(batch("start", 200, 240)).path("id").asString();
        engine.close();
        startEngine();
        String batch = "/api/v1/batches/" + id;
        assertThat(engine.json(batch).path("batch").path("total").asInt()).isEqualTo(40);
        try (RunningEngine.Stream events = engine.open(batch + "/events")) {
            assertThat(events.next("snapshot").json().path("items")).isNotEmpty();
            awaitAdvancing(() -> engine.json(batch).path("batch").path("ended").asBoolean());
            assertThat(events.next("end").json().path("ended").asBoolean()).isTrue();
        }
        assertThat(
                        engine.json(batch + "?limit=0")
                                .path("batch")
                                .path("counts")
                                .path("succeeded")
                                .asInt())
                .as(engine.json(batch + "?limit=100").toString())
                .isEqualTo(40);
        assertThat(
                        fleet.world().vms().stream()
                                .filter(vm -> vm.host() != null)
                                .map(vm -> vm.id())
                                .distinct()
                                .count())
                .isEqualTo(fleet.world().vms().stream().filter(vm -> vm.host() != null).count());
        assertProblem(engine.post(batch + "x/cancel"), 400, "no UUID");
    }

    @Test
    void secondOperationGetsConflict() throws Exception {
        List<HttpResponse<String>> starts = atOnce(8, () -> engine.post(path(11) + "/start"));
        assertThat(starts).filteredOn(answer -> answer.statusCode() == 202).hasSize(1);
        starts.stream()
                .filter(answer -> answer.statusCode() != 202)
                .forEach(answer -> assertProblem(answer, 409, ""));

        List<HttpResponse<String>> added =
                atOnce(
                        8,
                        () ->
                                engine.post(
                                        "/api/v1/vms",
                                        "{\"name\": \"twin\", \"memoryMebibytes\": 64}"));
        assertThat(added).filteredOn(answer -> answer.statusCode() == 202).hasSize(1);
        added.stream()
                .filter(answer -> answer.statusCode() != 202)
                .forEach(answer -> assertProblem(answer, 409, "twin"));
        added.stream()
                .filter(answer -> answer.statusCode() == 202)
                .forEach(answer -> ended(json(answer).path("id").asString()));
        assertThat(engine.json("/api/v1/vms?name=twin&total=true").path("total").asInt())
                .isEqualTo(1);
    }

    private static List<HttpResponse<String>> atOnce(
            int count, Callable<HttpResponse<String>> asked) throws Exception {
        List<HttpResponse<String>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<HttpResponse<String>> answer :
                    threads.invokeAll(IntStream.range(0, count).mapToObj(_ -> asked).toList())) {
                answers.add(answer.get());
            }
        }
        return answers;
    }

    @Test
    void anOverfullClusterHasReasonsAndNoHalfDoneStarts() {
        String batch =
                "/api/v1/batches/" + json(batch("start", BIG, BIG + 10)).path("id").asString();
        awaitAdvancing(() -> engine.json(batch).path("batch").path("ended").asBoolean());
        JsonNode end = engine.json(batch);
        assertThat(end.path("batch").path("counts").path("succeeded").asInt()).isEqualTo(4);
        for (JsonNode item : end.path("items")) {
            if (item.path("state").asString().equals("failed")) {
                assertThat(item.path("failure").path("code").asString()).isEqualTo("no_host");
                assertThat(item.path("failure").path("reason").asString()).contains("memory");
                assertThat(
                                engine.json("/api/v1/vms/" + item.path("vmId").asString())
                                        .path("status")
                                        .asString())
                        .isEqualTo("down");
            }
        }
    }

    @Test
    void overloadAndASilentDatabaseHaveTheirOwnProblems() {
        with("--stillwater.commands.most-open=3");
        JsonNode begun = json(batch("start", 20, 30));
        assertThat(begun.path("accepted").asInt()).isEqualTo(3);
        assertThat(begun.path("items").get(9).path("problem").path("status").asInt())
                .isEqualTo(429);
        assertProblem(engine.post(path(31) + "/start"), 429, "3 operations are under way");
        String batch = "/api/v1/batches/" + begun.path("id").asString();
        awaitAdvancing(() -> engine.json(batch).path("batch").path("ended").asBoolean());

        database.allowConnections(false);
        database.dropConnections();
        try {
            assertProblem(engine.post(path(32) + "/start"), 503, "database");
            assertProblem(engine.get("/api/v1/operations/" + NOBODY), 503, "database");
            assertProblem(engine.get("/api/v1/batches/" + NOBODY), 503, "database");
        } finally {
            database.allowConnections(true);
        }
        awaitAdvancing(() -> engine.post(path(32) + "/start").statusCode() == 202);
        awaitAdvancing(() -> status(path(32)).equals("up"));
    }

    /**
     * How far operations are is written at most once in a while, all together, so a slower machine
     * writes it more often: that is allowed for by name, and made rare.
     */
    @Test
    void manyStartsCostNoMoreStatementsPerHundredThanAHundred() throws Exception {
        with("--stillwater.commands.save-every=" + SAVED_EVERY.toMillis() + "ms");
        Cost hundred = costOfStarting(HUNDREDS, HUNDREDS + 100);
        Cost many = costOfStarting(HUNDREDS + 100, BIG);
        String measured = "for 100: %s, for %d: %s".formatted(hundred, MANY, many);
        assertThat(hundred.statements()).as(measured).isLessThanOrEqualTo(30 + hundred.saving());
        assertThat(many.statements())
                .as(measured)
                .isLessThanOrEqualTo(MANY / 100 * 30L + many.saving());
    }

    /** Statements, and how long it took. */
    private record Cost(long statements, Duration took) {

        /** Statements for writing progress in this time: rows are locked, then changed. */
        long saving() {
            return 2 * (1 + took.toMillis() / SAVED_EVERY.toMillis());
        }
    }

    /** Cost of the operations, from the request until the last write. */
    private Cost costOfStarting(int from, int to) throws Exception {
        Map<SqlStage, Long> before = engine.stages();
        long began = System.nanoTime();
        String id = json(batch("start", from, to)).path("id").asString();
        JsonNode end = batchEnded("/api/v1/batches/" + id);
        assertThat(end.path("batch").path("counts").path("succeeded").asInt()).isEqualTo(to - from);
        try (Connection aside = database.connect()) {
            RunningEngine.await(() -> durablyEnded(aside, id) == to - from, end::toString);
        }
        Map<SqlStage, Long> after = engine.stages();
        Set<SqlStage> counted = EnumSet.of(SqlStage.OPERATIONS, SqlStage.DEFINITIONS);
        return new Cost(
                counted.stream().mapToLong(stage -> after.get(stage) - before.get(stage)).sum(),
                Duration.ofNanos(System.nanoTime() - began));
    }

    private static int durablyEnded(Connection aside, String batch) {
        try (PreparedStatement statement =
                aside.prepareStatement(
                        "SELECT count(*) FROM operation WHERE batch_id = ?::uuid AND ended_at IS"
                                + " NOT NULL")) {
            statement.setString(1, batch);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private HttpResponse<String> batch(String action, int from, int to) {
        String vms =
                String.join(
                        ",", IntStream.range(from, to).mapToObj(n -> "\"" + vm(n) + "\"").toList());
        HttpResponse<String> answer =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"%s\", \"vms\": [%s]}".formatted(action, vms));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return answer;
    }
}
