package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.ipc.http.HttpSender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a real collector on the loopback address. */
@Timeout(30)
class CollectorSenderTest {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private HttpServer collector;

    @BeforeEach
    void start() throws IOException {
        collector =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.start();
    }

    @AfterEach
    void stop() {
        end.complete(null);
        collector.stop(0);
    }

    private HttpSender.Response push(Duration timeout, HttpHandler answer) throws Throwable {
        collector.createContext(
                "/v1/metrics",
                exchange -> {
                    received.add(
                            exchange.getRequestMethod()
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("Content-Type")
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("X-Credential")
                                    + " "
                                    + new String(
                                            exchange.getRequestBody().readAllBytes(),
                                            StandardCharsets.UTF_8));
                    answer.handle(exchange);
                    exchange.close();
                });
        return new CollectorSender(timeout)
                .post("http://127.0.0.1:%d/v1/metrics".formatted(collector.getAddress().getPort()))
                .withHeader("X-Credential", "secret")
                .withContent("application/x-protobuf", "meters".getBytes(StandardCharsets.UTF_8))
                .send();
    }

    @Test
    void metersArriveWithTheirHeaders() throws Throwable {
        HttpSender.Response taken =
                push(Duration.ofSeconds(10), exchange -> exchange.sendResponseHeaders(200, -1));
        assertThat(taken.code()).isEqualTo(200);
        assertThat(received).containsExactly("POST application/x-protobuf secret meters");
    }

    @Test
    void anAnswerWithoutAnEndHoldsNoPush() throws Throwable {
        byte[] more = new byte[8192];
        HttpSender.Response taken =
                push(
                        Duration.ofSeconds(10),
                        exchange -> {
                            exchange.sendResponseHeaders(200, 0);
                            while (!end.isDone()) { // until the engine closes the connection
                                exchange.getResponseBody().write(more);
                            }
                        });
        assertThat(taken.code()).isEqualTo(200);
        assertThat(end).as("the answer goes on").isNotDone();
    }

    @Test
    void aRedirectionIsNoSuccess() throws Throwable {
        HttpSender.Response moved =
                push(
                        Duration.ofSeconds(10),
                        exchange -> {
                            exchange.getResponseHeaders().set("Location", "/elsewhere");
                            exchange.sendResponseHeaders(302, -1);
                        });
        assertThat(moved.code()).isEqualTo(302);
        assertThat(moved.isSuccessful()).isFalse();
        assertThat(received).hasSize(1);
    }

    @Test
    void aCollectorWithoutAnAnswerIsGivenUp() {
        assertThatThrownBy(() -> push(Duration.ofMillis(200), _ -> end.join()))
                .isInstanceOf(IOException.class);
    }
}
