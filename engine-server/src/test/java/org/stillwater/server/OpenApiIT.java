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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.testkit.Schemathesis;
import org.stillwater.testkit.Tier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI document: it is the one that is checked in, and schemathesis finds it true. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class OpenApiIT {

    /** The end of a refusal of an unknown member. */
    private static final Pattern MEMBERS = Pattern.compile("The members are ([\\w, ]+)\\.");

    private static final Path PAGE = Path.of("..", "docs", "reference", "openapi.json");

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(17, 2, 10));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.stream.max-subscribers=5",
                        "--stillwater.stream.heart-beat=100ms");
        engine.awaitHostsUp(2);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == 20,
                () -> "" + engine.monitoring().health());
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static JsonNode document() {
        HttpResponse<String> answer = engine.get("/api/v1/openapi.json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RunningEngine.JSON.readTree(answer.body());
    }

    @Test
    void theDocumentThatIsCheckedInIsTheOneThatIsServed() throws Exception {
        String text =
                RunningEngine.JSON
                                .rebuild()
                                .enable(SerializationFeature.INDENT_OUTPUT)
                                .build()
                                .writeValueAsString(document())
                                .replace("\r\n", "\n")
                        + "\n";
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, text);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/openapi.json; -Dstillwater.docs=write renews it")
                .isEqualTo(text);
    }

    @Test
    void everyOperationHasItsOwnIdAndItsAnswers() {
        JsonNode document = document();
        assertThat(document.path("openapi").asString()).startsWith("3.1");
        Set<String> ids = new HashSet<>();
        document.path("paths")
                .forEachEntry((path, item) -> {
                    assertThat(path).startsWith("/api/v1/");
                    item.forEachEntry((method, operation) -> {
                        String id = operation.path("operationId").asString();
                        assertThat(ids.add(id)).as(id).isTrue();
                        assertThat(operation.path("responses").has("401")).as(id).isTrue();
                        assertThat(operation.path("responses").propertyNames())
                                .as(id)
                                .anyMatch(status -> status.startsWith("2"));
                    });
                });
        assertThat(ids).contains("getVms", "getVmsByIdStatistics", "postVmsBatch", "getStream");
    }

    @Test
    void everyOperationParameterAndMemberHasADescription() {
        JsonNode document = document();
        List<String> silent = new ArrayList<>();
        document.path("paths")
                .forEachEntry((path, item) ->
                        item.forEachEntry((method, operation) -> {
                            String id = operation.path("operationId").asString();
                            if (operation.path("summary").asString("").isEmpty()
                                    || operation.path("description").asString("").isEmpty()) {
                                silent.add(id);
                            }
                            for (JsonNode parameter : operation.path("parameters")) {
                                if (parameter.path("description").asString("").isEmpty()) {
                                    silent.add(id + "?" + parameter.path("name").asString());
                                }
                            }
                        }));
        document.path("components")
                .path("schemas")
                .forEachEntry((schema, body) ->
                        body.path("properties")
                                .forEachEntry((member, property) -> {
                                    if (property.path("description").asString("").isEmpty()) {
                                        silent.add(schema + "." + member);
                                    }
                                }));
        assertThat(silent).as("without a text").isEmpty();
    }

    /** So that a generated client has a text where a list has a text. */
    @Test
    void valuesWithAgesHaveSchemasOfTheirOwn() {
        JsonNode schemas = document().path("components").path("schemas");
        assertThat(schemas.path("VmRow").path("properties").path("name").path("type").asString())
                .isEqualTo("string");
        assertThat(
                        schemas.path("AgedVmRow")
                                .path("properties")
                                .path("name")
                                .path("$ref")
                                .asString())
                .isEqualTo("#/components/schemas/Aged");
        assertThat(schemas.path("VmListOrChanges").path("anyOf").findValuesAsString("$ref"))
                .containsExactly(
                        "#/components/schemas/AgedVmChanges",
                        "#/components/schemas/AgedVmList",
                        "#/components/schemas/VmChanges",
                        "#/components/schemas/VmList");
    }

    @Test
    void answersWithAgesAreMarked() {
        for (String path : List.of("vms", "hosts", "statistics/vms", "statistics/hosts")) {
            JsonNode aged = engine.json("/api/v1/" + path + "?age=true");
            assertThat(aged.path("aged").asBoolean(false)).as(path).isTrue();
            assertThat(engine.json("/api/v1/" + path).has("aged")).as(path).isFalse();
            if (!path.startsWith("statistics")) {
                String since = "?since=" + aged.path("revision").asLong();
                JsonNode changes = engine.json("/api/v1/" + path + since + "&age=true");
                assertThat(changes.path("aged").asBoolean(false)).as(path).isTrue();
                assertThat(engine.json("/api/v1/" + path + since).has("aged")).isFalse();
            }
        }
    }

    /**
     * The engine names the members of a body when it refuses one: they are those of the schema, so
     * that a generated client can send all of them.
     */
    @Test
    void theMembersOfABodyAreThoseOfItsSchema() {
        JsonNode document = document();
        List<String> compared = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        document.path("paths")
                .forEachEntry((path, item) ->
                        item.forEachEntry((method, operation) -> {
                            JsonNode content =
                                    operation
                                            .path("requestBody")
                                            .path("content")
                                            .path("application/json");
                            String schema = content.path("schema").path("$ref").asString("");
                            if (!(content.path("example").deepCopy() instanceof ObjectNode body)
                                    || path.contains("{action}")) {
                                return;
                            }
                            String request = method.toUpperCase(Locale.ROOT) + " " + path;
                            HttpResponse<String> answer = send(request, body.put("nothing", true));
                            if (answer.statusCode() < 300) {
                                wrong.add(request + " accepts any member");
                            }
                            Matcher members = MEMBERS.matcher(answer.body());
                            if (members.find()) {
                                compared.add(request);
                                Set<String> known = Set.of(members.group(1).split(", ", -1));
                                Set<String> described =
                                        Set.copyOf(
                                                document.at(schema.replace("#", ""))
                                                        .path("properties")
                                                        .propertyNames());
                                if (!known.equals(described)) {
                                    wrong.add(request + " knows " + known + ", not " + described);
                                }
                            }
                        }));
        assertThat(wrong).isEmpty();
        assertThat(compared)
                .hasSizeGreaterThan(15)
                .contains(
                        "POST /api/v1/vms",
                        "PUT /api/v1/vms/{id}/definition",
                        "POST /api/v1/hosts",
                        "PUT /api/v1/hosts/{id}",
                        "POST /api/v1/clusters",
                        "POST /api/v1/users");
    }

    private static HttpResponse<String> send(String request, JsonNode body) {
        String[] words = request.split(" ", 2);
        String path = words[1].replaceAll("^(/api/v1/[^/:]+)/.*", "$1");
        String id =
                words[1].contains("{id}")
                        ? engine.json(path).path("items").path(0).path("id").asString("none")
                        : "";
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create(engine.address() + words[1].replace("{id}", id)))
                        .header("Content-Type", "application/json")
                        .method(words[0], HttpRequest.BodyPublishers.ofString(body.toString()));
        return engine.send(builder.build());
    }

    @Test
    void aBodyWithRequiredMembersIsRequired() {
        JsonNode document = document();
        List<String> optional = new ArrayList<>();
        document.path("paths")
                .forEachEntry((path, item) ->
                        item.forEachEntry((method, operation) -> {
                            JsonNode body = operation.path("requestBody");
                            String schema =
                                    body.path("content")
                                            .path("application/json")
                                            .path("schema")
                                            .path("$ref")
                                            .asString("");
                            JsonNode members =
                                    document.at(schema.replace("#", "")).path("required");
                            if (!schema.isEmpty()
                                    && !members.isEmpty()
                                    && !body.path("required").asBoolean(false)) {
                                optional.add(method + " " + path);
                            }
                        }));
        assertThat(optional).as("members are required, but no body").isEmpty();
    }

    /** Query parameters of the first page and of the begin of a stream, also without a value. */
    private static final Set<String> MAY_BE_EMPTY = Set.of("cursor", "lastEventId");

    /** Parameters of filtered lists that take several values. */
    private static final Set<String> SEVERAL =
            Set.of(
                    "cluster",
                    "entity",
                    "fields",
                    "host",
                    "hypervisor",
                    "id",
                    "ip",
                    "sort",
                    "status",
                    "tag",
                    "vm",
                    "withoutTag");

    private static final Pattern FILTERED_LISTS =
            Pattern.compile("/api/v1/(?:statistics/)?(?:vms|hosts|clusters)|/api/v1/stream");

    private interface ParameterVisitor {
        void visit(String path, String name, String type);
    }

    /** Each query parameter of each request that reads, with its type; ids are those of objects. */
    private static int queryParameters(ParameterVisitor visitor) {
        List<String> seen = new ArrayList<>();
        document()
                .path("paths")
                .forEachEntry((path, item) -> {
                    for (JsonNode each : item.path("get").path("parameters")) {
                        if (each.path("in").asString("").equals("query")) {
                            JsonNode type = each.path("schema").path("type");
                            String name = each.path("name").asString();
                            seen.add(path + "?" + name);
                            visitor.visit(
                                    path,
                                    name,
                                    type.isArray()
                                            ? type.path(0).asString()
                                            : type.asString("string"));
                        }
                    }
                });
        return seen.size();
    }

    private static String existing(String path) {
        return path.replace("{id}", path.startsWith("/api/v1/hosts") ? "host-0001" : aVm());
    }

    private static String aVm() {
        return engine.json("/api/v1/vms?limit=1").path("items").path(0).path("id").asString();
    }

    /** Null, or why the answer is not a refusal that names the parameter. */
    private static @Nullable String accepted(String path, String query, String parameter) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(engine.address() + existing(path) + "?" + query))
                        .timeout(Duration.ofSeconds(20)) // an accepted stream has no end
                        .build();
        HttpResponse<String> answer = engine.send(request);
        boolean named =
                RunningEngine.JSON
                        .readTree(answer.body())
                        .path("detail")
                        .asString("")
                        .matches(".*\\b" + parameter + "\\b.*");
        return answer.statusCode() == 400 && named
                ? null
                : "%s?%s: %d %.150s".formatted(path, query, answer.statusCode(), answer.body());
    }

    @Test
    void aQueryParameterWithoutAValueIsRefusedByName() {
        List<String> accepted = new ArrayList<>();
        int count =
                queryParameters((path, name, _) -> {
                    if (!MAY_BE_EMPTY.contains(name)) {
                        for (String value : List.of(name, name + "=", name + "=%20+")) {
                            String why = accepted(path, value, name);
                            if (why != null) {
                                accepted.add(why);
                            }
                        }
                    }
                });
        assertThat(accepted).isEmpty();
        assertThat(count).isGreaterThan(140);
    }

    @Test
    void aQueryParameterOfTheWrongTypeIsRefusedByName() {
        List<String> accepted = new ArrayList<>();
        queryParameters((path, name, type) -> {
            if (type.equals("integer") || type.equals("number") || type.equals("boolean")) {
                String required = path.endsWith("/series") ? "operation=random-read&" : "";
                for (String value : List.of("perhaps", "1e999", "-1.5.2")) {
                    String why = accepted(path, required + name + "=" + value, name);
                    if (why != null) {
                        accepted.add(why);
                    }
                }
            }
        });
        assertThat(accepted).isEmpty();
    }

    @Test
    void aQueryParameterThatComesTwiceIsRefusedByName() {
        List<String> accepted = new ArrayList<>();
        queryParameters((path, name, type) -> {
            boolean several =
                    type.equals("array")
                            || (FILTERED_LISTS.matcher(path).matches() && SEVERAL.contains(name));
            if (!several) {
                String value = type.equals("boolean") ? "true" : "1";
                String pair = name + "=" + value;
                String why = accepted(path, pair + "&" + pair, name);
                if (why != null) {
                    accepted.add(why);
                }
            }
        });
        assertThat(accepted).isEmpty();
    }

    /** Kinds of objects with names, as the paths write them. */
    private static final Set<String> NAMED =
            Set.of("vms", "hosts", "clusters", "data-centres", "pools", "affinity-groups", "users");

    @Test
    void aPathTakesTheNameOfAnObjectInPlaceOfItsId() {
        engine.post("/api/v1/pools", "{\"name\":\"desks\",\"size\":0}");
        engine.post("/api/v1/affinity-groups", "{\"name\":\"apart\",\"positive\":false}");
        List<String> wrong = new ArrayList<>();
        Set<String> tried = new HashSet<>();
        document()
                .path("paths")
                .forEachEntry((path, item) -> {
                    String kind = path.replaceAll("^/api/v1/([^/]+).*", "$1");
                    for (JsonNode each : item.path("get").path("parameters")) {
                        if (!NAMED.contains(kind)
                                || !each.path("in").asString().equals("path")
                                || !each.path("name").asString().equals("id")) {
                            continue;
                        }
                        if (!each.path("description").asString().equals("Its id or its name.")) {
                            wrong.add(path + " is not described");
                        }
                        JsonNode one = engine.json("/api/v1/" + kind).path("items").path(0);
                        String id = one.path("id").asString();
                        String name = one.path("name").asString();
                        int byId = engine.get(path.replace("{id}", id)).statusCode();
                        int byName =
                                engine.get(path.replace("{id}", name.replace(" ", "%20")))
                                        .statusCode();
                        if (byId != byName || (path.endsWith("{id}") && byId != 200)) {
                            wrong.add(path + ": " + byId + " by id, " + byName + " by name");
                        }
                        int unknown = engine.get(path.replace("{id}", "nowhere")).statusCode();
                        if (unknown != 404) {
                            wrong.add(path + ": " + unknown + " for an unknown name");
                        }
                        tried.add(kind);
                    }
                });
        assertThat(wrong).isEmpty();
        assertThat(tried).containsExactlyInAnyOrderElementsOf(NAMED);
    }

    @Test
    void anAmbiguousNameIsRefusedWithTheIds() {
        String body = "{\"name\":\"second\"}";
        assertThat(engine.post("/api/v1/clusters", body).statusCode()).isEqualTo(201);
        List<String> ids = new ArrayList<>();
        for (String cluster : List.of("Default", "second")) {
            HttpResponse<String> added =
                    engine.post(
                            "/api/v1/affinity-groups",
                            "{\"name\":\"twins\",\"cluster\":\"%s\"}".formatted(cluster));
            assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
            ids.add(RunningEngine.JSON.readTree(added.body()).path("id").asString());
        }
        HttpResponse<String> answer = engine.get("/api/v1/affinity-groups/twins");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains(ids).contains("name one by its id");
    }

    @Test
    void filtersOfBenchmarksAndFindingsTakeNames() {
        String vm =
                engine.json("/api/v1/vms?limit=1").path("items").path(0).path("name").asString();
        for (String path :
                List.of(
                        "/api/v1/benchmarks?vm=" + vm,
                        "/api/v1/benchmarks?host=host-0001",
                        "/api/v1/benchmarks/matrix?vm=" + vm,
                        "/api/v1/findings?cluster=Default")) {
            HttpResponse<String> answer = engine.get(path);
            assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
        }
        assertThat(engine.get("/api/v1/benchmarks?vm=nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void thereIsAPageToTryItOn() {
        HttpResponse<String> page = engine.get("/swagger-ui.html");
        assertThat(page.statusCode()).isEqualTo(302);
        HttpResponse<String> index = engine.get("/swagger-ui/index.html");
        assertThat(index.statusCode()).isEqualTo(200);
        assertThat(engine.get("/api/v1/openapi.json/swagger-config").statusCode()).isEqualTo(200);
    }

    /**
     * Asks everything that the document says may be asked, within its schemas and beyond: no server
     * error, no answer that is not documented, no answer that does not fit its schema.
     */
    @Test
    void schemathesisFindsTheDocumentTrue() throws Exception {
        assertThat(document().isObject()).as("made now, and kept for who asks next").isTrue();
        List<String> command =
                Schemathesis.command(
                        engine.address(),
                        Integer.getInteger("stillwater.schemathesis.examples", Tier.count(1, 4)),
                        Tier.count(0, 1) == 1,
                        Long.getLong("stillwater.schemathesis.seed", 7));
        if (command == null) {
            String missing =
                    "schemathesis was NOT run: it takes python3 with venv, and a package index";
            System.err.println("\n*** " + missing + " ***\n");
            Assumptions.abort(missing);
            return;
        }
        Path log = folder.resolve("schemathesis.log");
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        boolean ended = process.waitFor(Duration.ofMinutes(15));
        if (!ended) {
            process.destroyForcibly();
        }
        String told = Files.readString(log);
        assertThat(ended).as("in time: " + told).isTrue();
        assertThat(process.exitValue()).as(told).isZero();
    }
}
