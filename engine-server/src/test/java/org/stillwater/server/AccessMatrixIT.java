package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.stillwater.core.id.ClusterId;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.server.security.AccessPage;
import org.stillwater.testkit.Tier;
import tools.jackson.databind.JsonNode;

/**
 * Every endpoint is called by every kind of caller: the table of access defines the result. An
 * endpoint without a line in the table fails.
 */
class AccessMatrixIT {

    private static final Path PAGE = Path.of("..", "docs", "reference", "access.md");
    private static final String PASSWORD = "long enough";

    /** The caller: a name, and the grants as JSON; null for no login. */
    private static final Map<String, String> USERS = new LinkedHashMap<>();

    /** The caller: a name, and the content of the header; null for no login. */
    private static final Map<String, String> CALLERS = new LinkedHashMap<>();

    /** Requests that only oVirt supports: a refusal, and no failure. */
    private static final int NOT_IMPLEMENTED = 501;

    /** The cookie's value that a page sends back in a header. */
    private static final String PAGE_TOKEN = "0f0e0d0c-0b0a-4908-8706-050403020100";

    /** Headers of a browser's session, by user. */
    private static final Map<String, Map<String, String>> BROWSERS = new LinkedHashMap<>();

    /** Headers of a session of oVirt's interface, by user. */
    private static final Map<String, Map<String, String>> API_SESSIONS = new LinkedHashMap<>();

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

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
        USERS.put(
                "benchmarker-of-a-vm",
                "[{\"role\":\"benchmarker\",\"vm\":\"%s\"}]".formatted(AccessPage.VM));
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
        sessions();
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

    /** A browser's session of every user with a login, and one of oVirt's interface. */
    private static void sessions() {
        USERS.forEach((name, grants) -> {
            if (grants == null) {
                return;
            }
            HttpResponse<String> login =
                    send(
                            "POST",
                            "/login",
                            "username=" + name + "%40internal&password=long+enough",
                            Map.of(
                                    "Content-Type",
                                    "application/x-www-form-urlencoded",
                                    "Cookie",
                                    "XSRF-TOKEN=" + PAGE_TOKEN,
                                    "X-XSRF-TOKEN",
                                    PAGE_TOKEN));
            assertThat(login.statusCode()).as(login.body()).isEqualTo(303);
            String session = cookie(login, "STILLWATER_SESSION");
            BROWSERS.put(
                    name,
                    Map.of(
                            "Cookie",
                            session + "; XSRF-TOKEN=" + PAGE_TOKEN,
                            "X-XSRF-TOKEN",
                            PAGE_TOKEN));
            HttpResponse<String> api =
                    send(
                            "GET",
                            "/ovirt-engine/api",
                            null,
                            Map.of(
                                    "Authorization",
                                    basic(name, PASSWORD),
                                    "Prefer",
                                    "persistent-auth"));
            API_SESSIONS.put(
                    name, Map.of("Cookie", cookie(api, "JSESSIONID"), "Prefer", "persistent-auth"));
        });
    }

    private static String cookie(HttpResponse<String> answer, String name) {
        return answer.headers().allValues("Set-Cookie").stream()
                .filter(each -> each.startsWith(name + "="))
                .map(each -> each.substring(0, each.indexOf(';')))
                .findFirst()
                .orElseThrow();
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    private static String basic(String name, String password) {
        return ApiClient.basic(name + "@internal", password);
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String authorization) {
        return send(
                method,
                path,
                body,
                authorization == null ? Map.of() : Map.of("Authorization", authorization));
    }

    private static HttpResponse<String> send(
            String method, String path, String body, Map<String, String> headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(engine.address() + path))
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (!headers.containsKey("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        headers.forEach(request::header);
        return engine.send(request.build());
    }

    /** Every mapped endpoint: its method and its path. */
    private static Set<String> endpoints() {
        Set<String> all = new TreeSet<>();
        for (RequestMappingInfoHandlerMapping mapping :
                engine.beans(RequestMappingInfoHandlerMapping.class)) {
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

    /** Every change that oVirt's tree could be asked for: each path with each method. */
    private static Set<String> changesOfOvirt() {
        Set<String> all = new TreeSet<>();
        for (String path : engine.bean(OvirtApi.class).paths()) {
            for (String method : List.of("POST", "PUT", "DELETE")) {
                all.add(method + " /ovirt-engine/api" + path);
            }
        }
        return all;
    }

    /** Origin of a request, as reported by a browser or a program. */
    private record Origin(String name, boolean foreign, Map<String, String> headers) {}

    private static List<Origin> origins() {
        String own = engine.address();
        String port = own.substring(own.lastIndexOf(':') + 1);
        return List.of(
                new Origin("a program", false, Map.of()),
                new Origin(
                        "the engine's page",
                        false,
                        Map.of("Sec-Fetch-Site", "same-origin", "Origin", own)),
                new Origin("the engine's page without metadata", false, Map.of("Origin", own)),
                new Origin("the address line", false, Map.of("Sec-Fetch-Site", "none")),
                new Origin(
                        "another site",
                        true,
                        Map.of("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")),
                new Origin(
                        "another port",
                        true,
                        Map.of("Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:3000")),
                new Origin(
                        "another site without an origin",
                        true,
                        Map.of("Sec-Fetch-Site", "cross-site")),
                new Origin("a sandbox", true, Map.of("Origin", "null")),
                new Origin(
                        "a site without metadata", true, Map.of("Origin", "https://evil.example")),
                new Origin(
                        "a port without metadata", true, Map.of("Origin", "http://127.0.0.1:3000")),
                new Origin("another scheme", true, Map.of("Origin", "https://127.0.0.1:" + port)),
                new Origin(
                        "another site that claims ours",
                        true,
                        Map.of("Sec-Fetch-Site", "cross-site", "Origin", own)),
                new Origin("something unknown", true, Map.of("Sec-Fetch-Site", "friendly")));
    }

    /** Whether a page of another origin gets 403: it could change something, or read a stream. */
    private static boolean isGuarded(String method, String path) {
        return !READING.contains(method)
                || path.startsWith("/api/v1/stream")
                || path.matches("/api/v1/(operations|batches)/[^/]+/events");
    }

    private static void run(Map<String, String> wrong, List<Runnable> questions) throws Exception {
        Semaphore atOnce = new Semaphore(24);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (Runnable each : questions) {
                all.add(
                        threads.submit(() -> {
                            atOnce.acquireUninterruptibly();
                            try {
                                each.run();
                            } finally {
                                atOnce.release();
                            }
                        }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static Map<String, String> with(Map<String, String> headers, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(more);
        return all;
    }

    /** Every credential of every user: name and headers. */
    private static Map<String, Map<String, String>> credentials() {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        CALLERS.forEach((name, header) ->
                all.put(name, header == null ? Map.of() : Map.of("Authorization", header)));
        BROWSERS.forEach((name, headers) -> all.put(name + " by a browser's cookie", headers));
        API_SESSIONS.forEach((name, headers) -> all.put(name + " by oVirt's cookie", headers));
        all.put(
                "a wrong password",
                Map.of("Authorization", basic("somebody-" + UUID.randomUUID(), "wrong password")));
        return all;
    }

    private static void refusal(
            Map<String, String> wrong, String what, HttpResponse<String> answer, String path) {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        String expected =
                path.startsWith("/ovirt-engine/sso/") || path.contains("sso-logout")
                        ? "application/json"
                        : path.startsWith("/ovirt-engine/")
                                ? "application/xml"
                                : "application/problem+json";
        if (answer.statusCode() != 403 || !type.startsWith(expected)) {
            wrong.put(what, answer.statusCode() + " " + type);
        }
        if (answer.headers().firstValue("Access-Control-Allow-Origin").isPresent()) {
            wrong.put(what, "allows another origin to read");
        }
    }

    @Test
    void aPageOfAnotherOriginChangesNothingWithAnyCredentials() throws Exception {
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        List<Runnable> questions = new ArrayList<>();
        Map<String, Map<String, String>> everybody = credentials();
        Map<String, Map<String, String>> some = new LinkedHashMap<>(everybody);
        some.keySet()
                .retainAll(
                        Set.of(
                                "nobody",
                                "administrator",
                                "administrator by a browser's cookie",
                                "administrator by oVirt's cookie",
                                "a wrong password"));
        Set<String> all = new TreeSet<>(endpoints());
        all.add("POST /logout");
        all.add("GET /api/v1/stream/ws");
        all.addAll(changesOfOvirt());
        for (String endpoint : all) {
            String method = endpoint.substring(0, endpoint.indexOf(' '));
            String path = filled(endpoint.substring(endpoint.indexOf(' ') + 1));
            if (!isGuarded(method, path) || path.equals("/error")) {
                continue;
            }
            boolean tree = path.startsWith("/ovirt-engine/api/");
            for (Origin origin : origins()) {
                if (!origin.foreign()) {
                    continue;
                }
                (tree ? some : everybody)
                        .forEach((name, headers) ->
                                questions.add(() ->
                                        refusal(
                                                wrong,
                                                endpoint + " as " + name + " from " + origin.name(),
                                                send(
                                                        method,
                                                        path,
                                                        READING.contains(method) ? null : "[]",
                                                        with(headers, origin.headers())),
                                                path)));
            }
        }
        assertThat(questions).hasSizeGreaterThan(11_600);
        run(wrong, Tier.sample(questions, 8));
    }

    @Test
    void ownPagesAndProgramsAreAdmittedByTheTable() throws Exception {
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        List<Runnable> questions = new ArrayList<>();
        for (String endpoint : endpoints()) {
            String method = endpoint.substring(0, endpoint.indexOf(' '));
            String path = filled(endpoint.substring(endpoint.indexOf(' ') + 1));
            if (path.startsWith("/api/v1/stream")
                    || path.startsWith("/error")
                    || path.equals("/logout")
                    || path.equals("/login")) {
                continue; // without an end, or without a meaning for this client
            }
            for (Origin origin : origins()) {
                if (isGuarded(method, path) && origin.foreign()) {
                    continue; // the other test
                }
                BROWSERS.forEach((name, headers) ->
                        questions.add(() -> {
                            int status =
                                    send(
                                                    method,
                                                    path,
                                                    method.equals("GET") ? null : "[]",
                                                    with(headers, origin.headers()))
                                            .statusCode();
                            boolean may = AccessPage.letsThrough(method, path, name);
                            boolean through = status != 401 && status != 403;
                            if (may != through || status >= 500) {
                                wrong.put(
                                        endpoint + " as " + name + " from " + origin.name(),
                                        Integer.toString(status));
                            }
                        }));
            }
        }
        run(wrong, Tier.sample(questions, 6));
    }

    @Test
    void aCookieAloneChangesNothing() {
        Map<String, String> cookie = Map.of("Cookie", BROWSERS.get("administrator").get("Cookie"));
        assertThat(send("POST", "/api/v1/clusters", "{}", cookie).statusCode()).isEqualTo(403);
        assertThat(send("POST", "/logout", "", cookie).statusCode()).isEqualTo(403);
        assertThat(send("POST", "/%6cogout", "", cookie).statusCode()).isEqualTo(403);
        assertThat(send("GET", "/api/v1/me", null, cookie).statusCode()).isEqualTo(200);
    }

    @Test
    void preflightsOfOtherOriginsAllowNothing() {
        for (String path : List.of("/api/v1/vms", "/ovirt-engine/api/vms", "/login", "/logout")) {
            HttpResponse<String> answer =
                    send(
                            "OPTIONS",
                            path,
                            null,
                            Map.of(
                                    "Authorization", CALLERS.get("administrator"),
                                    "Origin", "https://evil.example",
                                    "Sec-Fetch-Site", "cross-site",
                                    "Access-Control-Request-Method", "POST",
                                    "Access-Control-Request-Headers", "content-type"));
            assertThat(answer.headers().map().keySet())
                    .as(path)
                    .noneMatch(name ->
                            name.toLowerCase(Locale.ROOT).startsWith("access-control-allow"));
        }
    }

    /** A path with something in place of its variables. */
    private static String filled(String pattern) {
        return pattern.replaceAll("\\{\\*[^}]*}", "x")
                .replaceAll("\\{[^/]*}", new UUID(7, 7).toString())
                .replace("**", "x");
    }

    @Test
    void everyEndpointAdmitsTheRolesOfTheTable() {
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

    /**
     * Every path of oVirt's tree, which is one mapping to the table: the same is asked of each. Who
     * is let through by a grant on something may still be refused what is asked for.
     */
    @Test
    void everyPathOfOvirtAdmitsTheRolesOfTheTable() throws Exception {
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        List<Runnable> questions = new ArrayList<>();
        Set<String> all = new TreeSet<>(changesOfOvirt());
        engine.bean(OvirtApi.class)
                .paths()
                .forEach(path -> all.add("GET /ovirt-engine/api" + path));
        for (String endpoint : all) {
            String method = endpoint.substring(0, endpoint.indexOf(' '));
            String path = filled(endpoint.substring(endpoint.indexOf(' ') + 1));
            CALLERS.forEach((name, authorization) ->
                    questions.add(() -> {
                        HttpResponse<String> answer =
                                send(
                                        method,
                                        path,
                                        method.equals("GET") ? null : "[]",
                                        authorization);
                        String reason =
                                AccessPage.letsThrough(method, path, name)
                                        ? wrongOfThrough(name, answer)
                                        : wrongOfRefused(authorization == null, answer);
                        if (reason != null) {
                            wrong.put(endpoint + " as " + name, reason);
                        }
                    }));
        }
        assertThat(questions).hasSizeGreaterThan(5_000);
        run(wrong, Tier.sample(questions, 3));
    }

    private static String wrongOfThrough(String name, HttpResponse<String> answer) {
        int status = answer.statusCode();
        boolean refused = status == 401 || (status == 403 && name.startsWith("administrator"));
        return refused || (status >= 500 && status != NOT_IMPLEMENTED)
                ? "let through, and " + status
                : null;
    }

    private static String wrongOfRefused(boolean unknown, HttpResponse<String> answer) {
        if (answer.statusCode() != (unknown ? 401 : 403)) {
            return "refused with " + answer.statusCode();
        }
        boolean tells =
                answer.body().contains(AccessPage.VM.toString())
                        || answer.body().contains(ClusterId.DEFAULT.toString());
        return tells ? "the refusal tells what there is" : null;
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
    void aReaderOfOneObjectSeesNothingElse() {
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
