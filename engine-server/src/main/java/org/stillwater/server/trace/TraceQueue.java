package org.stillwater.server.trace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.settings.OtlpTraceSettings;

/**
 * Traces that wait for the collector: the oldest ones give way to new ones. The engine sends a
 * request again that may succeed later, and drops one that the collector refuses for good. Used by
 * one thread at a time.
 */
final class TraceQueue implements AutoCloseable {

    private static final String PROTOBUF = "application/x-protobuf";
    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;

    /** Traces of one request, so that no request is large. */
    private static final int BATCH = 500;

    /**
     * The only statuses of errors after which a client may send a request again (OTLP
     * specification, "Retryable Response Codes").
     */
    private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

    private final OtlpTraceSettings settings;
    private final SpanEncoder encoder = new SpanEncoder(new SplittableRandom());
    private final Deque<Span> waiting = new ArrayDeque<>();
    private final Counter pushed;
    private final Counter dropped;
    private @Nullable HttpClient http;

    TraceQueue(OtlpTraceSettings settings, MeterRegistry meters) {
        this.settings = settings;
        this.pushed =
                Counter.builder("stillwater.traces.pushed")
                        .description("Traces that the collector took")
                        .register(meters);
        this.dropped =
                Counter.builder("stillwater.traces.dropped")
                        .description("Traces that the collector refused or did not take in time")
                        .register(meters);
    }

    /** From now on it can send. */
    void open() {
        http = HttpClient.newBuilder().connectTimeout(settings.timeout()).build();
    }

    /** Adds traces. */
    void add(List<Span> traces) {
        for (Span trace : traces) {
            if (waiting.size() >= settings.queue()) {
                waiting.removeFirst();
                dropped.increment();
            }
            waiting.addLast(trace);
        }
    }

    /**
     * Sends all of them.
     *
     * @throws IllegalStateException if the collector did not take a request; the traces behind it
     *     wait for the next call
     */
    void send() {
        while (!waiting.isEmpty()) {
            List<Span> batch = waiting.stream().limit(BATCH).toList();
            int status;
            try {
                status = post(encoder.request(batch).toByteArray());
            } catch (IOException e) {
                throw new IllegalStateException("the collector does not answer: " + e, e);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the engine ends
                return;
            }
            if (RETRYABLE.contains(status)) {
                throw new IllegalStateException("the collector answers " + status);
            }
            batch.forEach(_ -> waiting.removeFirst());
            if (status / HUNDRED != SUCCESS) {
                dropped.increment(batch.size());
                throw new IllegalStateException("the collector refuses traces, status " + status);
            }
            pushed.increment(batch.size());
        }
    }

    /** The status of the answer. */
    private int post(byte[] body) throws IOException, InterruptedException {
        HttpClient client = http;
        if (client == null) {
            throw new IllegalStateException("not started");
        }
        HttpRequest.Builder request =
                HttpRequest.newBuilder(settings.url())
                        .timeout(settings.timeout())
                        .header("Content-Type", PROTOBUF)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        settings.headers().forEach(request::header);
        // The client's timeout ends with the headers: a body that never ends must not hold it.
        HttpResponse<InputStream> answer =
                client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        answer.body().close();
        return answer.statusCode();
    }

    @Override
    public void close() {
        HttpClient client = http;
        http = null;
        if (client != null) {
            client.shutdownNow();
        }
    }
}
