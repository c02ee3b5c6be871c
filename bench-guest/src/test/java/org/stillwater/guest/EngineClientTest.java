package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against a server whose answers a test writes. */
class EngineClientTest {

    private static final String TOKEN = "secret-token-1";

    private record Answer(int status, String body) {}

    private record Asked(String path, @Nullable String authorization, String body) {}

    @TempDir Path folder;

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<Asked> asked = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private HttpServer server;
    private Path token;

    @BeforeEach
    void start() throws Exception {
        token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    asked.add(
                            new Asked(
                                    exchange.getRequestURI().getPath(),
                                    exchange.getRequestHeaders().getFirst("Authorization"),
                                    new String(
                                            exchange.getRequestBody().readAllBytes(),
                                            StandardCharsets.UTF_8)));
                    Answer answer = answers.remove();
                    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(answer.status(), body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private EngineClient client(@Nullable Schedule schedule) throws BenchmarkFailed {
        return EngineClient.of(
                new Posting(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                        token,
                        null,
                        schedule),
                pauses::add);
    }

    @Test
    void itPostsWithTheToken() throws Exception {
        answers.add(new Answer(201, "{}"));
        try (EngineClient client = client(null)) {
            client.post("{\"run\": 1}");
        }
        assertThat(asked)
                .containsExactly(
                        new Asked("/api/v1/benchmarks", "Bearer " + TOKEN, "{\"run\": 1}"));
    }

    @Test
    void aFailedServerIsRetried() throws Exception {
        answers.add(new Answer(503, "{\"detail\": \"the database does not answer\"}"));
        answers.add(new Answer(429, ""));
        answers.add(new Answer(200, "{}"));
        try (EngineClient client = client(null)) {
            client.post("{}");
        }
        assertThat(pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));

        for (int i = 0; i < 5; i++) {
            answers.add(new Answer(503, "{\"detail\": \"the database does not answer\"}"));
        }
        try (EngineClient client = client(null)) {
            assertThatThrownBy(() -> client.post("{}"))
                    .isInstanceOf(EngineAway.class)
                    .hasMessageContaining("in 5 tries: it answers 503: the database does not");
        }
    }

    @Test
    @Timeout(30)
    void anAnswerWithoutAnEndIsGivenUp() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        server.createContext(
                "/slow",
                exchange -> {
                    byte[] _ = exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(201, 2);
                    exchange.getResponseBody().write('{');
                    exchange.getResponseBody().flush();
                    if (requests.incrementAndGet() > 1) {
                        exchange.getResponseBody().write('}');
                        exchange.close();
                    }
                });
        URI slow = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/slow");
        try (EngineClient client =
                EngineClient.of(
                        new Posting(slow, token, null, null), pauses::add, Duration.ofSeconds(2))) {
            client.post("{}");
        }
        assertThat(requests).hasValue(2);
        assertThat(pauses).containsExactly(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(30)
    void aConnectionThatBreaksInItsHandshakeIsRetried(boolean reset) throws Exception {
        try (ServerSocket breaking = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread _ = Thread.ofVirtual().start(() -> breakEach(breaking, reset));
            URI address = URI.create("https://127.0.0.1:" + breaking.getLocalPort());
            try (EngineClient client =
                    EngineClient.of(new Posting(address, token, null, null), pauses::add)) {
                assertThatThrownBy(() -> client.post("{}"))
                        .isInstanceOf(EngineAway.class)
                        .hasMessageContaining("in 5 tries");
            }
        }
        assertThat(pauses).hasSize(4);
    }

    private static void breakEach(ServerSocket breaking, boolean reset) {
        while (!breaking.isClosed()) {
            try (Socket socket = breaking.accept()) {
                int _ = socket.getInputStream().read(new byte[1 << 12]);
                socket.setSoLinger(reset, 0);
            } catch (IOException e) {
                // the test closed it, or the client was faster
            }
        }
    }

    @Test
    void refusalsAreSaidWithoutTheToken() throws Exception {
        answers.add(new Answer(401, ""));
        answers.add(new Answer(403, "{\"detail\": \"role\"}"));
        answers.add(new Answer(409, "{\"detail\": \"Another\\nrun \\u001b[1m\"}"));
        answers.add(new Answer(404, "no JSON"));
        answers.add(new Answer(302, ""));
        try (EngineClient client = client(null)) {
            for (String message :
                    List.of(
                            "does not accept the token of " + token,
                            "needs the role benchmarker of this machine: role",
                            "refuses it with 409: Another run  [1m",
                            "refuses it with 404",
                            "refuses it with 302")) {
                assertThatThrownBy(() -> client.post("{}"))
                        .isInstanceOf(EngineRefused.class)
                        .hasMessageContaining(message)
                        .hasMessageNotContaining(TOKEN);
            }
        }
        assertThat(asked).hasSize(5);
    }

    @Test
    void itRequestsPermits() throws Exception {
        answers.add(new Answer(200, "{\"granted\": true, \"text\": \"Granted.\"}"));
        answers.add(
                new Answer(
                        200,
                        "{\"granted\": false, \"reason\": \"budget\", \"text\": \"No.\","
                                + " \"retryAfterSeconds\": 77}"));
        answers.add(new Answer(200, "<html>"));
        Target target = new Target("vm", new UUID(1, 2));
        Schedule schedule = new Schedule(Duration.ofHours(6), Duration.ofMinutes(30), 0);
        Options options = Options.of("--records=64k,1m", "--seconds=2");
        try (EngineClient client = client(schedule)) {
            assertThat(client.permit(options, target))
                    .isEqualTo(new Permit(true, "Granted.", Duration.ZERO));
            assertThat(client.permit(options, target))
                    .isEqualTo(new Permit(false, "No.", Duration.ofSeconds(77)));
            assertThatThrownBy(() -> client.permit(options, target))
                    .isInstanceOf(EngineRefused.class)
                    .hasMessageContaining("not as an engine does");
        }
        assertThat(asked.getFirst().path()).isEqualTo("/api/v1/benchmarks/permits");
        assertThat(asked.getFirst().body())
                .isEqualTo(
                        "{\"vm\": \"00000000-0000-0001-0000-000000000002\", \"seconds\": 16,"
                                + " \"everySeconds\": 21600, \"budgetSeconds\": 1800}");
    }

    @Test
    void aFileWithoutATokenIsRefused() throws Exception {
        Files.writeString(token, "two\nlines\n");
        assertThatThrownBy(() -> client(null))
                .isInstanceOf(BenchmarkFailed.class)
                .hasMessageContaining("has no token")
                .hasMessageNotContaining("lines\n");
        Files.delete(token);
        assertThatThrownBy(() -> client(null))
                .isInstanceOf(BenchmarkFailed.class)
                .hasMessageContaining("cannot read the token");
    }
}
