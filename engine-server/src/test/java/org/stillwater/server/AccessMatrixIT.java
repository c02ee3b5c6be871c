package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.stillwater.core.model.ClusterId;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.server.security.AccessPage;
import tools.jackson.databind.JsonNode;

/**
 * Every endpoint that is mapped, asked by everybody there can be: who is let through is what the
 * table of access says. An endpoint that no line of the table is about fails.
 */
class AccessMatrixIT {

    private static final Path PAGE = Path.of("..", "docs", "reference", "access.md");
    private static final String PASSWORD = "long enough";

    /** Who asks: a name, and the grants as JSON; null for nobody. */
    private static final Map<String, String> USERS = new LinkedHashMap<>();

    /** Who asks: a name, and what stands in the header; null for nobody. */
    private static final Map<String, String> CALLERS = new LinkedHashMap<>();

    private static TestDatabase database;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            other.definitions().add(AccessPage.VM, SdkFleet.definition("one"));
        }
        engine =
                RunningEngine.start(
                        database, List.of(), "--stillwater.security.anonymous-role=none");
        USERS.put("nobody", null);
        USERS.put("scraper", "[{\"role\":\"scraper\"}]");
        USERS.put("reader", "[{\"role\":\"reader\"}]");
        USERS.put("operator", "[{\"role\":\"operator\"}]");
        USERS.put("administrator", "[{\"role\":\"administrator\"}]");
        USERS.put(
                "reader-of-a-cluster",
                "[{\"role\":\"reader\",\"cluster\":\"%s\"}]".formatted(ClusterId.DEFAULT));
        USERS.put(
                "operator-of-a-vm",
                "[{\"role\":\"operator\",\"vm\":\"%s\"}]".formatted(AccessPage.VM));
        USERS.put(
                "scraper-of-a-cluster",
                "[{\"role\":\"scraper\",\"cluster\":\"%s\"}]".formatted(ClusterId.DEFAULT));
        USERS.put("nothing", "[]");
        USERS.forEach((name, grants) -> {
            if (grants != null) {
                HttpResponse<String> made =
                        send(
                                "POST",
                                "/api/v1/users",
                                "{\"name\":\"%s\",\"password\":\"%s\",\"grants\":%s}"
                                        .formatted(name, PASSWORD, grants),
                                basic("admin", RunningEngine.PASSWORD));
                assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
            }
            CALLERS.put(name, grants == null ? null : basic(name, PASSWORD));
        });
        token("administrator", "scraper");
        token("administrator", "administrator");
        token("reader", "reader");
    }

    private static void token(String user, String role) {
        HttpResponse<String> made =
                send(
                        "POST",
                        "/api/v1/tokens",
                        "{\"label\":\"%s\",\"roles\":[\"%s\"]}".formatted(role, role),
                        basic(user, PASSWORD));
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        CALLERS.put(
                user + AccessPage.BY_TOKEN + role,
                "Bearer " + RunningEngine.JSON.readTree(made.body()).path("token").asString());
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    private static String basic(String name, String password) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString(
                                (name + "@internal:" + password).getBytes(StandardCharsets.UTF_8));
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String authorization) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(engine.address() + path))
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return engine.send(request.build());
    }

    /** Every mapped endpoint: its method and its path. */
    private static Set<String> endpoints() {
        Set<String> all = new TreeSet<>();
        for (RequestMappingHandlerMapping mapping :
                engine.beans(RequestMappingHandlerMapping.class)) {
            for (RequestMappingInfo info : mapping.getHandlerMethods().keySet()) {
                Set<String> methods = new TreeSet<>();
                info.getMethodsCondition().getMethods().forEach(each -> methods.add(each.name()));
                if (methods.isEmpty()) {
                    methods.addAll(List.of("GET", "POST", "PUT", "DELETE"));
                }
                for (String path : info.getPatternValues()) {
                    methods.forEach(method -> all.add(method + " " + path));
                }
            }
        }
        return all;
    }

    /** A path with something in place of its variables. */
    private static String filled(String pattern) {
        return pattern.replaceAll("\\{\\*[^}]*}", "x")
                .replaceAll("\\{[^/]*}", new UUID(7, 7).toString())
                .replace("**", "x");
    }

    @Test
    void everyEndpointLetsThroughWhomTheTableNames() {
        Map<String, String> wrong = new TreeMap<>();
        for (String endpoint : endpoints()) {
            String method = endpoint.substring(0, endpoint.indexOf(' '));
            String path = filled(endpoint.substring(endpoint.indexOf(' ') + 1));
            if (!AccessPage.isCovered(method, path)) {
                wrong.put(endpoint, "no line of the table of access is about it");
                continue;
            }
            if (path.startsWith("/api/v1/stream")
                    || path.startsWith("/error")
                    || path.equals("/logout")
                    || path.equals("/login")) {
                continue; // without an end, or without a meaning for this client
            }
            CALLERS.forEach((name, authorization) -> {
                int status =
                        send(method, path, method.equals("GET") ? null : "[]", authorization)
                                .statusCode();
                boolean may = AccessPage.letsThrough(method, path, name);
                boolean through = status != 401 && status != 403;
                if (may != through || status >= 500) {
                    wrong.put(endpoint + " as " + name, Integer.toString(status));
                }
                if (!may && status != (authorization == null ? 401 : 403)) {
                    wrong.put(endpoint + " as " + name, "refused with " + status);
                }
            });
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void thePageOfAccessIsTheTable() throws Exception {
        String page = AccessPage.render();
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("-Dstillwater.docs=write renews it").hasContent(page);
    }

    @Test
    void whoReadsNotEverythingSeesNothingOfTheWhole() {
        for (String name : List.of("reader-of-a-cluster", "operator-of-a-vm")) {
            HttpResponse<String> events =
                    send("GET", "/api/v1/events", null, basic(name, PASSWORD));
            JsonNode items = RunningEngine.JSON.readTree(events.body()).path("items");
            assertThat(items).as("logins are no business of " + name).isEmpty();
        }
        HttpResponse<String> all = send("GET", "/api/v1/events", null, basic("reader", PASSWORD));
        assertThat(all.body()).contains("USER_ADDED");
        HttpResponse<String> vms =
                send("GET", "/api/v1/vms", null, basic("operator-of-a-vm", PASSWORD));
        assertThat(vms.body()).contains(AccessPage.VM.toString());
    }
}
