package org.stillwater.monitoring.alert;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters of alert rules. Thread-safe. */
final class AlertMeters {

    private final Timer evaluation;
    private final Counter fired;
    private final Counter resolved;
    private final Counter unavailable;

    /** How far the evaluation is. */
    record Reading(int firing, int pending, long refused) {}

    AlertMeters(MeterRegistry registry, Supplier<Reading> reading) {
        evaluation =
                Timer.builder("stillwater.alerts.evaluation")
                        .description("One evaluation of all alert rules")
                        .register(registry);
        fired = counter(registry, "stillwater.alerts.fired", "Alerts of rules that fired");
        resolved = counter(registry, "stillwater.alerts.resolved", "Alerts of rules that ended");
        unavailable =
                counter(
                        registry,
                        "stillwater.alerts.unavailable",
                        "Attempts that the database did not take");
        Gauge.builder("stillwater.alerts.firing", reading, it -> it.get().firing())
                .description("Alerts of rules that fire")
                .strongReference(true)
                .register(registry);
        Gauge.builder("stillwater.alerts.pending", reading, it -> it.get().pending())
                .description("Objects with a condition that has not lasted long enough")
                .strongReference(true)
                .register(registry);
        Gauge.builder("stillwater.alerts.refused", reading, it -> it.get().refused())
                .description("Objects and alerts that limits refused so far")
                .strongReference(true)
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    void evaluated(long nanos) {
        evaluation.record(nanos, TimeUnit.NANOSECONDS);
    }

    void fired() {
        fired.increment();
    }

    void resolved() {
        resolved.increment();
    }

    void unavailable() {
        unavailable.increment();
    }
}
