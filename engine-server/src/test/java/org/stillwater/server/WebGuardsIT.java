package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.VmId;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.testkit.Tier;
import tools.jackson.databind.JsonNode;

/**
 * The guards in front of both interfaces, tried with bare HTTP: paths in every writing, names of
 * hosts, forwarded headers, health without a login, and mistakes that fill no log.
 */
class WebGuardsIT {

    private static final VmId VM = new VmId(7, 78);
    private static final VmId OTHER_VM = new VmId(7, 79);

    /** The whole answer until the engine closed the connection. */
    private static String raw(RunningEngine engine, String request) {
        URI address = URI.create(engine.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(20_000);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().flush();
                InputStream in = socket.getInputStream();
                in.transferTo(all);
            } catch (SocketException _) {
                // it was refused before it was read to its end
            }
            return all.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(request, e);
        }
    }

    private static String request(String line, String... headers) {
        StringBuilder text = new StringBuilder(line).append(" HTTP/1.1\r\n");
        boolean host = false;
        for (String header : headers) {
            host |= header.startsWith("Host:");
            text.append(header).append("\r\n");
        }
        if (!host) {
            text.append("Host: localhost\r\n");
        }
        return text.append("Connection: close\r\n\r\n").toString();
    }

    private static int status(String answer) {
        assertThat(answer).as("an answer").startsWith("HTTP/1.1 ");
        return Integer.parseInt(answer.substring(9, 12));
    }

    private static String basic(String name, String password) {
        return "Authorization: " + ApiClient.basic(name, password);
    }

    /** Lines logged meanwhile. */
    private static final class Log implements AutoCloseable {

        private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

        Log() {
            appender.start();
            root.addAppender(appender);
        }

        List<String> lines(Predicate<ILoggingEvent> which) {
            return List.copyOf(appender.list).stream()
                    .filter(which)
                    .map(each -> each.getLoggerName() + ": " + each.getFormattedMessage())
                    .toList();
        }

        @Override
        public void close() {
            root.detachAppender(appender);
        }
    }

    /** An engine as the demo has it: requests without credentials are an administrator's. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class OfTheDemo {

        private TestDatabase database;
        private RunningEngine engine;

        @BeforeAll
        void start() throws Exception {
            database = TestDatabase.migrated();
            try (Database other = database.open()) {
                other.definitions().add(VM, SdkFleet.definition("one"));
                other.definitions().add(OTHER_VM, SdkFleet.definition("two"));
            }
            engine = RunningEngine.start(database, List.of());
        }

        @AfterAll
        void stop() {
            engine.close();
            database.close();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "localhost",
                    "LOCALHOST:80",
                    "127.0.0.1",
                    "127.255.3.4:8080",
                    "[::1]",
                    "[::1]:99"
                })
        void answersToLoopbackNames(String host) {
            assertThat(status(raw(engine, request("GET /api/v1/vms", "Host: " + host))))
                    .isEqualTo(200);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "evil.example",
                    "evil.example:8080",
                    "localhost.evil.example",
                    "127.0.0.1.evil.example",
                    "localhost.",
                    "0.0.0.0",
                    "128.0.0.1",
                    "127.0.0.1.",
                    "[::ffff:127.0.0.1]",
                    "[::2]",
                    "192.168.0.7"
                })
        void answersToNoOtherName(String host) {
            for (String path :
                    List.of(
                            "/api/v1/vms",
                            "/",
                            "/login",
                            "/actuator/health",
                            "/api/v1/stream",
                            "/ovirt-engine/api",
                            "/ovirt-engine/sso/status")) {
                String answer = raw(engine, request("GET " + path, "Host: " + host));
                assertThat(status(answer)).as(path).isIn(421, 400);
                assertThat(answer).doesNotContain("at org.", "at java.");
            }
            String socket =
                    raw(
                            engine,
                            request(
                                    "GET /api/v1/stream/ws",
                                    "Host: " + host,
                                    "Upgrade: websocket",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="));
            assertThat(status(socket)).isIn(421, 400);
        }

        @Test
        void aHostOfAnotherNameIsRefusedInTheFormOfEachInterface() {
            assertThat(raw(engine, request("POST /api/v1/clusters", "Host: evil.example")))
                    .startsWith("HTTP/1.1 421")
                    .contains("application/problem+json");
            assertThat(raw(engine, request("POST /ovirt-engine/api/vms", "Host: evil.example")))
                    .startsWith("HTTP/1.1 421")
                    .contains("<fault><detail>");
            // The address in the first line counts, as in the header.
            assertThat(status(raw(engine, request("GET http://evil.example/api/v1/vms"))))
                    .isIn(400, 421);
        }

        @Test
        void refusalsAreCountedAndLoggedOnce() {
            double before =
                    engine.bean(io.micrometer.core.instrument.MeterRegistry.class)
                            .get("stillwater.http.refused")
                            .tag("reason", "origin")
                            .counter()
                            .count();
            try (Log log = new Log()) {
                for (int each = 0; each < 50; each++) {
                    raw(
                            engine,
                            request(
                                    "POST /api/v1/clusters",
                                    "Origin: https://evil" + each + ".example"));
                }
                assertThat(log.lines(each -> each.getLoggerName().contains("RefusalLog")))
                        .hasSizeLessThanOrEqualTo(2);
            }
            assertThat(
                            engine.bean(io.micrometer.core.instrument.MeterRegistry.class)
                                    .get("stillwater.http.refused")
                                    .tag("reason", "origin")
                                    .counter()
                                    .count())
                    .isEqualTo(before + 50);
            assertThat(engine.get("/api/v1/events?limit=1000").body().split("100050", -1))
                    .hasSizeLessThanOrEqualTo(3);
        }

        @Test
        void anotherOriginsPageGetsNoStreamAndNoSocket() {
            String origin = "Origin: https://evil.example";
            assertThat(status(raw(engine, request("GET /api/v1/stream", origin)))).isEqualTo(403);
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    "GET /api/v1/stream?entity=vm",
                                                    "Sec-Fetch-Site: cross-site"))))
                    .isEqualTo(403);
            for (String from :
                    List.of(origin, "Origin: null", "Origin: http://localhost:1", "origin:")) {
                String answer =
                        raw(
                                engine,
                                request(
                                        "GET /api/v1/stream/ws",
                                        from,
                                        "Upgrade: websocket",
                                        "Sec-WebSocket-Version: 13",
                                        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="));
                assertThat(status(answer)).as(from).isEqualTo(403);
            }
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/ovirt-engine/..",
                    "/ovirt-engine/../api/v1/vms",
                    "/ovirt-engine/../",
                    "/ovirt-engine/api/..",
                    "/ovirt-engine/api/../..",
                    "/ovirt-engine/api/vms/../hosts",
                    "/ovirt-engine/api/..;/sso/status",
                    "/ovirt-engine/sso/..;/api/vms",
                    "/ovirt-engine/sso/..;x=1/api/vms",
                    "/ovirt-engine/sso/%2e%2e/api/vms",
                    "/ovirt-engine/sso/..%2fapi/vms",
                    "/ovirt-engine/sso/.%2e/api",
                    "/ovirt-engine/./api/vms",
                    "/ovirt-engine/api/vms%00",
                    "/ovirt-engine/api/vms%5c..",
                    "/ovirt-engine/api/%ff",
                    "/ovirt-engine/api/vms%3bmax=1",
                    "/ovirt-engine/api/%",
                    "/ovirt-engine/api/%2",
                    "/ovirt-engine/%61pi/vms",
                    "/ovirt-engine/api;a=b/vms",
                    "/ovirt-engine;a=b/api/vms",
                })
        void aPathThatCanBeReadInTwoWaysIsA400OfOvirtWithoutAStack(String path) {
            try (Log log = new Log()) {
                for (String method : List.of("GET", "POST", "DELETE", "OPTIONS")) {
                    String answer = raw(engine, request(method + " " + path));
                    assertThat(status(answer)).as(method).isEqualTo(400);
                    assertThat(answer).doesNotContain("org.apache", "at java");
                }
                assertThat(log.lines(each -> each.getThrowableProxy() != null)).isEmpty();
            }
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/api/v1/../../login",
                    "/api/v1/..;/vms",
                    "/api//v1/vms",
                    "//api/v1/vms",
                    "//evil.example/api/v1/vms",
                    "/api/v1/vms;a=b",
                    "/login;jsessionid=1",
                    "/api/v1/%2e%2e/vms",
                    "/api/v1/vms%2f..",
                    "/%2e%2e/login"
                })
        void aPathThatCanBeReadInTwoWaysIsA400Elsewhere(String path) {
            try (Log log = new Log()) {
                for (String method : List.of("GET", "POST", "PUT")) {
                    assertThat(status(raw(engine, request(method + " " + path))))
                            .as(method)
                            .isEqualTo(400);
                }
                assertThat(log.lines(each -> each.getThrowableProxy() != null)).isEmpty();
            }
        }

        @Test
        void requestsOfOvirtsClientsAreRead() {
            for (String path :
                    List.of(
                            "/ovirt-engine/api/vms;max=2;current",
                            "/ovirt-engine//api/vms",
                            "/ovirt-engine/api//vms/",
                            "/ovirt-engine/api/%76ms")) {
                assertThat(status(raw(engine, request("GET " + path)))).as(path).isEqualTo(200);
            }
        }

        @Test
        void anEncodedPathIsGuardedAsThePathThatItIs() {
            String form = "Content-Type: application/x-www-form-urlencoded";
            for (String path : List.of("/login", "/%6cogin", "/l%6Fgin", "/logout", "/%6cogout")) {
                String plain = raw(engine, request("POST " + path, form, "Content-Length: 0"));
                assertThat(status(plain)).as("without a page's token: " + path).isEqualTo(403);
                String foreign =
                        raw(
                                engine,
                                request(
                                        "POST " + path,
                                        form,
                                        "Content-Length: 0",
                                        "Sec-Fetch-Site: cross-site"));
                assertThat(status(foreign)).as(path).isEqualTo(403);
            }
            assertThat(raw(engine, request("GET /%6cogin")).toLowerCase(java.util.Locale.ROOT))
                    .contains("cache-control: no-store");
        }

        /** Paths of oVirt's tree with something in place of every id. */
        private List<String> paths() {
            String host = hostId();
            String cluster = clusterId();
            return engine.bean(OvirtApi.class).paths().stream()
                    .flatMap(path -> java.util.stream.Stream.of(path, path + "/{id}"))
                    .map(path -> path.replaceFirst("^/vms/\\{id}", "/vms/" + VM))
                    .map(path -> path.replaceFirst("^/hosts/\\{id}", "/hosts/" + host))
                    .map(path -> path.replaceFirst("^/clusters/\\{id}", "/clusters/" + cluster))
                    .map(path -> path.replaceAll("\\{id}", new UUID(7, 7).toString()))
                    .distinct()
                    .toList();
        }

        @Test
        void noBodyAtAnyPathOfOvirtMakesTheEngineFail() {
            Map<String, String> bodies = new LinkedHashMap<>();
            bodies.put("nothing", "");
            bodies.put("an object", "{}");
            bodies.put("a list", "[]");
            bodies.put("an element", "<a/>");
            bodies.put("a text", "\"x\"");
            bodies.put("half", "{\"a\":");
            bodies.put("deep", "[".repeat(5_000));
            bodies.put("deep xml", "<a>".repeat(5_000));
            bodies.put("wrong types", "{\"name\":[{}],\"vm\":3,\"cluster\":[],\"cpu\":\"x\"}");
            Map<String, String> wrong = new TreeMap<>();
            try (Log log = new Log()) {
                for (Question each : Tier.sample(questions(bodies.keySet()), 4)) {
                    HttpRequest.Builder asked =
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    engine.address()
                                                            + "/ovirt-engine/api"
                                                            + each.path()))
                                    .header("Content-Type", "application/json")
                                    .method(
                                            each.method(),
                                            HttpRequest.BodyPublishers.ofString(
                                                    bodies.get(each.body())));
                    HttpResponse<String> answer = engine.send(asked.build());
                    // 501 names requests that only oVirt supports.
                    if (answer.statusCode() >= 500 && answer.statusCode() != 501) {
                        wrong.put(each.toString(), answer.statusCode() + " " + answer.body());
                    }
                }
                assertThat(wrong).isEmpty();
                assertThat(log.lines(each -> each.getThrowableProxy() != null)).isEmpty();
            }
        }

        /** A method at a path, with the body of this name. */
        private record Question(String method, String path, String body) {}

        private List<Question> questions(Set<String> bodies) {
            List<Question> all = new ArrayList<>();
            for (String path : paths()) {
                for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
                    if (method.equals("DELETE") && path.equals("/vms/" + VM)) {
                        continue; // its parts are asked for later
                    }
                    bodies.forEach(body -> all.add(new Question(method, path, body)));
                }
            }
            return all;
        }

        @Test
        void aPathWithAPartIsRefusedAsAMethodThatItDoesNotHave() {
            for (String path :
                    List.of(
                            "vms/" + OTHER_VM + "/snapshots",
                            "clusters/" + clusterId() + "/networks")) {
                HttpResponse<String> answer = engine.post("/ovirt-engine/api/" + path, "{}");
                assertThat(answer.statusCode()).as(path).isEqualTo(405);
            }
            HttpResponse<String> part =
                    engine.put(
                            "/ovirt-engine/api/vms/" + OTHER_VM + "/nics/" + new UUID(7, 7),
                            "<nic/>");
            assertThat(part.statusCode()).isEqualTo(404);
        }

        @Test
        void aMethodOrVersionThatTheServerDoesNotImplementIsNamed() {
            for (String path : List.of("/api/v1/vms", "/ovirt-engine/api/vms")) {
                String connect = raw(engine, request("CONNECT " + path));
                assertThat(status(connect)).isEqualTo(501);
                assertThat(connect).contains("does not implement the method");
                String coded = raw(engine, request("GET " + path, "Transfer-Encoding: gzip"));
                assertThat(status(coded)).isEqualTo(501);
                assertThat(coded).contains("or the transfer coding");
            }
            assertThat(raw(engine, "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n"))
                    .startsWith("HTTP/1.1 505 ")
                    .contains("speaks HTTP/1.0, HTTP/1.1 and HTTP/2");
        }

        /** The native interface refuses it as well: it could look like another name. */
        @Test
        void noNewNameHasACharacterThatIsNotSeen() {
            String name = "{\"name\":\"a\\u202eb\"";
            String centre = ",\"data_center\":{\"name\":\"Default\"}}";
            String cluster = ",\"cluster\":{\"name\":\"Default\"},\"size\":0}";
            Map.of(
                            "tags",
                            name + "}",
                            "vmpools",
                            name + cluster,
                            "clusters",
                            name + centre,
                            "clusters/" + clusterId() + "/affinitygroups",
                            name + "}")
                    .forEach((path, body) -> {
                        HttpResponse<String> answer =
                                engine.post("/ovirt-engine/api/" + path, body);
                        assertThat(answer.statusCode())
                                .as(path + ": " + answer.body())
                                .isEqualTo(400);
                        assertThat(answer.body())
                                .as(path)
                                .contains("turns the direction of others");
                    });
        }

        private String hostId() {
            HttpResponse<String> added =
                    engine.post("/api/v1/hosts", "{\"name\":\"far\",\"address\":\"192.0.2.1\"}");
            assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
            return RunningEngine.JSON.readTree(added.body()).path("id").asString();
        }

        private String clusterId() {
            return engine.json("/api/v1/clusters").path("items").get(0).path("id").asString();
        }

        @Test
        void mistakesOfClientsLogNoStackAndAreThrottled() throws Exception {
            try (Log log = new Log()) {
                for (int each = 0; each < 30; each++) {
                    String form = "Content-Type: application/x-www-form-urlencoded";
                    raw(engine, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n");
                    raw(engine, "\u0016\u0003\u0001 garbage\r\n\r\n");
                    raw(engine, request("GET /api/v1/vms?a=%ff&b=%zz&c=%00"));
                    raw(engine, request("GET /api/v1/vms", "X-Bad: a\u0001b"));
                    raw(engine, request("GET /ovirt-engine/api/vms", "X-Bad: a\u0001b"));
                    raw(engine, request("GET /ovirt-engine/api/vms", "Accept: \u0080\u0001"));
                    raw(engine, request("POST /login", form, "Content-Length: 4") + "%ff=");
                    raw(
                            engine,
                            request("POST /ovirt-engine/sso/oauth/token", form, "Content-Length: 4")
                                    + "%ff=");
                    for (String path :
                            List.of("/api/v1/clusters", "/ovirt-engine/api/vms", "/login")) {
                        raw(
                                engine,
                                request("POST " + path, "Transfer-Encoding: chunked", form)
                                        + "zz\r\n");
                        raw(
                                engine,
                                request(
                                                "POST " + path,
                                                "Transfer-Encoding: chunked",
                                                "Content-Type: application/json")
                                        + "-1\r\n{}\r\n");
                        cutOff(request("POST " + path, "Content-Length: 100", form) + "{\"a\":");
                    }
                    raw(engine, request("GET /api/v1/stream/ws"));
                    raw(engine, request("GET /api/v1/stream/ws", "Upgrade: websocket"));
                    raw(
                            engine,
                            request(
                                            "POST /api/v1/clusters",
                                            "Content-Type: multipart/form-data; boundary=x",
                                            "Content-Length: 3")
                                    + "--x");
                    raw(
                            engine,
                            request(
                                            "POST /api/v1/clusters",
                                            "Content-Type: ///",
                                            "Content-Length: 2")
                                    + "{}");
                    raw(engine, request("GET /api/v1/vms", "Cookie: a=\"b; c=\u00ff;;=,"));
                    raw(engine, request("BREW /ovirt-engine/api"));
                    raw(engine, request("TRACE /api/v1/vms"));
                    raw(engine, request("BREW /api/v1/vms"));
                    raw(engine, request("DELETE /api/v1/vms"));
                    raw(engine, request("GET /api/v1/vms", "Content-Type: multipart/form-data"));
                }
                assertThat(log.lines(each -> each.getThrowableProxy() != null)).isEmpty();
                assertThat(log.lines(_ -> true)).hasSizeLessThan(30);
            }
        }

        /** Sends the beginning of a request, and disconnects. */
        private void cutOff(String text) throws IOException {
            URI address = URI.create(engine.address());
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().flush();
                socket.setSoLinger(true, 0);
            }
        }
    }

    /** An engine behind a proxy on this machine, which needs a login. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class BehindAProxy {

        private static final String FAILED = "USER_VDC_LOGIN_FAILED";

        private TestDatabase database;
        private RunningEngine engine;

        @BeforeAll
        void start() {
            database = TestDatabase.migrated();
            engine =
                    RunningEngine.start(
                            database,
                            List.of(),
                            "--stillwater.security.anonymous-role=none",
                            "--stillwater.http.trusted-proxies=127.0.0.1,10.0.0.0/8",
                            "--stillwater.http.allowed-hosts=engine.example,127.0.0.1,localhost",
                            "--stillwater.http.allowed-origins=https://console.example");
        }

        @AfterAll
        void stop() {
            engine.close();
            database.close();
        }

        private String addressOfFailure(String name, String... headers) {
            String[] all = java.util.Arrays.copyOf(headers, headers.length + 1);
            all[headers.length] = basic(name + "@internal", "wrong password");
            assertThat(status(raw(engine, request("GET /api/v1/vms", all)))).isEqualTo(401);
            JsonNode events =
                    RunningEngine.JSON
                            .readTree(
                                    raw(
                                                    engine,
                                                    request(
                                                            "GET /api/v1/events?limit=200",
                                                            basic(
                                                                    "admin@internal",
                                                                    RunningEngine.PASSWORD)))
                                            .split("\r\n\r\n", 2)[1]
                                            .replaceFirst("(?s)^[0-9a-fA-F]+\r\n", ""))
                            .path("items");
            for (JsonNode each : events) {
                if (each.toString().contains(name)) {
                    String text = each.toString();
                    int from = text.indexOf(" from ") + 6;
                    return text.substring(from, text.indexOf(' ', from));
                }
            }
            throw new AssertionError(FAILED + " is not there: " + events);
        }

        @Test
        void theAddressIsTheLastOneThatIsNoProxy() {
            assertThat(
                            addressOfFailure(
                                    "alice", "X-Forwarded-For: 198.51.100.9, 192.0.2.1, 10.0.0.7"))
                    .isEqualTo("192.0.2.1");
            assertThat(addressOfFailure("bob", "Forwarded: for=198.51.100.9"))
                    .isEqualTo("127.0.0.1");
            assertThat(addressOfFailure("carol", "X-Real-IP: 198.51.100.9")).isEqualTo("127.0.0.1");
        }

        @Test
        void theProxysSchemeAndHostAreTheOrigin() {
            String admin = basic("admin@internal", RunningEngine.PASSWORD);
            String proto = "X-Forwarded-Proto: https";
            String host = "X-Forwarded-Host: engine.example";
            String post = "POST /api/v1/clusters";
            String own = "Origin: https://engine.example";
            String empty = "Content-Length: 0";
            assertThat(status(raw(engine, request(post, admin, proto, host, own, empty))))
                    .isNotIn(401, 403, 421);
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    post,
                                                    admin,
                                                    proto,
                                                    host,
                                                    "Origin: http://engine.example",
                                                    empty))))
                    .isEqualTo(403);
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    post,
                                                    admin,
                                                    proto,
                                                    "X-Forwarded-Host: evil.example",
                                                    "Origin: https://evil.example",
                                                    empty))))
                    .as("a host that is not ours")
                    .isEqualTo(421);
        }

        @Test
        void aConfiguredOriginMayChangeObjects() {
            String admin = basic("admin@internal", RunningEngine.PASSWORD);
            String post = "POST /api/v1/clusters";
            String empty = "Content-Length: 0";
            String site = "Sec-Fetch-Site: cross-site";
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    post,
                                                    admin,
                                                    site,
                                                    "Origin: https://console.example",
                                                    empty))))
                    .isNotIn(401, 403);
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    post,
                                                    admin,
                                                    site,
                                                    "Origin: https://console.example",
                                                    "Origin: https://evil.example",
                                                    empty))))
                    .isEqualTo(403);
            assertThat(
                            status(
                                    raw(
                                            engine,
                                            request(
                                                    post,
                                                    admin,
                                                    site,
                                                    "Origin: https://console.example.evil",
                                                    empty))))
                    .isEqualTo(403);
        }

        /** The lines of the head of an answer that let a page of another origin do something. */
        private static List<String> shared(String answer) {
            return answer.split("\r\n\r\n", 2)[0]
                    .lines()
                    .filter(line -> line.regionMatches(true, 0, "Access-Control-", 0, 15))
                    .sorted()
                    .toList();
        }

        private String preflight(String path, String method, String origin) {
            return raw(
                    engine,
                    request(
                            "OPTIONS " + path,
                            "Origin: " + origin,
                            "Sec-Fetch-Site: cross-site",
                            "Access-Control-Request-Method: " + method,
                            "Access-Control-Request-Headers: authorization,content-type"));
        }

        @Test
        void aBrowserLetsAPageOfAConfiguredOriginChangeAndRead() {
            String page = "https://console.example";
            for (String path : List.of("/api/v1/clusters", "/ovirt-engine/api/vms")) {
                String asked = preflight(path, "POST", page);
                assertThat(status(asked)).as(path).isEqualTo(200);
                assertThat(shared(asked))
                        .containsExactly(
                                "Access-Control-Allow-Headers: authorization, content-type",
                                "Access-Control-Allow-Methods: GET,HEAD,POST,PUT,DELETE",
                                "Access-Control-Allow-Origin: " + page,
                                "Access-Control-Expose-Headers: *");
                String other = preflight(path, "POST", "https://evil.example");
                assertThat(shared(other)).as(path).isEmpty();
            }
            assertThat(status(preflight("/api/v1/clusters", "PATCH", page))).isEqualTo(403);

            String admin = basic("admin@internal", RunningEngine.PASSWORD);
            String site = "Sec-Fetch-Site: cross-site";
            String read =
                    raw(engine, request("GET /api/v1/clusters", admin, site, "Origin: " + page));
            assertThat(status(read)).isEqualTo(200);
            assertThat(shared(read))
                    .containsExactly(
                            "Access-Control-Allow-Origin: " + page,
                            "Access-Control-Expose-Headers: *");
            String unknown = raw(engine, request("GET /api/v1/vms", site, "Origin: " + page));
            assertThat(status(unknown)).isEqualTo(401);
            assertThat(shared(unknown)).contains("Access-Control-Allow-Origin: " + page);
            assertThat(
                            shared(
                                    raw(
                                            engine,
                                            request(
                                                    "GET /api/v1/clusters",
                                                    admin,
                                                    site,
                                                    "Origin: https://evil.example"))))
                    .isEmpty();
        }

        @Test
        void healthWithoutALoginIsUpOrDown() {
            for (String path :
                    List.of(
                            "/actuator/health",
                            "/actuator/health/readiness",
                            "/actuator/health/liveness",
                            "/actuator/%68ealth/readiness")) {
                String body = raw(engine, request("GET " + path)).split("\r\n\r\n", 2)[1];
                assertThat(body)
                        .contains("\"status\":\"UP\"")
                        .doesNotContain("components", "details", "hosts", "port", "reason");
            }
            for (String path : List.of("/actuator/health/hosts", "/actuator/health/database")) {
                assertThat(status(raw(engine, request("GET " + path)))).isEqualTo(404);
            }
            String admin = basic("admin@internal", RunningEngine.PASSWORD);
            assertThat(raw(engine, request("GET /actuator/health/readiness", admin)))
                    .contains("components", "database", "details");
            assertThat(raw(engine, request("GET /ovirt-engine/services/health")))
                    .contains("DB Up!");
        }
    }

    @Test
    void forwardedHeadersCountForNothingWithoutAProxy() {
        try (TestDatabase database = TestDatabase.migrated();
                RunningEngine engine =
                        RunningEngine.start(
                                database,
                                List.of(),
                                "--stillwater.security.anonymous-role=none",
                                "--stillwater.security.login.failures-per-address=3",
                                "--stillwater.security.login.first-pause=1s",
                                "--stillwater.security.login.longest-pause=1s",
                                "--stillwater.security.login.patience=1s",
                                "--stillwater.security.login.at-once=8")) {
            Set<Integer> statuses = guessesAtOnce(engine, 16);
            assertThat(statuses)
                    .as("one address, whose guesses wait one behind the other")
                    .contains(429)
                    .isSubsetOf(401, 429);
            String origin =
                    raw(
                            engine,
                            request(
                                    "POST /login",
                                    "X-Forwarded-Host: evil.example",
                                    "X-Forwarded-Proto: https",
                                    "Origin: https://evil.example",
                                    "Content-Length: 0"));
            assertThat(status(origin)).isEqualTo(403);
        }
    }

    /** Guesses of different names that name different addresses, and the statuses answered. */
    private static Set<Integer> guessesAtOnce(RunningEngine engine, int guesses) {
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int each = 1; each <= guesses; each++) {
            String guess =
                    request(
                            "GET /api/v1/vms",
                            basic("guess" + each + "@internal", "wrong one"),
                            "X-Forwarded-For: 198.51.100." + each,
                            "Forwarded: for=198.51.100." + each);
            calls.add(() -> status(raw(engine, guess)));
        }
        Set<Integer> statuses = new TreeSet<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> answer : threads.invokeAll(calls)) {
                statuses.add(answer.get());
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
        return statuses;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.forward-headers-strategy=framework",
                "server.forward-headers-strategy=NATIVE",
                "server.tomcat.remoteip.remote-ip-header=x-forwarded-for"
            })
    void theEngineDoesNotStartWhereEveryClientCouldChooseItsAddress(String setting) {
        try (TestDatabase database = TestDatabase.migrated()) {
            assertThatThrownBy(
                            () -> RunningEngine.start(database, List.of(), "--" + setting).close())
                    .rootCause()
                    .hasMessageContaining("every client could choose the address");
        }
    }
}
