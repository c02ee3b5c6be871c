package org.stillwater.server.trace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.OtlpTraceSettings;

/**
 * Pushes traces to an OpenTelemetry collector, where a setting asks for it (OTLP/HTTP, protobuf). A
 * collector that is away costs traces and nothing else: those that wait are bounded. Thread-safe.
 */
@Component
@ConditionalOnProperty("stillwater.otlp-traces.enabled")
final class TracePush implements SmartLifecycle {

    private static final String PROTOBUF = "application/x-protobuf";

    /** Traces of one request, so that no request is large. */
    private static final int BATCH = 500;

    private final OtlpTraceSettings settings;
    private final FleetReader fleet;
    private final @Nullable CommandEngine commands;
    private final Workers workers;
    private final CycleTraces cycles;
    private final TraceSampler sample;
    private final OperationTraces operations;
    private final SpanEncoder encoder;
    private final Consumer<Operation> follower;
    private final Deque<Span> waiting = new ArrayDeque<>();
    private final Counter pushed;
    private final Counter dropped;
    private @Nullable HttpClient http;
    private @Nullable SupervisedWorker worker;

    TracePush(
            OtlpTraceSettings settings,
            FleetReader fleet,
            ObjectProvider<CommandEngine> commands,
            EngineClock clock,
            Workers workers,
            MeterRegistry meters) {
        this.settings = settings;
        this.fleet = fleet;
        this.commands = commands.getIfAvailable();
        this.workers = workers;
        this.cycles = new CycleTraces(clock);
        this.sample = new TraceSampler(settings.cyclesInTenThousand(), new SplittableRandom());
        this.operations =
                new OperationTraces(
                        clock,
                        new TraceSampler(
                                settings.operationsInTenThousand(), new SplittableRandom()),
                        settings.queue());
        this.encoder = new SpanEncoder(new SplittableRandom());
        this.follower = operations::told;
        this.pushed =
                Counter.builder("stillwater.traces.pushed")
                        .description("Traces that the collector took")
                        .register(meters);
        this.dropped =
                Counter.builder("stillwater.traces.dropped")
                        .description("Traces that the collector did not take in time")
                        .register(meters);
        FunctionCounter.builder(
                        "stillwater.traces.operations.dropped",
                        operations,
                        OperationTraces::dropped)
                .description("Traces of operations that did not fit")
                .register(meters);
    }

    /** Collects new spans, and pushes waiting ones. */
    private void push() {
        List<Span> fresh = new ArrayList<>(cycles.since(fleet.provenances(), sample));
        fresh.addAll(operations.take());
        for (Span trace : fresh) {
            if (waiting.size() >= settings.queue()) {
                waiting.removeFirst();
                dropped.increment();
            }
            waiting.addLast(trace);
        }
        while (!waiting.isEmpty()) {
            List<Span> batch = waiting.stream().limit(BATCH).toList();
            send(encoder.request(batch).toByteArray());
            batch.forEach(_ -> waiting.removeFirst());
            pushed.increment(batch.size());
        }
    }

    /** A failed push is repeated next time; the worker counts and logs it. */
    private void send(byte[] body) {
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
        try {
            int status =
                    client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode();
            if (status / 100 != 2) {
                throw new IllegalStateException("the collector answers " + status);
            }
        } catch (IOException e) {
            throw new IllegalStateException("the collector does not answer: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the engine ends
        }
    }

    @Override
    public synchronized void start() {
        if (worker == null) {
            http = HttpClient.newBuilder().connectTimeout(settings.timeout()).build();
            if (commands != null) {
                commands.follow(follower);
            }
            worker = workers.periodic("trace-push", settings.interval(), this::push);
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            if (commands != null) {
                commands.unfollow(follower);
            }
            boolean _ = worker.stop(Duration.ofSeconds(1));
            worker = null;
            HttpClient client = http;
            http = null;
            if (client != null) {
                client.shutdownNow();
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
