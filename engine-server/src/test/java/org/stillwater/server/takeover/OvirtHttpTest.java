package org.stillwater.server.takeover;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.testkit.FreePorts;

class OvirtHttpTest {

    private static final URI ENGINE = URI.create("https://engine.example:8443/ovirt-engine/api");

    private static String reason(IOException e) {
        return OvirtHttp.reason(ENGINE, "GET /x", e);
    }

    @Test
    void failuresHaveARemedyForOperators() {
        ConnectException unknown = new ConnectException();
        unknown.initCause(new UnresolvedAddressException());
        assertThat(reason(unknown)).isEqualTo("there is no machine of the name engine.example");
        assertThat(reason(new ConnectException()))
                .isEqualTo("nothing accepts connections at engine.example:8443");
        SSLHandshakeException untrusted = new SSLHandshakeException("PKIX");
        untrusted.initCause(new CertificateException("PKIX path building failed"));
        assertThat(reason(untrusted))
                .contains("is not trusted", "--ca", "PKIX path building failed");
        assertThat(reason(new HttpTimeoutException("slow"))).isEqualTo("GET /x: no answer in time");
        assertThat(reason(new IOException("reset")))
                .isEqualTo("GET /x: java.io.IOException: reset");
    }

    @Test
    void aPortWithoutAnEngineIsNamed() throws Exception {
        int port = FreePorts.next();
        assertThatThrownBy(() ->
                        OvirtHttp.login(
                                URI.create("http://127.0.0.1:" + port), "user", "password", null))
                .hasMessageContaining("nothing accepts connections at 127.0.0.1:" + port);
    }

    /** Logs in, and gets an answer of 1 000 bytes of which the last ones never come. */
    private static String cutAnswer(boolean closed) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            server.setExecutor(threads);
            server.createContext(
                    "/ovirt-engine/sso/oauth/token",
                    exchange -> answer(exchange, "{\"access_token\": \"t\"}"));
            server.createContext(
                    "/ovirt-engine/services/sso-logout", exchange -> answer(exchange, "{}"));
            server.createContext(
                    "/ovirt-engine/api/vms",
                    exchange -> {
                        exchange.sendResponseHeaders(200, 1_000);
                        exchange.getResponseBody().write("{\"vm\": [".getBytes(UTF_8));
                        exchange.getResponseBody().flush();
                        if (!closed) {
                            await(over);
                        }
                        throw new IOException("the test cuts the connection");
                    });
            server.start();
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            Duration longest = closed ? Duration.ofMinutes(1) : Duration.ofSeconds(1);
            try (OvirtHttp engine = OvirtHttp.login(url, "user", "password", null, longest)) {
                return String.valueOf(
                        catchThrowableOfType(OvirtReader.NotRead.class, () -> engine.get("/vms"))
                                .getMessage());
            } finally {
                over.countDown();
                server.stop(0);
            }
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static void await(CountDownLatch over) {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Timeout(60)
    void anAnswerThatIsCutOffIsNamedAsSuch() throws Exception {
        assertThat(cutAnswer(true))
                .startsWith("GET /ovirt-engine/api/vms: the connection was closed in the middle of")
                .contains("look at the log of the engine");
    }

    @Test
    @Timeout(60)
    void anAnswerWithoutAnEndEndsInTime() throws Exception {
        assertThat(cutAnswer(false))
                .isEqualTo("GET /ovirt-engine/api/vms: the answer has no end after 1 s");
    }
}
