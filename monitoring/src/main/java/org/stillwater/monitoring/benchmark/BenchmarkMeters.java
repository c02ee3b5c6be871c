package org.stillwater.monitoring.benchmark;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** The meters of benchmark runs. Thread-safe. */
final class BenchmarkMeters {

    private final Counter accepted;
    private final Counter repeated;
    private final Counter conflict;
    private final Counter tooMany;
    private final Counter malformed;
    private final Counter lost;
    private final Counter granted;
    private final Map<BenchmarkPermit.Reason, Counter> refusals =
            new EnumMap<>(BenchmarkPermit.Reason.class);

    BenchmarkMeters(MeterRegistry registry, Supplier<Number> runs) {
        accepted = runs(registry, "accepted");
        repeated = runs(registry, "repeated");
        conflict = runs(registry, "conflict");
        tooMany = runs(registry, "too-many");
        malformed = runs(registry, "malformed");
        lost = runs(registry, "lost");
        granted = permits(registry, "granted");
        for (BenchmarkPermit.Reason reason : BenchmarkPermit.Reason.values()) {
            refusals.put(reason, permits(registry, reason.label()));
        }
        Gauge.builder("stillwater.benchmarks.kept", runs)
                .description("Benchmark runs in memory")
                .strongReference(true)
                .register(registry);
    }

    private static Counter runs(MeterRegistry registry, String outcome) {
        return Counter.builder("stillwater.benchmarks.runs")
                .description("Benchmark runs that agents posted, or did not post in time")
                .tag("outcome", outcome)
                .register(registry);
    }

    private static Counter permits(MeterRegistry registry, String outcome) {
        return Counter.builder("stillwater.benchmarks.permits")
                .description("Permits of benchmark runs that agents asked for")
                .tag("outcome", outcome)
                .register(registry);
    }

    void posted(BenchmarkMonitor.Posted outcome) {
        Counter counter =
                switch (outcome) {
                    case ADDED -> accepted;
                    case KNOWN -> repeated;
                    case CONFLICT -> conflict;
                    case TOO_MANY -> tooMany;
                };
        counter.increment();
    }

    void malformed() {
        malformed.increment();
    }

    void lost() {
        lost.increment();
    }

    void answered(BenchmarkPermit permit) {
        switch (permit) {
            case BenchmarkPermit.Granted _ -> granted.increment();
            case BenchmarkPermit.Refused no -> {
                Counter counter = refusals.get(no.reason());
                if (counter != null) {
                    counter.increment();
                }
            }
        }
    }
}
