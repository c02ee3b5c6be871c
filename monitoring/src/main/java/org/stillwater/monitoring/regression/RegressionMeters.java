package org.stillwater.monitoring.regression;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters of the search for regressions. Thread-safe. */
final class RegressionMeters {

    private final Timer sample;
    private final Timer interval;
    private final Counter began;
    private final Counter ended;
    private final Counter unavailable;

    RegressionMeters(MeterRegistry registry, Supplier<RegressionState> state) {
        sample =
                Timer.builder("stillwater.regressions.sample")
                        .description("One sample of the fleet")
                        .register(registry);
        interval =
                Timer.builder("stillwater.regressions.interval")
                        .description("Comparison of all series at the end of an interval")
                        .register(registry);
        began = counter(registry, "stillwater.regressions.begun", "Findings that began");
        ended = counter(registry, "stillwater.regressions.ended", "Findings that ended");
        unavailable =
                counter(
                        registry,
                        "stillwater.regressions.unavailable",
                        "Attempts that the database did not take");
        Gauge.builder("stillwater.regressions.open", state, it -> it.get().open())
                .description("Findings that last")
                .strongReference(true)
                .register(registry);
        Gauge.builder("stillwater.regressions.series", state, it -> it.get().series())
                .description("Series that are measured")
                .strongReference(true)
                .register(registry);
        Gauge.builder("stillwater.regressions.refused", state, it -> it.get().refused())
                .description("Series and findings that limits refused so far")
                .strongReference(true)
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    void sampled(long nanos) {
        sample.record(nanos, TimeUnit.NANOSECONDS);
    }

    void compared(long nanos) {
        interval.record(nanos, TimeUnit.NANOSECONDS);
    }

    void began() {
        began.increment();
    }

    void ended() {
        ended.increment();
    }

    void unavailable() {
        unavailable.increment();
    }
}
