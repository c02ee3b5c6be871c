package org.stillwater.server.metrics;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Time spent on each kind of object, counted as ovirt_exporter does: since the engine started,
 * without the present scrape. Thread-safe.
 */
final class CollectorTimes {

    /** Collectors of ovirt_exporter. */
    enum Collector {
        VM,
        HOST,
        STORAGE
    }

    private static final double[] BOUNDS_SECONDS = {
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };
    private static final byte[] BUCKET = Exposition.bytes("_bucket");
    private static final byte[] SUM = Exposition.bytes("_sum");
    private static final byte[] COUNT = Exposition.bytes("_count");
    private static final byte[] COLLECTOR = Exposition.bytes("collector");
    private static final byte[] UPPER = Exposition.bytes("le");
    private static final double NANOS = 1e9;

    private final Map<Collector, Histogram> all = new EnumMap<>(Collector.class);

    private static final class Histogram {
        private final long[] upTo = new long[BOUNDS_SECONDS.length];
        private long count;
        private double seconds;
    }

    synchronized void took(Collector collector, long nanos) {
        Histogram one = all.computeIfAbsent(collector, _ -> new Histogram());
        double seconds = nanos / NANOS;
        for (int i = 0; i < BOUNDS_SECONDS.length; i++) {
            one.upTo[i] += seconds <= BOUNDS_SECONDS[i] ? 1 : 0;
        }
        one.count++;
        one.seconds += seconds;
    }

    /** Writes the times of these collectors; zero for one without a scrape. */
    synchronized void tell(Exposition out, List<Collector> collectors) throws IOException {
        out.family(
                "ovirt_collectors_duration",
                Exposition.Kind.HISTOGRAM,
                "Seconds to write all families of a collector.");
        for (Collector collector : collectors) {
            String name = collector.name().toLowerCase(Locale.ROOT);
            Histogram one = all.computeIfAbsent(collector, _ -> new Histogram());
            for (int i = 0; i < BOUNDS_SECONDS.length; i++) {
                out.sample(BUCKET)
                        .label(COLLECTOR, name)
                        .label(UPPER, Double.toString(BOUNDS_SECONDS[i]))
                        .value((double) one.upTo[i]);
            }
            out.sample(BUCKET)
                    .label(COLLECTOR, name)
                    .label(UPPER, "+Inf")
                    .value((double) one.count);
            out.sample(SUM).label(COLLECTOR, name).value(one.seconds);
            out.sample(COUNT).label(COLLECTOR, name).value((double) one.count);
        }
    }
}
