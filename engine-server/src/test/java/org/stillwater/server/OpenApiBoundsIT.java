package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The bounds of members and parameters in the OpenAPI document are those of the engine: it takes
 * the values at each bound and refuses those beyond it, so that a generated client refuses and
 * sends the right ones.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class OpenApiBoundsIT {

    /** Values within their bounds that the engine refuses for another reason. */
    private static final List<String> RELATED =
            List.of(
                    // At most 710 CPUs in all, and the example has two cores.
                    "NewVm.sockets = 710",
                    "NewVm.coresPerSocket = 710",
                    "NewVm.threadsPerCore = 710",
                    "NewVm.maximumSockets = 512",
                    // Not more than its memory.
                    "NewVm.guaranteedMemoryMebibytes = 50331648",
                    // No more VMs are kept up than the pool has.
                    "NewPool.prestarted = 100000",
                    "NewPool.size = 0",
                    // A text of this length is no expression, name, kind of agent or action.
                    "NewAlertRule.expr",
                    "NewUser.name",
                    "NewFenceAgent.type",
                    "NewBatch.action",
                    // A host keeps its name.
                    "HostChange.name",
                    // The caller of this test is no user, and a token needs one.
                    "NewToken.",
                    // Such a text has no certificate.
                    "NewXapiPool.trust",
                    // A test of a pool answers with what is wrong.
                    "NewXapiPoolTest.");

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(19, 2, 4));
        engine = RunningEngine.start(database, fleet.engineArguments());
        engine.awaitHostsUp(2);
        document = engine.json("/api/v1/openapi.json");
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private interface BodyVisitor {
        void visit(String request, String name, JsonNode schema, ObjectNode example);
    }

    /** Each request with a body that has a schema and an example. */
    private static void bodies(BodyVisitor visitor) {
        document.path("paths")
                .forEachEntry((path, item) ->
                        item.forEachEntry((method, operation) -> {
                            JsonNode content =
                                    operation
                                            .path("requestBody")
                                            .path("content")
                                            .path("application/json");
                            String reference = content.path("schema").path("$ref").asString("");
                            if (content.path("example") instanceof ObjectNode example
                                    && !reference.isEmpty()
                                    && !path.contains("{action}")) {
                                visitor.visit(
                                        method.toUpperCase(Locale.ROOT) + " " + path,
                                        reference.replaceAll(".*/", ""),
                                        document.at(reference.substring(1)),
                                        example);
                            }
                        }));
    }

    /** The schema itself where null is another possibility. */
    private static JsonNode value(JsonNode schema) {
        return schema.has("anyOf") ? schema.path("anyOf").path(0) : schema;
    }

    private static HttpResponse<String> send(String request, JsonNode body) {
        String[] words = request.split(" ", 2);
        String list = words[1].replaceAll("^(/api/v1/[^/:]+)/.*", "$1");
        String id =
                words[1].contains("{id}")
                        ? engine.json(list).path("items").path(0).path("id").asString("none")
                        : "";
        return engine.send(
                HttpRequest.newBuilder(URI.create(engine.address() + words[1].replace("{id}", id)))
                        .header("Content-Type", "application/json")
                        .method(words[0], HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build());
    }

    /** Whether the request found its object, so that the engine read the body. */
    private static boolean isRead(HttpResponse<String> answer) {
        return answer.statusCode() != 404 && !answer.body().contains("\\\"none\\\" is no UUID");
    }

    private static boolean isRefused(HttpResponse<String> answer) {
        return answer.statusCode() == 400 || answer.statusCode() == 422;
    }

    private static String brief(String request, JsonNode body, HttpResponse<String> answer) {
        return "%s %.120s: %d %.200s".formatted(request, body, answer.statusCode(), answer.body());
    }

    @Test
    void aMemberThatMayBeLeftOutMayBeNull() {
        List<String> wrong = new ArrayList<>();
        List<String> tried = new ArrayList<>();
        bodies((request, name, schema, example) -> {
            Set<String> required = new TreeSet<>();
            schema.path("required").forEach(each -> required.add(each.asString()));
            for (String member : schema.path("properties").propertyNames()) {
                if (required.contains(member) || example.has(member)) {
                    continue;
                }
                ObjectNode body = example.deepCopy().putNull(member);
                HttpResponse<String> answer = send(request, body);
                tried.add(name + "." + member);
                JsonNode type = schema.path("properties").path(member);
                boolean maybeNull =
                        type.has("anyOf")
                                || type.path("type").toString().contains("null")
                                || type.path("type").isMissingNode();
                if (isRead(answer) && isRefused(answer) == maybeNull && !name.equals("NewToken")) {
                    wrong.add(brief(request, body, answer));
                }
            }
        });
        assertThat(wrong).isEmpty();
        assertThat(tried).hasSizeGreaterThan(60);
    }

    /** Values at the bounds of a schema, and beyond them, by what the body then has. */
    private static Map<JsonNode, Boolean> values(JsonNode schema) {
        Map<JsonNode, Boolean> values = new LinkedHashMap<>();
        var nodes = RunningEngine.JSON.getNodeFactory();
        if (schema.has("minimum")) {
            values.put(nodes.numberNode(schema.path("minimum").asLong()), true);
            values.put(nodes.numberNode(schema.path("minimum").asLong() - 1), false);
        }
        if (schema.has("maximum")) {
            values.put(nodes.numberNode(schema.path("maximum").asLong()), true);
            values.put(nodes.numberNode(schema.path("maximum").asLong() + 1), false);
        }
        if (schema.has("minLength")) {
            int least = schema.path("minLength").asInt();
            values.put(nodes.stringNode("x".repeat(least)), true);
            values.put(nodes.stringNode("x".repeat(least - 1)), false);
        }
        if (schema.has("maxLength")) {
            int most = schema.path("maxLength").asInt();
            values.put(nodes.stringNode("x".repeat(most)), true);
            values.put(nodes.stringNode("x".repeat(most + 1)), false);
        }
        if (schema.has("enum")) {
            schema.path("enum").forEach(each -> values.put(each, true));
            values.put(nodes.stringNode("nonsense"), false);
            values.put(nodes.stringNode(""), false);
        }
        if (schema.has("minItems")) {
            values.put(nodes.arrayNode(), false);
        }
        return values;
    }

    @Test
    void theBoundsOfMembersAreThoseOfTheEngine() {
        List<String> wrong = new ArrayList<>();
        List<String> tried = new ArrayList<>();
        bodies((request, name, schema, example) ->
                schema.path("properties")
                        .forEachEntry((member, property) ->
                                values(value(property))
                                        .forEach((value, fits) -> {
                                            ObjectNode body = example.deepCopy();
                                            body.set(member, value);
                                            String each =
                                                    name + "." + member + " = " + shown(value);
                                            HttpResponse<String> answer = send(request, body);
                                            tried.add(each);
                                            boolean isRight =
                                                    fits
                                                            ? !isRefused(answer)
                                                            : answer.statusCode() >= 400;
                                            if (isRead(answer)
                                                    && !isRight
                                                    && RELATED.stream()
                                                            .noneMatch(each::startsWith)) {
                                                wrong.add(
                                                        each + ": " + brief(request, body, answer));
                                            }
                                        })));
        assertThat(wrong).isEmpty();
        assertThat(tried).hasSizeGreaterThan(150);
    }

    private static String shown(JsonNode value) {
        return value.isString() && value.asString().length() > 20
                ? value.asString().length() + " characters"
                : value.isString() ? '"' + value.asString() + '"' : value.toString();
    }

    @Test
    void theBoundsOfQueryParametersAreThoseOfTheEngine() {
        List<String> wrong = new ArrayList<>();
        List<String> tried = new ArrayList<>();
        document.path("paths")
                .forEachEntry((path, item) -> {
                    for (JsonNode each : item.path("get").path("parameters")) {
                        JsonNode schema = each.path("schema");
                        if (!each.path("in").asString().equals("query")
                                || path.endsWith("/stream")) {
                            continue;
                        }
                        String parameter = each.path("name").asString();
                        assertThat(schema.path("type").toString())
                                .as(path + "?" + parameter)
                                .doesNotContain("null");
                        assertThat(schema.path("default").asString("none"))
                                .as(path + "?" + parameter)
                                .isNotEmpty();
                        queries(schema)
                                .forEach((value, fits) -> {
                                    String query = query(path, parameter, value);
                                    HttpResponse<String> answer =
                                            engine.get(existing(path) + query);
                                    tried.add(path + query);
                                    boolean isRight =
                                            fits
                                                    ? answer.statusCode() != 400
                                                    : answer.statusCode() == 400
                                                            || answer.statusCode() == 404;
                                    if (!isRight) {
                                        wrong.add(
                                                "%s%s: %d %.200s"
                                                        .formatted(
                                                                path,
                                                                query,
                                                                answer.statusCode(),
                                                                answer.body()));
                                    }
                                });
                    }
                });
        assertThat(wrong).isEmpty();
        assertThat(tried).hasSizeGreaterThan(150);
    }

    private static Map<String, Boolean> queries(JsonNode schema) {
        Map<String, Boolean> all = new LinkedHashMap<>();
        boolean isText = !schema.has("minLength");
        values(schema)
                .forEach((value, fits) -> {
                    // A text of one letter may be no name of an object.
                    if (isText || !fits) {
                        all.put(value.asString(), fits);
                    }
                });
        String pattern = schema.path("pattern").asString("");
        if (!pattern.isEmpty()) {
            String words = pattern.replaceAll("^\\^\\(([a-z_|]+)\\).*", "$1");
            if (!words.equals(pattern)) {
                all.put(words.replace('|', ','), true);
            }
            all.put("nonsense", false);
        }
        return all;
    }

    private static String query(String path, String parameter, String value) {
        String others =
                path.endsWith("/series")
                        ? "&vm=" + aVm() + "&operation=random-read&recordBytes=65536"
                        : "";
        String own = parameter + "=" + value;
        return "?" + own + others.replaceAll("&" + parameter + "=[^&]*", "");
    }

    private static String existing(String path) {
        return path.replace("{id}", path.startsWith("/api/v1/hosts") ? "host-0001" : aVm());
    }

    private static String aVm() {
        return engine.json("/api/v1/vms?limit=1").path("items").path(0).path("id").asString();
    }

    @Test
    void aReadOnlyMemberHasItsType() {
        ArrayNode no = RunningEngine.JSON.createArrayNode();
        assertThat(
                        engine.post(
                                        "/api/v1/clusters",
                                        "{\"name\":\"typed\",\"hosts\":%s}".formatted(no))
                                .body())
                .contains("hosts must be a whole number");
        assertThat(
                        engine.post(
                                        "/api/v1/vms",
                                        "{\"name\":\"typed\",\"memoryMebibytes\":512,\"suspended\":1}")
                                .body())
                .contains("suspended must be true or false");
        assertThat(
                        engine.post(
                                        "/api/v1/hosts/host-0001/fence-agents/test",
                                        "{\"type\":\"ipmilan\",\"address\":\"192.0.2.9\",\"trouble\":{}}")
                                .body())
                .contains("trouble must be text");
        assertThat(engine.post("/api/v1/pools", "{\"name\":\"typed\",\"size\":99999999999}").body())
                .contains("size must be a whole number of 32 bits");
    }
}
