package org.stillwater.fake.xapi.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.xapi.control.ControlServer;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.WorldClock;

/** URLs, encodings and faults on real sockets. */
class PoolServerTest {

    private static final String FIRST = "127.9.1.1";
    private static final String SECOND = "127.9.1.2";
    private static final String OLD = "127.9.2.1";

    private final Pools pools = new Pools(new WorldClock(0));
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private PoolServer server;

    @BeforeEach
    void start() throws Exception {
        pools.add(PoolSettings.today(), 7, "new", List.of(FIRST, SECOND), 5);
        pools.add(PoolSettings.today().with(Era.Y2013), 8, "old", List.of(OLD), 2);
        server = PoolServer.start(pools, 0, false);
    }

    @AfterEach
    void stop() {
        http.close();
        server.close();
        pools.close();
    }

    private java.net.http.HttpRequest.Builder to(String address, String path) {
        return java.net.http.HttpRequest.newBuilder(
                URI.create("http://" + address + ":" + server.port() + path));
    }

    private HttpResponse<String> post(String address, String path, String body) throws Exception {
        return http.send(
                to(address, path).POST(BodyPublishers.ofString(body)).build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String address, String path) throws Exception {
        return http.send(to(address, path).build(), BodyHandlers.ofString());
    }

    private static String type(HttpResponse<?> response) {
        return response.headers().firstValue("content-type").orElse("");
    }

    private static String xml(String method, String... arguments) {
        StringBuilder call = new StringBuilder("<?xml version=\"1.0\"?><methodCall><methodName>");
        call.append(method).append("</methodName><params>");
        for (String each : arguments) {
            call.append("<param><value>").append(each).append("</value></param>");
        }
        return call.append("</params></methodCall>").toString();
    }

    private String login(String address) throws Exception {
        String body =
                post(address, "/", xml("session.login_with_password", "root", "stillwater")).body();
        int at = body.indexOf("OpaqueRef:");
        return body.substring(at, at + 46);
    }

    @Test
    @DisplayName("X1 XML-RPC is answered at every URL without a handler of its own")
    void xmlUrls() throws Exception {
        for (String path : List.of("/", "/RPC2", "/xmlrpc", "/json")) {
            HttpResponse<String> response = post(FIRST, path, xml("VM.get_all", login(FIRST)));
            assertThat(type(response)).isEqualTo("text/xml");
            assertThat(response.body())
                    .startsWith(
                            "<?xml version=\"1.0\"?><methodResponse><params><param><value><struct>"
                                    + "<member><name>Status</name><value>Success</value></member>");
        }
    }

    @Test
    @DisplayName("X2 /json of an old server has JSON text in the value, and errors as XML")
    void jsonInXml() throws Exception {
        String session = login(OLD);
        assertThat(post(OLD, "/json", xml("pool.get_all", session)).body())
                .contains("<name>Value</name><value>[&quot;OpaqueRef:");
        assertThat(post(OLD, "/json", xml("pool.get_all", "x")).body())
                .contains(
                        "<name>ErrorDescription</name><value><array><data><value>SESSION_INVALID");
    }

    @Test
    @DisplayName("X3 JSON-RPC 1 and 2 with the id as given")
    void jsonRpc() throws Exception {
        HttpResponse<String> two =
                post(
                        FIRST,
                        "/jsonrpc",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"VM.get_all\",\"params\":[\"x\"],\"id\":\"a\"}");
        assertThat(type(two)).isEqualTo("application/json");
        assertThat(two.body())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"SESSION_INVALID\",\"data\":[\"x\"]},\"id\":\"a\"}");
        assertThat(
                        post(
                                        FIRST,
                                        "/jsonrpc",
                                        "{\"method\":\"VM.get_all\",\"params\":[\"x\"],\"id\":3}")
                                .body())
                .isEqualTo("{\"result\":null,\"error\":[\"SESSION_INVALID\",\"x\"],\"id\":3}");
    }

    @Test
    @DisplayName(
            "X4 a body without a call gets HTTP 500 with a page, and the connection stays usable")
    void malformed() throws Exception {
        HttpResponse<String> response = post(FIRST, "/jsonrpc", "[{\"jsonrpc\":\"2.0\"}]");
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(type(response)).isEqualTo("text/html");
        HttpResponse<String> absent =
                post(OLD, "/jsonrpc", "{\"method\":\"a.b\",\"params\":[],\"id\":1}");
        assertThat(absent.statusCode()).isEqualTo(200);
        assertThat(type(absent)).isEqualTo("text/xml");
        login(FIRST);
    }

    @Test
    @DisplayName(
            "X5 a body in chunks, of more than 300 KiB, or of no length or none that is valid is"
                    + " refused")
    void bodies() throws Exception {
        byte[] some = xml("VM.get_all", "x").getBytes(StandardCharsets.UTF_8);
        HttpResponse<String> chunked =
                http.send(
                        to(FIRST, "/")
                                .POST(
                                        BodyPublishers.ofInputStream(
                                                () -> new java.io.ByteArrayInputStream(some)))
                                .build(),
                        BodyHandlers.ofString());
        assertThat(chunked.statusCode()).isEqualTo(500);
        for (String length : List.of("", "400000", "ten", "-1", "99999999999999999999")) {
            String header = length.isEmpty() ? "" : "Content-Length: " + length + "\r\n";
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(FIRST, server.port()));
                socket.getOutputStream()
                        .write(
                                "POST / HTTP/1.1\r\nHost: x\r\n%s\r\n"
                                        .formatted(header)
                                        .getBytes(StandardCharsets.US_ASCII));
                InputStream in = socket.getInputStream();
                assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII))
                        .as(length)
                        .isEqualTo("HTTP/1.1 500");
            }
        }
    }

    @Test
    @DisplayName("X15 a member redirects to an address that answers on the same port")
    void redirect() throws Exception {
        assertThat(
                        post(SECOND, "/", xml("session.login_with_password", "root", "stillwater"))
                                .body())
                .contains("<value>HOST_IS_SLAVE</value><value>" + FIRST + "</value>");
    }

    @Test
    @DisplayName("X48, X54 metrics need a session and a start; the notation follows Accept or json")
    void metrics() throws Exception {
        String session = login(FIRST);
        String url = "/rrd_updates?session_id=" + session + "&host=true&interval=5";
        assertThat(get(FIRST, "/rrd_updates?start=-5").statusCode()).isEqualTo(401);
        assertThat(get(FIRST, url).statusCode()).isEqualTo(400);
        assertThat(get(FIRST, url + "&start=-5").body()).startsWith("<?xml");
        assertThat(get(FIRST, url + "&start=-5&json=true").body())
                .startsWith("{\"meta\":{\"start\":\"");
        // Every host answers for itself, and updates its metrics at a second of its own.
        assertThat(get(FIRST, url + "&start=-5&json=true").body()).contains("\"rows\":\"2\"");
        assertThat(get(SECOND, url + "&start=-5&json=true").body()).contains("\"rows\":\"1\"");
        String old = "/rrd_updates?session_id=" + login(OLD) + "&host=true&start=-5&json=true";
        assertThat(get(OLD, old).body()).startsWith("{meta: {start:");
    }

    @Test
    @DisplayName("X62 a truncated reply ends before its length, and the next one is whole")
    void truncated() throws Exception {
        String session = login(FIRST);
        server.faults().add(FaultKind.TRUNCATE, "", "VM.get_all_records", "1000", 1);
        assertThatThrownBy(() -> post(FIRST, "/", xml("VM.get_all_records", session)))
                .isInstanceOf(IOException.class);
        assertThat(post(FIRST, "/", xml("VM.get_all_records", session)).body())
                .endsWith("</methodResponse>");
    }

    @Test
    @DisplayName("X32 faults of errors and statuses strike as often as ordered")
    void errors() throws Exception {
        String session = login(FIRST);
        server.faults().add(FaultKind.ERROR, "", "event.from", "EVENTS_LOST", 1);
        server.faults().add(FaultKind.HTTP_STATUS, FIRST, "GET /rrd_updates", "503", 2);
        String call =
                "{\"method\":\"event.from\",\"params\":[\""
                        + session
                        + "\",[\"pool\"],\"\",0.0],\"id\":1}";
        assertThat(post(FIRST, "/jsonrpc", call).body()).contains("EVENTS_LOST");
        assertThat(post(FIRST, "/jsonrpc", call).body()).contains("\"events\":[{");
        String url = "/rrd_updates?session_id=" + session + "&start=-5";
        assertThat(get(FIRST, url).statusCode()).isEqualTo(503);
        assertThat(get(FIRST, url).statusCode()).isEqualTo(503);
        assertThat(get(FIRST, url).statusCode()).isEqualTo(200);
    }

    @Test
    @DisplayName("X18 a dead host closes its connections, and the state shows it")
    void deadHost() throws Exception {
        Pool pool = pools.at(FIRST);
        login(FIRST);
        try (ControlServer control =
                ControlServer.start(
                        pools,
                        server,
                        new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0))) {
            String base = "http://127.0.0.1:" + control.address().getPort();
            String uuid = pool.hostAt(FIRST).text("uuid");
            assertThat(order(base + "/hosts/" + uuid + "/kill", "{}")).isEqualTo(200);
            assertThatThrownBy(() -> login(FIRST)).isInstanceOf(IOException.class);
            assertThat(
                            order(
                                    base
                                            + "/hosts/"
                                            + pool.hostAt(SECOND).text("uuid")
                                            + "/promote",
                                    "{}"))
                    .isEqualTo(200);
            login(SECOND);
            HttpResponse<String> state =
                    http.send(
                            java.net.http.HttpRequest.newBuilder(URI.create(base + "/state"))
                                    .build(),
                            BodyHandlers.ofString());
            assertThat(state.body())
                    .contains("\"coordinator\":\"" + SECOND + "\"", "\"runs\":false");
            assertThat(
                            http.send(
                                            java.net.http.HttpRequest.newBuilder(
                                                            URI.create(base + "/batches"))
                                                    .build(),
                                            BodyHandlers.ofString())
                                    .body())
                    .contains("\"uuid\"", "\"batches\":[");
            assertThat(order(base + "/hosts/none/kill", "{}")).isEqualTo(404);
            assertThat(order(base + "/faults", "{\"kind\":\"latency\"}")).isEqualTo(400);
            assertThat(order(base + "/clock/advance", "{\"seconds\":5}")).isEqualTo(200);
        }
    }

    private int order(String url, String body) throws Exception {
        return http.send(
                        java.net.http.HttpRequest.newBuilder(URI.create(url))
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    @DisplayName("X19 an ejected host lives on as a pool of its own, with another identity")
    void eject() throws Exception {
        Pool pool = pools.at(FIRST);
        for (var vm : pool.objects("VM")) {
            if (vm.text("power_state").equals("Running") && !vm.flag("is_control_domain")) {
                pool.order("VM", vm.text("uuid"), "hard_shutdown", Map.of());
            }
        }
        pools.clock().advance(java.time.Duration.ofSeconds(5));
        Pool own = pools.eject(pool.hostAt(SECOND).text("uuid"));
        assertThat(own.itself().text("uuid")).isNotEqualTo(pool.itself().text("uuid"));
        login(SECOND);
    }

    @Test
    @DisplayName("X21 with TLS every host shows a certificate of its own, which its object names")
    void tls() throws Exception {
        server.close();
        server = PoolServer.start(pools, 0, true);
        javax.net.ssl.SSLContext trusting = javax.net.ssl.SSLContext.getInstance("TLS");
        trusting.init(null, new javax.net.ssl.TrustManager[] {new TrustAll()}, null);
        try (javax.net.ssl.SSLSocket socket =
                (javax.net.ssl.SSLSocket)
                        trusting.getSocketFactory()
                                .createSocket(
                                        java.net.InetAddress.ofLiteral(FIRST), server.port())) {
            socket.startHandshake();
            String shown =
                    java.util.HexFormat.ofDelimiter(":")
                            .withUpperCase()
                            .formatHex(
                                    java.security.MessageDigest.getInstance("SHA-256")
                                            .digest(
                                                    socket.getSession()
                                                            .getPeerCertificates()[0]
                                                            .getEncoded()));
            assertThat(pools.at(FIRST).objects("Certificate"))
                    .anyMatch(each -> each.text("fingerprint_sha256").equals(shown));
        }
    }

    private static final class TrustAll extends javax.net.ssl.X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] chain,
                String type,
                javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] chain,
                String type,
                javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}
