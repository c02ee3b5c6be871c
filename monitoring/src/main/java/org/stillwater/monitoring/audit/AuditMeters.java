package org.stillwater.monitoring.audit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.stillwater.core.audit.AuditSeverity;

/** The meters of the audit log. Thread-safe. */
final class AuditMeters {

    private final MeterRegistry registry;
    private final Map<AuditSeverity, Counter> entries = new EnumMap<>(AuditSeverity.class);
    private final Counter flooded;
    private final Counter givenUp;
    private final Counter rejected;
    private final Counter unavailable;
    private final Timer write;

    AuditMeters(MeterRegistry registry) {
        this.registry = registry;
        for (AuditSeverity severity : AuditSeverity.values()) {
            entries.put(
                    severity,
                    Counter.builder("stillwater.audit.entries")
                            .description("Entries of the audit log")
                            .tag("severity", severity.label())
                            .register(registry));
        }
        flooded = counter("stillwater.audit.flooded", "Repeats left out by flood control");
        givenUp = counter("stillwater.audit.given.up", "Entries given up, never durable");
        rejected = counter("stillwater.audit.rejected", "Entries that the database refused");
        unavailable =
                counter("stillwater.audit.unavailable", "Batches that the database did not take");
        write =
                Timer.builder("stillwater.audit.flush")
                        .description("One batch of entries brought to the database")
                        .publishPercentiles(0.5, 0.99)
                        .distributionStatisticExpiry(Duration.ofMinutes(2))
                        .register(registry);
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    void showQueue(AuditWriter writer) {
        Gauge.builder("stillwater.audit.queue", writer, queue -> queue.state().waiting())
                .description("Entries that are not durable yet")
                .strongReference(true)
                .register(registry);
    }

    void recorded(AuditSeverity severity) {
        Counter counter = entries.get(severity);
        if (counter != null) {
            counter.increment();
        }
    }

    void flooded() {
        flooded.increment();
    }

    void givenUp() {
        givenUp.increment();
    }

    void written(long nanos, int refused) {
        write.record(nanos, TimeUnit.NANOSECONDS);
        rejected.increment(refused);
    }

    void unavailable() {
        unavailable.increment();
    }
}
