package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import tools.jackson.databind.JsonNode;

/** XAPI pools that are added, changed and removed while the engine runs. */
@Timeout(300)
class XapiPoolsIT {

    private static final String PATH = "/api/v1/xapi-pools";
    private static final String PASSWORD = "stillwater";
    private static final int HOSTS = 3;
    private static final int VMS = 12;
    private static final int MANY = 260;

    @TempDir private Path folder;
    private TestDatabase database;
    private SimulatedPool pool;
    private RunningEngine engine;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        pool = SimulatedPool.start("127.13.7", HOSTS, VMS);
        startEngine(List.of());
    }

    private void startEngine(List<String> arguments) {
        engine =
                RunningEngine.start(
                        database,
                        arguments,
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.database.connect-timeout=1s",
                        "--stillwater.xapi.connect-timeout=1s",
                        "--stillwater.data-folder=" + folder.resolve("data"));
    }

    @AfterEach
    void stop() {
        engine.close();
        pool.close();
        database.close();
    }

    /** A body with other or further members; a null member is left out. */
    private String body(Object... members) {
        Map<String, Object> all = new TreeMap<>();
        all.put("name", "lab");
        all.put("addresses", List.of(pool.address()));
        all.put("port", pool.port());
        all.put("password", PASSWORD);
        for (int i = 0; i < members.length; i += 2) {
            all.put((String) members[i], members[i + 1]);
        }
        return RunningEngine.JSON.writeValueAsString(all);
    }

    private JsonNode test(String body) {
        HttpResponse<String> answer = engine.post(PATH + ":test", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).doesNotContain("\"" + PASSWORD + "\"");
        return RunningEngine.JSON.readTree(answer.body());
    }

    private String fingerprint() {
        return test(body()).path("certificates").path(0).path("fingerprint").asString();
    }

    private void add() {
        HttpResponse<String> added =
                engine.post(PATH, body("fingerprints", List.of(fingerprint())));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        assertThat(added.headers().firstValue("Location")).hasValue(PATH + "/" + pool.uuid());
        assertThat(added.body()).doesNotContain("\"" + PASSWORD + "\"");
    }

    private void awaitPool() {
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () ->
                        total("vms") == pool.vms().size()
                                && one().path("state").asString().equals("watched"),
                () -> engine.get(PATH).body());
        engine.awaitWritten();
    }

    private JsonNode one() {
        return engine.json(PATH + "/lab");
    }

    private int total(String list) {
        return engine.json("/api/v1/" + list + "?total=true").path("total").asInt();
    }

    private long events(int code) {
        return engine.json("/api/v1/events?limit=200&event=" + code).path("items").size();
    }

    private void refused(HttpResponse<String> answer, int status, String... words) {
        RestContract.assertProblem(answer, status);
        assertThat(answer.body()).contains(words).doesNotContain("\"" + PASSWORD + "\"");
    }

    private String rows(String table) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') FROM %s AS t"
                                        .formatted(table))) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void aTestSendsThePasswordToConfirmedHostsOnly() {
        JsonNode first = test(body());
        assertThat(first.path("ready").asBoolean()).isFalse();
        assertThat(first.path("reason").asString()).isEqualTo("unconfirmed_certificate");
        assertThat(first.path("pool").isNull()).isTrue();
        JsonNode certificate = first.path("certificates").path(0);
        assertThat(certificate.path("address").asString()).isEqualTo(pool.address());
        assertThat(certificate.path("confirmed").asBoolean()).isFalse();
        List<String> confirmed = List.of(certificate.path("fingerprint").asString());

        JsonNode wrong = test(body("fingerprints", confirmed, "password", "wrong"));
        assertThat(wrong.path("reason").asString()).isEqualTo("wrong_password");

        JsonNode ready = test(body("fingerprints", confirmed));
        assertThat(ready.path("ready").asBoolean()).as("" + ready).isTrue();
        assertThat(ready.path("reason").isNull()).isTrue();
        JsonNode found = ready.path("pool");
        assertThat(found.path("id").asString()).isEqualTo(pool.uuid());
        assertThat(found.path("name").asString()).isNotEmpty();
        assertThat(found.path("version").asString()).isNotEmpty();
        assertThat(found.path("coordinator").asString()).isEqualTo(pool.address());
        assertThat(found.path("encoding").asString()).isEqualTo("json-rpc");
        assertThat(found.path("hosts").asInt()).isEqualTo(HOSTS);
        assertThat(pool.sessions()).as("a test logs out").isZero();

        // A member names its coordinator, which is asked, and whose certificate counts as well.
        JsonNode shown = test(body("addresses", List.of("127.13.7.2"), "fingerprints", confirmed));
        assertThat(shown.path("reason").asString()).isEqualTo("unconfirmed_certificate");
        JsonNode second = shown.path("certificates").path(0).path("fingerprint");
        JsonNode member =
                test(
                        body(
                                "addresses",
                                List.of("127.13.7.2"),
                                "fingerprints",
                                List.of(confirmed.getFirst(), second.asString())));
        assertThat(member.path("pool").path("coordinator").asString())
                .as("" + member)
                .isEqualTo(pool.address());

        pool.failNext("session.login_with_password", "HOST_IS_SLAVE 127.13.7.99");
        JsonNode lost = test(body("fingerprints", confirmed));
        assertThat(lost.path("reason").asString()).as("" + lost).isEqualTo("no_coordinator");
        assertThat(lost.path("why").asString()).contains("127.13.7.99");

        JsonNode silent = test(body("addresses", List.of("127.13.7.77")));
        assertThat(silent.path("reason").asString()).isEqualTo("unreachable");

        JsonNode distrusted = test(body("trust", "no certificate"));
        assertThat(distrusted.path("reason").asString()).isEqualTo("invalid");
        assertThat(engine.json(PATH).path("total").asInt()).isZero();
        assertThat(events(100_109)).isZero();
    }

    @Test
    void aPoolComesChangesAndGoesWhileTheEngineRuns() throws Exception {
        List<String> confirmed = List.of(fingerprint());
        refused(engine.post(PATH, body()), 409, confirmed.getFirst(), "fingerprints");
        refused(
                engine.post(PATH, body("fingerprints", confirmed, "password", "wrong")),
                409,
                "SESSION_AUTHENTICATION_FAILED");
        refused(
                engine.post(PATH, body("addresses", List.of("127.13.7.77"))),
                409,
                "is not reached");
        assertThat(rows("xapi_pool")).isEmpty();

        add();
        awaitPool();
        JsonNode shown = one();
        assertThat(shown.path("id").asString()).isEqualTo(pool.uuid());
        assertThat(shown.path("source").asString()).isEqualTo("api");
        assertThat(shown.path("user").asString()).isEqualTo("root");
        assertThat(shown.path("certificates").asString()).isEqualTo("pinned");
        assertThat(shown.path("hosts").asInt()).isEqualTo(HOSTS);
        assertThat(rows("xapi_pool")).contains(pool.address()).doesNotContain(PASSWORD);
        assertThat(events(100_109)).isOne();
        assertThat(engine.json("/api/v1/vms?cluster=lab&total=true").path("total").asInt())
                .isEqualTo(VMS);

        refused(engine.post(PATH, body("fingerprints", confirmed)), 409, "already a XAPI pool lab");
        refused(
                engine.post(PATH, body("name", "other", "fingerprints", confirmed)),
                409,
                pool.uuid(),
                "watched already as lab");
        assertThat(engine.delete("/api/v1/clusters/" + pool.uuid()).statusCode()).isEqualTo(409);

        // Its password belongs to its addresses and its user.
        HttpResponse<String> moved = engine.put(PATH + "/lab", "{\"addresses\": [\"127.13.7.2\"]}");
        refused(moved, 400, "password is missing");
        assertThat(RunningEngine.JSON.readTree(moved.body()).path("member").asString())
                .isEqualTo("password");
        refused(
                engine.put(PATH + "/lab", "{\"password\": \"wrong\"}"),
                409,
                "SESSION_AUTHENTICATION_FAILED");
        refused(engine.put(PATH + "/lab", "{\"name\": \"other\"}"), 400, "keeps its name");
        assertThat(events(100_110)).isZero();

        HttpResponse<String> changed =
                engine.put(
                        PATH + "/lab",
                        "{\"user\": \"operator\", \"password\": \"operator\", \"encodings\":"
                                + " [\"xml-rpc\"]}");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        RunningEngine.await(
                () -> {
                    JsonNode now = one();
                    return now.path("encoding").asString("").equals("xml-rpc")
                            && now.path("state").asString().equals("watched");
                },
                () -> one().toString());
        assertThat(engine.json("/api/v1/events?event=100110").path("items").toString())
                .contains("user, password, encodings");
        assertThat(total("vms")).isEqualTo(VMS);
        String vm = pool.live().getFirst();
        pool.order(vm, pool.status(vm).equals("up") ? "pause" : "unpause");
        pool.advance();
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/vms/" + vm)
                                .path("status")
                                .asString()
                                .equals(pool.status(vm)),
                () -> engine.get("/api/v1/vms/" + vm).body());

        // A restart brings it back, without a word in the settings.
        engine.close();
        startEngine(List.of());
        awaitPool();
        assertThat(one().path("user").asString()).isEqualTo("operator");
        assertThat(one().path("encoding").asString()).isEqualTo("xml-rpc");

        remove();
        assertThat(engine.get("/actuator/health/xapi").body()).contains("\"pools\":0");
        RunningEngine.await(() -> pool.sessions() == 0, () -> "" + pool.sessions());
        engine.close();
        startEngine(List.of());
        assertThat(engine.json(PATH).path("total").asInt()).isZero();
        assertThat(total("hosts")).isZero();

        add(); // as if it had never been there
        awaitPool();
    }

    private void remove() throws Exception {
        HttpResponse<String> removed = engine.delete(PATH + "/lab");
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(204);
        assertThat(engine.json(PATH).path("total").asInt()).isZero();
        assertThat(engine.get(PATH + "/lab").statusCode()).isEqualTo(404);
        assertThat(total("hosts")).isZero();
        assertThat(total("vms")).isZero();
        assertThat(engine.get("/api/v1/clusters/" + pool.uuid()).statusCode()).isEqualTo(404);
        engine.awaitWritten();
        for (String table : List.of("xapi_pool", "host_static", "vm_static", "vm_dynamic")) {
            assertThat(rows(table)).as(table).isEmpty();
        }
        assertThat(engine.json("/api/v1/events?event=100111").path("items").toString())
                .contains("lab", "with %d hosts and %d VMs".formatted(HOSTS, VMS));
        assertThat(events(44)).as("each host").isEqualTo(HOSTS);
    }

    @Test
    void poolsOfTheSettingsAreShownAndNotChanged() {
        engine.close();
        startEngine(pool.engineArguments("lab"));
        awaitPool();
        assertThat(one().path("source").asString()).isEqualTo("settings");
        refused(engine.put(PATH + "/lab", "{\"password\": \"x\"}"), 409, "stillwater.xapi.pools");
        refused(engine.delete(PATH + "/lab"), 409, "stillwater.xapi.pools");
        refused(
                engine.post(PATH, body("name", "twice", "fingerprints", List.of(fingerprint()))),
                409,
                "watched already as lab");
        assertThat(test(body("name", "twice")).path("reason").asString())
                .as("the engine holds the host to its certificate already")
                .isEqualTo("already_watched");
        assertThat(total("hosts")).isEqualTo(HOSTS);
    }

    @Test
    void aDatabaseThatIsAwayRefusesChangesAndARemovalGoesOn() throws Exception {
        List<String> confirmed = List.of(fingerprint());
        database.allowConnections(false);
        database.dropConnections();
        refused(engine.post(PATH, body("fingerprints", confirmed)), 503, "database");
        database.allowConnections(true);
        RunningEngine.await(
                () -> engine.post(PATH, body("fingerprints", confirmed)).statusCode() == 201,
                () -> engine.get(PATH).body());
        awaitPool();

        database.allowConnections(false);
        database.dropConnections();
        refused(engine.put(PATH + "/lab", "{\"encodings\": [\"xml-rpc\"]}"), 503, "database");
        refused(engine.delete(PATH + "/lab"), 503, "database");
        assertThat(one().path("state").asString()).isEqualTo("watched");
        database.allowConnections(true);
        RunningEngine.await(
                () -> {
                    int status = engine.delete(PATH + "/lab").statusCode();
                    return status == 204 || status == 404;
                },
                () -> engine.get(PATH).body());
        assertThat(total("hosts")).isZero();
    }

    @Test
    void aRemovalThatWasInterruptedGoesOnAfterARestart() throws Exception {
        pool.close();
        pool = SimulatedPool.start("127.13.8", HOSTS, MANY); // more than one piece
        add();
        awaitPool();
        engine.close();
        database.execute("UPDATE xapi_pool SET removing = true");
        startEngine(List.of());
        RunningEngine.await(
                () -> engine.json(PATH).path("total").asInt() == 0, () -> engine.get(PATH).body());
        assertThat(total("hosts")).isZero();
        assertThat(total("vms")).isZero();
        assertThat(pool.sessions()).isZero();
        assertThat(engine.get("/api/v1/clusters/" + pool.uuid()).statusCode()).isEqualTo(404);
    }

    @Test
    void aPasswordWithoutItsKeyIsNamedAndThePoolComesBackWithTheKey() throws Exception {
        add();
        awaitPool();
        engine.close();
        Path keys = folder.resolve("data/secrets/keys");
        Path aside = keys.resolveSibling("aside");
        Path _ = Files.move(keys, aside);
        startEngine(List.of());
        assertThat(one().path("state").asString()).isEqualTo("not_watched");
        assertThat(one().path("trouble").asString()).contains("cannot be decrypted");
        assertThat(engine.get("/actuator/health/xapi").body()).contains("cannot be decrypted");
        refused(
                engine.put(PATH + "/lab", "{\"encodings\": [\"json-rpc\"]}"),
                400,
                "password is missing");
        Path _ = Files.move(aside, keys);
        HttpResponse<String> rotated = engine.post("/api/v1/secrets/rotate", "{}");
        assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
        awaitPool();
    }

    @Test
    void aReplacedCertificateIsConfirmedByAChange() throws Exception {
        List<String> confirmed = List.of(fingerprint());
        add();
        awaitPool();
        Path pins = folder.resolve("data/xapi/pools.properties");
        String before = Files.readString(pins);
        assertThat(before).contains("certificate." + pool.address());
        engine.close();
        Path _ =
                Files.writeString(
                        pins,
                        before.replaceAll(
                                "certificate\\.127\\.13\\.7\\.1=[0-9a-f]{64}",
                                "certificate.127.13.7.1=" + "0".repeat(64)));
        startEngine(List.of());
        RunningEngine.await(
                () -> one().path("state").asString().equals("failing"), () -> one().toString());
        refused(engine.put(PATH + "/lab", "{}"), 409, confirmed.getFirst());
        HttpResponse<String> changed =
                engine.put(
                        PATH + "/lab",
                        RunningEngine.JSON.writeValueAsString(Map.of("fingerprints", confirmed)));
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        awaitPool();
    }
}
