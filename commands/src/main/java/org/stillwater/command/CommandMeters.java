package org.stillwater.command;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import org.stillwater.core.command.VmVerb;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;

/** Meters of commands. Thread-safe. */
public final class CommandMeters {

    private final MeterRegistry registry;
    private final Counter passes;
    private final Counter placed;

    CommandMeters(MeterRegistry registry) {
        this.registry = registry;
        this.passes =
                Counter.builder("stillwater.placement.passes")
                        .description("Scheduling passes")
                        .register(registry);
        this.placed =
                Counter.builder("stillwater.placement.decisions")
                        .description("VMs for which a host was searched")
                        .register(registry);
    }

    public void begun(OperationKind kind) {
        Counter.builder("stillwater.operations.begun")
                .description("Operations that became durable")
                .tag("kind", kind.label())
                .register(registry)
                .increment();
    }

    public void ended(Operation operation) {
        Instant end = operation.endedAt();
        Timer.builder("stillwater.operations.ended")
                .description("Operations that ended, and how long they took")
                .tag("kind", operation.kind().label())
                .tag("state", operation.state().label())
                .register(registry)
                .record(end == null ? Duration.ZERO : Duration.between(operation.createdAt(), end));
    }

    public void placed(int vms) {
        passes.increment();
        placed.increment(vms);
    }

    public void called(VmVerb verb) {
        Counter.builder("stillwater.host.commands")
                .description("Commands sent to hosts")
                .tag("verb", verb.name().toLowerCase(java.util.Locale.ROOT))
                .register(registry)
                .increment();
    }
}
