package org.stillwater.monitoring.history.durable;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The meters of durable history. Thread-safe. */
final class HistoryMeters {

    /** Why an interval is not in history. */
    enum Reason {
        /** Too many waited for the database. */
        BACKLOG,
        /** The clock was set forward, or the machine stood still. */
        LATE,
        /**
         * It exists already: another engine wrote it, or this one before the clock was set back.
         */
        ANOTHER,
        /** A bug. */
        FAILED
    }

    private final MeterRegistry registry;
    private final Map<Reason, Counter> skipped = new EnumMap<>(Reason.class);
    private final Timer write;
    private final Timer hour;
    private final Counter rows;
    private final Counter unavailable;
    private final Counter hoursGivenUp;

    HistoryMeters(MeterRegistry registry) {
        this.registry = registry;
        for (Reason reason : Reason.values()) {
            skipped.put(
                    reason,
                    Counter.builder("stillwater.history.skipped")
                            .description("Intervals that are not in durable history")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        write = timer("stillwater.history.write", "One interval brought to the database");
        hour = timer("stillwater.history.hour", "One closed hour brought to the database");
        rows = counter("stillwater.history.rows", "Rows of samples and hours brought there");
        unavailable =
                counter(
                        "stillwater.history.unavailable",
                        "Attempts that the database did not take");
        hoursGivenUp =
                counter(
                        "stillwater.history.hours.given.up",
                        "Closed hours given up and left to be computed from their samples");
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    private Timer timer(String name, String description) {
        return Timer.builder(name)
                .description(description)
                .publishPercentiles(0.5, 0.99)
                .distributionStatisticExpiry(Duration.ofMinutes(10))
                .register(registry);
    }

    void show(HistoryRecorder recorder) {
        Gauge.builder("stillwater.history.waiting", recorder, it -> it.state().waiting())
                .description("Intervals that are not durable yet")
                .strongReference(true)
                .register(registry);
        Gauge.builder("stillwater.history.age", recorder, HistoryRecorder::ageSeconds)
                .baseUnit("seconds")
                .description("Age of the newest durable interval; NaN before the first")
                .strongReference(true)
                .register(registry);
    }

    void skipped(Reason reason, long intervals) {
        Counter counter = skipped.get(reason);
        if (counter != null) {
            counter.increment((double) intervals);
        }
    }

    void written(long nanos, int count) {
        write.record(nanos, TimeUnit.NANOSECONDS);
        rows.increment(count);
    }

    void hourWritten(long nanos, int count) {
        hour.record(nanos, TimeUnit.NANOSECONDS);
        rows.increment(count);
    }

    void unavailable() {
        unavailable.increment();
    }

    void hourGivenUp() {
        hoursGivenUp.increment();
    }
}
