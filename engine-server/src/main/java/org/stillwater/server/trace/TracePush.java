package org.stillwater.server.trace;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
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
 * Pushes traces to an OpenTelemetry collector, where a setting requests it (OTLP/HTTP, protobuf). A
 * collector that is away costs traces and nothing else: those that wait are bounded. Thread-safe.
 */
@Component
@ConditionalOnProperty("stillwater.otlp-traces.enabled")
final class TracePush implements SmartLifecycle {

    private final OtlpTraceSettings settings;
    private final FleetReader fleet;
    private final @Nullable CommandEngine commands;
    private final Workers workers;
    private final CycleTraces cycles;
    private final TraceSampler sample;
    private final OperationTraces operations;
    private final Consumer<Operation> follower;
    private final TraceQueue queue;
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
        this.follower = operations::told;
        this.queue = new TraceQueue(settings, meters);
        FunctionCounter.builder(
                        "stillwater.traces.operations.dropped",
                        operations,
                        OperationTraces::dropped)
                .description("Traces of operations that did not fit")
                .register(meters);
    }

    /** Collects new spans, and pushes waiting ones; the worker counts and logs a failure. */
    private void push() {
        queue.add(cycles.since(fleet.provenances(), sample));
        queue.add(operations.take());
        queue.send();
    }

    @Override
    public synchronized void start() {
        if (worker == null) {
            queue.open();
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
            queue.close();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
