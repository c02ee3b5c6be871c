package org.stillwater.monitoring.history.durable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.write.WriterSettings;
import org.stillwater.testkit.memory.InMemoryHistoryStore;

/** A recorder on a fleet, a store and clocks that a test moves. */
final class Recording {

    static final Instant START = Instant.parse("2026-02-28T21:00:20Z");
    static final Duration INTERVAL = Duration.ofMinutes(1);

    final Clocks clock = new Clocks();
    final Fleet fleet = new Fleet();
    final InMemoryHistoryStore store = new InMemoryHistoryStore();
    final DurableHistorySettings settings;
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    HistoryRecorder recorder;

    /** When a sample was taken, and in which of the lives that such a time had. */
    private record Moment(Instant at, Instant run) {}

    /** Every value that was shown, by metric, subject and time. */
    private final Map<HistoryMetric, Map<UUID, Map<Moment, Float>>> shown = new LinkedHashMap<>();

    Recording(DurableHistorySettings settings) {
        this.settings = settings;
        this.recorder = newRecorder();
        recorder.begin();
    }

    private HistoryRecorder newRecorder() {
        return new HistoryRecorder(
                settings,
                WriterSettings.DEFAULT,
                Duration.ofMinutes(1),
                fleet,
                store,
                clock,
                meters);
    }

    /** A new life of the engine on the same database. */
    void restart() {
        meters = new SimpleMeterRegistry();
        recorder = newRecorder();
        recorder.begin();
    }

    /** A wall clock that can be set, beside a monotonic one that cannot. */
    static final class Clocks implements EngineClock {
        private long nanos = -7_000_000_000L;
        private Instant now = START;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public Instant now() {
            return now;
        }

        void advance(Duration duration) {
            nanos += duration.toNanos();
            now = now.plus(duration);
        }

        void set(Duration by) {
            now = now.plus(by);
        }
    }

    /** VMs and hosts with the numbers that a test gives them, observed just now. */
    final class Fleet implements HistorySource {

        final Map<UUID, double[]> vms = new LinkedHashMap<>();
        final Map<UUID, double[]> hosts = new LinkedHashMap<>();
        long observedMillis = Long.MAX_VALUE;

        void vm(UUID id, double all) {
            double[] values = new double[HistoryMetric.of(Subject.VM).size()];
            Arrays.fill(values, all);
            vms.put(id, values);
        }

        @Override
        public int vmCount() {
            return vms.size();
        }

        @Override
        public void vms(Visitor visitor) {
            show(vms, visitor);
        }

        @Override
        public void hosts(Visitor visitor) {
            show(hosts, visitor);
        }

        private void show(Map<UUID, double[]> all, Visitor visitor) {
            all.forEach((id, values) ->
                    visitor.look(
                            id.getMostSignificantBits(),
                            id.getLeastSignificantBits(),
                            Math.min(observedMillis, clock.now().toEpochMilli()),
                            values));
        }
    }

    /** Lets a time pass by steps, sampling and writing whenever it is time. */
    void pass(Duration duration) {
        for (Duration gone = Duration.ZERO;
                gone.compareTo(duration) < 0;
                gone = gone.plusSeconds(10)) {
            clock.advance(Duration.ofSeconds(10));
            step();
        }
    }

    /** Does everything that is due. */
    void step() {
        if (recorder.sampleDue()) {
            Moment at = new Moment(clock.now().truncatedTo(ChronoUnit.MINUTES), recorder.run());
            fleet.vms.forEach((id, values) -> remember(Subject.VM, id, at, values));
            fleet.hosts.forEach((id, values) -> remember(Subject.HOST, id, at, values));
        }
        while (recorder.writeDue()) {
            // until nothing is left to do
        }
    }

    private void remember(Subject subject, UUID id, Moment at, double[] values) {
        for (HistoryMetric metric : HistoryMetric.of(subject)) {
            double value = values[metric.index()];
            if (!Double.isNaN(value)) {
                shown.computeIfAbsent(metric, _ -> new LinkedHashMap<>())
                        .computeIfAbsent(id, _ -> new HashMap<>())
                        .putIfAbsent(at, (float) value);
            }
        }
    }

    /** Values shown in the intervals of history. */
    List<HistoryPoint> shown(HistoryMetric metric, UUID id) {
        Map<Moment, Float> values = shown.getOrDefault(metric, Map.of()).getOrDefault(id, Map.of());
        List<HistoryPoint> points = new ArrayList<>();
        for (HistoryStore.Interval noted : store.noted()) {
            Float value = values.get(new Moment(noted.at(), noted.run()));
            if (value != null) {
                points.add(HistoryPoint.sample(noted.at(), value));
            }
        }
        return points;
    }

    double skipped(String reason) {
        return meters.get("stillwater.history.skipped").tag("reason", reason).counter().count();
    }
}
