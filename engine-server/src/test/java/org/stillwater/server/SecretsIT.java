package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.dal.TestDatabase;
import org.stillwater.testkit.Samples;
import tools.jackson.databind.JsonNode;

/** Fence agents and their secrets through the whole engine: defined, stored, restarted, rotated. */
@Timeout(600)
class SecretsIT {

    private static final String PASSWORD = "s3cret-of-a-board";
    private static final String COMMUNITY = "n0t-public";

    @TempDir private Path folder;
    private TestDatabase database;
    private RunningEngine engine;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        database.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h1', '192.0.2.1', 1)"
                        .formatted(Samples.host(1).value()));
        database.execute(
                "INSERT INTO host_dynamic (host_id) VALUES ('%s')"
                        .formatted(Samples.host(1).value()));
        // Of an earlier version: readable, and one option that is not allowed any more.
        database.execute(
                """
                INSERT INTO host_fence_agent (host_id, position, type, address, password, agent_options)
                VALUES ('%1$s', 0, 'apc_snmp', '192.0.2.8', '%2$s', '{"community": "%3$s", "plug": "4"}'),
                       ('%1$s', 1, 'ipmilan', '192.0.2.9', '%2$s', '{"password_script": "/tmp/x"}')
                """
                        .formatted(Samples.host(1).value(), PASSWORD, COMMUNITY));
        startEngine();
    }

    private void startEngine() {
        engine =
                RunningEngine.start(
                        database, List.of(), "--stillwater.data-folder=" + folder.resolve("data"));
    }

    @AfterEach
    void stop() {
        engine.close();
        database.close();
    }

    private static String agents() {
        return "/api/v1/hosts/" + Samples.host(1) + "/fence-agents";
    }

    private Path keys() {
        return folder.resolve("data/secrets/keys");
    }

    private String stored() throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT string_agg(to_jsonb(a)::text, ' ') FROM host_fence_agent"
                                        + " AS a")) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private void assertHealth(String status, String... words) {
        JsonNode health = RunningEngine.JSON.readTree(engine.get("/actuator/health").body());
        JsonNode fencing = health.path("components").path("fencing");
        assertThat(fencing.path("status").asString()).as(fencing.toString()).isEqualTo(status);
        assertThat(fencing.toString()).contains(words).doesNotContain(PASSWORD, COMMUNITY);
    }

    private void awaitEvent(String code, String... words) {
        RunningEngine.await(
                () ->
                        events(code).stream()
                                .anyMatch(text -> List.of(words).stream().allMatch(text::contains)),
                () -> engine.get("/api/v1/events").body());
    }

    private List<String> events(String code) {
        return engine.json("/api/v1/events?limit=200")
                .path("items")
                .valueStream()
                .map(JsonNode::toString)
                .filter(text -> text.contains(code))
                .toList();
    }

    @Test
    void theFirstStartEncryptsPlainSecretsAndShowsNone() throws Exception {
        assertThat(stored()).doesNotContain(PASSWORD, COMMUNITY, "password_script");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys())))
                .isEqualTo("rw-------");
        HttpResponse<String> read = engine.get(agents());
        assertThat(read.body()).doesNotContain(PASSWORD, COMMUNITY, "/tmp/x");
        JsonNode first = engine.json(agents()).path("items").get(0);
        assertThat(first.path("hasPassword").asBoolean()).isTrue();
        assertThat(first.path("options").toString()).isEqualTo("{\"plug\":\"4\"}");
        assertThat(first.path("secretOptions").toString()).isEqualTo("[\"community\"]");
        assertThat(first.path("trouble").isNull()).isTrue();
        assertThat(
                        engine.database()
                                .definitions()
                                .fenceAgents(Samples.host(1))
                                .getFirst()
                                .options())
                .isEqualTo(Map.of("community", COMMUNITY, "plug", "4"));

        JsonNode second = engine.json(agents()).path("items").get(1);
        assertThat(second.path("trouble").asString())
                .contains("takes no option password_script", "lanplus");
        assertHealth("DOWN", "fence_ipmilan at 192.0.2.9", "password_script");
        awaitEvent("FENCE_AGENT_REFUSED", "fence_ipmilan at 192.0.2.9", "password_script");
        assertThat(engine.get("/actuator/health/readiness").statusCode()).isEqualTo(200);

        // Once the operator has removed it, nothing is wrong; what is secret was kept.
        HttpResponse<String> mended =
                engine.put(
                        agents(),
                        "{\"items\": [%s, {\"type\": \"ipmilan\", \"address\": \"192.0.2.9\", \"secretOptions\": []}]}"
                                .formatted(first));
        assertThat(mended.statusCode()).as(mended.body()).isEqualTo(200);
        assertHealth("UP", "\"dryRun\":true");
        var kept = engine.database().definitions().fenceAgents(Samples.host(1));
        assertThat(kept).allMatch(agent -> PASSWORD.equals(agent.password()));
        assertThat(kept.getFirst().options()).containsEntry("community", COMMUNITY);
        assertThat(kept.getLast().options()).isEmpty();
        assertThat(stored()).doesNotContain(PASSWORD, COMMUNITY);
    }

    @Test
    void optionsThatAreNotAllowedAreRefusedByNameAndNothingIsChanged() throws Exception {
        String before = stored();
        for (String options :
                List.of(
                        "{\"ssh_options\": \"-o ProxyCommand=id\"}",
                        "{\"identity_file\": \"/etc/shadow\"}",
                        "{\"passwd_script\": \"/bin/id\"}",
                        "{\"lanplus\": \"1\\npassword_script=/bin/id\"}",
                        "{\"cipher\": \"3 -f /etc/shadow\"}")) {
            HttpResponse<String> refused =
                    engine.put(
                            agents(),
                            "{\"items\": [{\"type\": \"ipmilan\", \"address\": \"192.0.2.9\", \"options\": %s}]}"
                                    .formatted(options));
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        }
        Map<String, String> wrong =
                Map.of(
                        "\"type\": \"../../bin/sh\", \"address\": \"a\"",
                        "type",
                        "\"type\": \"ack_manual\", \"address\": \"a\"",
                        "type",
                        "\"type\": \"apc\", \"address\": \"-oProxyCommand=id\"",
                        "address",
                        "\"type\": \"apc\", \"address\": \"a\", \"port\": 65536",
                        "port",
                        "\"type\": \"apc\", \"address\": \"a\", \"user\": \"a -oProxyCommand=id\"",
                        "user",
                        "\"type\": \"apc\", \"address\": \"a\", \"password\": \"a\\u2028b\"",
                        "password",
                        "\"type\": \"apc\", \"address\": \"a\", \"options\": {\"hots\": \"1\"}",
                        "options");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            HttpResponse<String> refused =
                    engine.put(agents(), "{\"items\": [{%s}]}".formatted(each.getKey()));
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(RunningEngine.JSON.readTree(refused.body()).path("member").asString())
                    .as(refused.body())
                    .isEqualTo("items[0]." + each.getValue());
            HttpResponse<String> untested =
                    engine.post(agents() + "/test", "{%s}".formatted(each.getKey()));
            assertThat(untested.statusCode()).as(untested.body()).isEqualTo(400);
            assertThat(RunningEngine.JSON.readTree(untested.body()).path("member").asString())
                    .isEqualTo(each.getValue());
        }
        assertThat(stored()).isEqualTo(before);
    }

    @Test
    void aTestOfAnAgentStoresNothingAndExplainsUnknownPower() throws Exception {
        String before = stored();
        JsonNode agent = engine.json(agents()).path("items").get(0);
        HttpResponse<String> tested = engine.post(agents() + "/test", agent.toString());
        assertThat(tested.statusCode()).as(tested.body()).isEqualTo(200);
        JsonNode answer = RunningEngine.JSON.readTree(tested.body());
        assertThat(answer.path("power").asString()).isEqualTo("unknown");
        assertThat(answer.path("trouble").asString()).contains("dry run");
        assertThat(tested.body()).doesNotContain(PASSWORD, COMMUNITY);
        assertThat(stored()).isEqualTo(before);
    }

    @Test
    void anAgentThatBecomesAnotherDoesNotLoseItsSecretsInSilence() throws Exception {
        String before = stored();
        JsonNode agent = engine.json(agents()).path("items").get(0);
        String moved = agent.toString().replace(agent.path("address").asString(), "192.0.2.77");
        assertThat(moved).contains("\"secretOptions\":[\"community\"]", "\"hasPassword\":true");
        refused(moved, "secretOptions names community");
        String told = moved.replace("\"plug\"", "\"community\":\"other\",\"plug\"");
        refused(told, "hasPassword is true");
        refused(
                "{\"type\": \"apc_snmp\", \"address\": \"192.0.2.77\", \"hasPassword\": true}",
                "hasPassword is true");
        assertThat(stored()).isEqualTo(before);

        HttpResponse<String> whole =
                engine.put(
                        agents(),
                        "{\"items\": [%s]}"
                                .formatted(
                                        told.replace(
                                                "\"hasPassword\":true",
                                                "\"hasPassword\":true,\"password\":\"new one\"")));
        assertThat(whole.statusCode()).as(whole.body()).isEqualTo(200);
        var kept = engine.database().definitions().fenceAgents(Samples.host(1)).getFirst();
        assertThat(kept.options()).containsEntry("community", "other");
        assertThat(kept.password()).isEqualTo("new one");
    }

    @Test
    void agentsAtOneAddressKeepASecretEach() throws Exception {
        String agent =
                "{\"type\": \"ipmilan\", \"address\": \"192.0.2.10\", \"port\": %d, \"user\":"
                        + " \"%s\"%s}";
        String[][] boards = {{"6230", "root"}, {"6231", "root"}, {"6231", "admin"}};
        List<String> sent = new ArrayList<>();
        List<String> back = new ArrayList<>();
        for (String[] each : boards) {
            int port = Integer.parseInt(each[0]);
            String own = each[0] + each[1];
            sent.add(agent.formatted(port, each[1], ", \"password\": \"" + own + "\""));
            back.addFirst(agent.formatted(port, each[1], ", \"hasPassword\": true"));
        }
        for (List<String> items : List.of(sent, back)) {
            HttpResponse<String> saved =
                    engine.put(agents(), "{\"items\": [%s]}".formatted(String.join(",", items)));
            assertThat(saved.statusCode()).as(saved.body()).isEqualTo(200);
        }
        assertThat(engine.database().definitions().fenceAgents(Samples.host(1)))
                .extracting(FenceAgent::password)
                .containsExactly("6231admin", "6231root", "6230root");
    }

    private void refused(String agent, String why) throws Exception {
        HttpResponse<String> refused = engine.put(agents(), "{\"items\": [%s]}".formatted(agent));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains(why);
    }

    @Test
    void theKeyIsRotatedAndTheOldOneIsUnused() throws Exception {
        JsonNode before = engine.json("/api/v1/secrets");
        String old = before.path("keys").get(0).asString();
        assertThat(before.path("stored").path(old).asInt()).isEqualTo(2);
        String oldKey = lastLine();
        Path _ = Files.writeString(keys(), newKey() + "\n" + oldKey + "\n");
        HttpResponse<String> rotated = engine.post("/api/v1/secrets/rotate", "{}");
        assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
        assertThat(rotated.body()).doesNotContain(oldKey, PASSWORD);
        JsonNode state = RunningEngine.JSON.readTree(rotated.body());
        assertThat(state.path("encrypted").asInt()).isEqualTo(2);
        String fresh = state.path("keys").get(0).asString();
        assertThat(state.path("stored").toString()).isEqualTo("{\"%s\":2}".formatted(fresh));
        awaitEvent("SECRETS_ENCRYPTED", fresh);

        Path _ = Files.writeString(keys(), Files.readAllLines(keys()).getFirst() + "\n");
        assertThat(engine.post("/api/v1/secrets/rotate").statusCode()).isEqualTo(200);
        assertThat(
                        engine.database()
                                .definitions()
                                .fenceAgents(Samples.host(1))
                                .getFirst()
                                .password())
                .isEqualTo(PASSWORD);
    }

    private String lastLine() throws Exception {
        return Files.readAllLines(keys()).getLast();
    }

    private static String newKey() {
        byte[] bytes = new byte[32];
        new java.security.SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Test
    void withoutItsKeyTheEngineStartsAndNamesTheMissingFile() throws Exception {
        String key = lastLine();
        String name = engine.json("/api/v1/secrets").path("keys").get(0).asString();
        engine.close();
        Files.delete(keys());
        startEngine();
        assertThat(keys()).doesNotExist(); // a new key would open nothing
        assertHealth("DOWN", keys().toString(), "missing");
        assertThat(engine.json(agents()).path("items").get(0).path("trouble").asString())
                .contains("cannot be decrypted", keys().toString());
        assertThat(engine.post("/api/v1/secrets/rotate").statusCode()).isEqualTo(409);
        HttpResponse<String> kept =
                engine.put(
                        agents(),
                        "{\"items\": [{\"type\": \"ipmilan\", \"address\": \"192.0.2.9\"}]}");
        assertThat(kept.statusCode()).as(kept.body()).isEqualTo(409);
        HttpResponse<String> saved =
                engine.put(
                        agents(),
                        "{\"items\": [{\"type\": \"apc\", \"address\": \"192.0.2.7\", \"password\":"
                                + " \"x\"}]}");
        assertThat(saved.statusCode()).as(saved.body()).isEqualTo(409);

        Path _ = Files.writeString(keys(), newKey() + "\n");
        Path _ =
                Files.setPosixFilePermissions(keys(), PosixFilePermissions.fromString("rw-------"));
        assertThat(engine.post("/api/v1/secrets/rotate").statusCode()).isEqualTo(200);
        assertHealth("DOWN", name); // another key: the one that is missing is named
        awaitEvent("SECRETS_UNREADABLE", name);

        Path _ = Files.writeString(keys(), newKey() + "\n" + key + "\n");
        assertThat(engine.post("/api/v1/secrets/rotate").statusCode()).isEqualTo(200);
        assertThat(
                        engine.database()
                                .definitions()
                                .fenceAgents(Samples.host(1))
                                .getFirst()
                                .password())
                .isEqualTo(PASSWORD);
    }

    @Test
    void inADryRunTheStatusRunsNoAgentAndReportsThis() {
        HttpResponse<String> answer =
                engine.post(
                        "/ovirt-engine/api/hosts/" + Samples.host(1) + "/fence",
                        "{\"fence_type\": \"status\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
        assertThat(answer.body()).contains("dry run", "not even for the status");
        HttpResponse<String> started =
                engine.post(
                        "/ovirt-engine/api/hosts/" + Samples.host(1) + "/fence",
                        "{\"fence_type\": \"start\"}");
        assertThat(started.statusCode()).as(started.body()).isEqualTo(409);
        assertThat(started.body()).contains("dry run");
    }
}
