package org.stillwater.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.settings.OtlpTraceSettings;

/** Against a real collector on the loopback address. */
class TraceQueueTest {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:12:00Z");

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private volatile int status = 200;
    private HttpServer collector;
    private TraceQueue queue;

    @BeforeEach
    void start() throws IOException {
        collector =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", this::take);
        collector.start();
        queue = queue("/v1/traces");
    }

    private TraceQueue queue(String path) {
        TraceQueue opened =
                new TraceQueue(
                        new OtlpTraceSettings(
                                true,
                                URI.create(
                                        "http://127.0.0.1:"
                                                + collector.getAddress().getPort()
                                                + path),
                                100,
                                10_000,
                                Duration.ofSeconds(5),
                                3,
                                Duration.ofSeconds(10),
                                Map.of()),
                        meters);
        opened.open();
        return opened;
    }

    @AfterEach
    void stop() {
        queue.close();
        collector.stop(0);
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            ExportTraceServiceRequest request =
                    ExportTraceServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
            if (status == 200) {
                request.getResourceSpans(0)
                        .getScopeSpans(0)
                        .getSpansList()
                        .forEach(span -> received.add(span.getName()));
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private static Span trace(String name) {
        return Span.of(name, BEGIN, BEGIN.plusMillis(5));
    }

    private double count(String meter) {
        return meters.get("stillwater.traces." + meter).counter().count();
    }

    @Test
    @Timeout(30)
    void anAnswerWithoutAnEndHoldsNoTraces() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        collector.createContext(
                "/endless",
                exchange -> {
                    byte[] _ = exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, 1_000);
                    exchange.getResponseBody().write('a');
                    exchange.getResponseBody().flush();
                    end.join();
                    exchange.close();
                });
        try (TraceQueue endless = queue("/endless")) {
            endless.add(List.of(trace("one")));
            endless.send();
            assertThat(count("pushed")).as("its status was read").isEqualTo(1);
        } finally {
            end.complete(null);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 400, 401, 404, 413, 500})
    void tracesThatTheCollectorRefusesForGoodDoNotHoldTheNextOnes(int refusal) {
        status = refusal;
        queue.add(List.of(trace("refused")));
        assertThatThrownBy(queue::send)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("status " + refusal);
        status = 200;
        queue.add(List.of(trace("next")));
        queue.send();
        assertThat(received).containsExactly("next");
        assertThat(count("dropped")).isEqualTo(1);
        assertThat(count("pushed")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 502, 503, 504})
    void tracesOfARequestThatMaySucceedLaterAreSentAgain(int later) {
        status = later;
        queue.add(List.of(trace("one")));
        assertThatThrownBy(queue::send).isInstanceOf(IllegalStateException.class);
        status = 200;
        queue.add(List.of(trace("two")));
        queue.send();
        assertThat(received).containsExactly("one", "two");
        assertThat(count("dropped")).isZero();
    }

    @Test
    void theOldestTracesGiveWay() {
        queue.add(List.of(trace("1"), trace("2"), trace("3"), trace("4"), trace("5")));
        queue.send();
        assertThat(received).containsExactly("3", "4", "5");
        assertThat(count("dropped")).isEqualTo(2);
    }
}
