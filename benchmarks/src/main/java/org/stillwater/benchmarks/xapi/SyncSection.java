package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.StallProbe;
import org.stillwater.xapi.client.XapiEncoding;

/**
 * How long the engine takes from the login to a pool that it does not know until it lists all VMs
 * of it, and the latency of a REST reader meanwhile. The pools begin to answer one after the other.
 */
final class SyncSection {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final double MILLIS = 1e6;
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Duration QUIET_OF_TRIALS = Duration.ofMillis(500);
    private static final Double LONGEST_READ = 5.0;
    private static final Double LONGEST_STALL = 20.0;

    private static final List<XapiEncoding> ENCODINGS =
            List.of(XapiEncoding.JSON_RPC, XapiEncoding.XML_RPC);

    private final XapiPlan plan;
    private final Measures measures;
    private final Peer peer;

    SyncSection(XapiPlan plan, Measures measures, Peer peer) {
        this.plan = plan;
        this.measures = measures;
        this.peer = peer;
    }

    /**
     * The reading of one pool, between two times of the wall's and of the monotonic clock.
     *
     * @param readMillis until the engine had read the pool, by its log; NaN if that is not known
     */
    private record Reading(
            Instant from,
            Instant to,
            long begunNanos,
            long shownNanos,
            double readMillis,
            List<Double> restMillis) {

        double millis() {
            return (shownNanos - begunNanos) / MILLIS;
        }

        Reading with(List<Double> reads) {
            return new Reading(from, to, begunNanos, shownNanos, readMillis, reads);
        }
    }

    void measure() throws IOException, InterruptedException {
        int each = plan.syncs();
        measures.say(
                "sync: %d pools of %d hosts and %d VMs, one after the other"
                        .formatted(ENCODINGS.size() * each, plan.hosts(), plan.vms()));
        try (PoolProcess pools =
                PoolProcess.start(
                        plan.folder().resolve("sync-pools"),
                        plan.simulatorHeap(),
                        new PoolProcess.Size(
                                ENCODINGS.size() * each,
                                plan.hosts(),
                                plan.vms(),
                                plan.seed(),
                                "today",
                                true))) {
            List<List<Reading>> ofEngine = new ArrayList<>();
            List<List<Double>> stalls = new ArrayList<>();
            engine(pools, each, ofEngine, stalls);
            for (int i = 0; i < ENCODINGS.size(); i++) {
                List<Peer.Synced> others = peer(pools.pool(), ENCODINGS.get(i));
                tell(ENCODINGS.get(i), ofEngine.get(i), stalls.get(i), others);
            }
        }
    }

    private void engine(
            PoolProcess pools, int each, List<List<Reading>> readings, List<List<Double>> stalls)
            throws IOException, InterruptedException {
        List<@Nullable XapiEncoding> encodings = new ArrayList<>();
        for (PoolProcess.Pool pool : pools.pools()) {
            PoolControl.Commit _ = pools.control().pool(pool.uuid(), "boot", "{}");
            encodings.add(ENCODINGS.get(encodings.size() / each));
        }
        try (PoolBed bed =
                        PoolBed.start(
                                plan,
                                plan.folder().resolve("sync"),
                                pools,
                                encodings,
                                // Finer than usual: a stall of a few milliseconds is a figure.
                                List.of(
                                        "--stillwater.stalls.interval=10ms",
                                        "--stillwater.stalls.shortest=1ms"));
                StallProbe probe = StallProbe.attach(bed.engine());
                Reads reads =
                        Reads.start(
                                bed.http().port(), "/api/v1/vms?limit=20&fields=id,name,status")) {
            bed.clock().waitUntil(bed.clock().nanoTime() + QUIET.toNanos()); // the reader warms up
            for (int i = 0; i < encodings.size(); i++) {
                if (i % each == 0) {
                    readings.add(new ArrayList<>());
                }
                reads.begin();
                Reading reading = read(bed, pools.pools().get(i), i);
                bed.awaitQuiet((i + 1) * plan.hosts(), plan.isLarge() ? QUIET : QUIET_OF_TRIALS);
                // Only now are all answers there that were due meanwhile.
                readings.getLast()
                        .add(
                                reading.with(
                                        reads.millis(reading.begunNanos(), reading.shownNanos())));
            }
            probe.stop();
            for (List<Reading> ofEncoding : readings) {
                stalls.add(
                        ofEncoding.stream()
                                .map(reading ->
                                        Math.max(
                                                probe.longestMillis(reading.from(), reading.to()),
                                                probe.longestPauseMillis(
                                                        reading.from(), reading.to())))
                                .toList());
            }
        }
    }

    private Reading read(PoolBed bed, PoolProcess.Pool pool, int number)
            throws IOException, InterruptedException {
        HarnessClock clock = bed.clock();
        Instant from = clock.now();
        long begun = clock.nanoTime();
        PoolControl.Commit _ = bed.control().pool(pool.uuid(), "booted", "{}");
        bed.awaitVms((number + 1) * plan.vms(), LOOK_NANOS);
        long shown = clock.nanoTime();
        Instant to = clock.now();
        return new Reading(
                from, to, begun, shown, readMillis(bed, PoolBed.name(number), from), List.of());
    }

    /** When the engine logs that it has read the pool; its lines begin with the time. */
    private static double readMillis(PoolBed bed, String pool, Instant from) throws IOException {
        OptionalDouble found =
                Files.readAllLines(bed.engineLog()).stream()
                        .filter(line -> line.contains("pool=" + pool + " read:"))
                        .mapToDouble(line -> since(from, line))
                        .filter(millis -> millis > 0)
                        .findFirst();
        return found.orElse(Double.NaN);
    }

    private static double since(Instant from, String line) {
        try {
            Instant at = OffsetDateTime.parse(line.substring(0, line.indexOf(' '))).toInstant();
            return Duration.between(from, at).toNanos() / MILLIS;
        } catch (DateTimeParseException | StringIndexOutOfBoundsException _) {
            return Double.NaN;
        }
    }

    private List<Peer.Synced> peer(PoolProcess.Pool pool, XapiEncoding encoding)
            throws IOException, InterruptedException {
        List<Peer.Synced> all = new ArrayList<>();
        boolean xml = encoding == XapiEncoding.XML_RPC;
        // By XML-RPC it takes a quarter of a minute for a large pool: two readings suffice.
        int count = peer.isThere() ? (xml ? Math.min(2, plan.syncs()) : plan.syncs()) : 0;
        for (int i = 0; i < count; i++) {
            try (Peer.Running running =
                    peer.start(
                            plan.folder().resolve("xen-api.log"),
                            pool,
                            xml ? "xml-rpc" : "json-rpc",
                            0)) {
                all.add(running.synced());
            }
        }
        return all;
    }

    private void tell(
            XapiEncoding encoding,
            List<Reading> readings,
            List<Double> stalls,
            List<Peer.Synced> others) {
        double target = encoding == XapiEncoding.JSON_RPC ? 600 : 1_500;
        boolean repeated = readings.size() > 1;
        Double ofPeer = median(others, Peer.Synced::millis);
        add(
                encoding,
                "login to all VMs listed, first by this encoding",
                readings.getFirst().millis(),
                target,
                ofPeer);
        List<Reading> later = repeated ? readings.subList(1, readings.size()) : readings;
        if (repeated) {
            add(
                    encoding,
                    "login to all VMs listed, median of %d more pools".formatted(later.size()),
                    Sorted.of(later.stream().map(Reading::millis).toList()).median(),
                    target,
                    ofPeer);
        }
        Sorted read =
                Sorted.of(
                        later.stream()
                                .map(Reading::readMillis)
                                .filter(millis -> !millis.isNaN())
                                .toList());
        if (read.count() > 0) {
            add(
                    encoding,
                    "of that, until the adapter had read the pool",
                    read.median(),
                    null,
                    null);
        }
        Sorted rest =
                Sorted.of(later.stream().flatMap(each -> each.restMillis().stream()).toList());
        add(
                encoding,
                "REST read meanwhile, p99.9 of %d; xen-api: lateness of a timer"
                        .formatted(rest.count()),
                rest.at(0.999),
                LONGEST_READ,
                median(others, Peer.Synced::stallMillisP999));
        add(encoding, "REST read meanwhile, p99", rest.at(0.99), null, null);
        add(encoding, "REST read meanwhile, median", rest.median(), null, null);
        add(
                encoding,
                "REST read meanwhile, longest, first pool included",
                Sorted.of(readings.stream().flatMap(each -> each.restMillis().stream()).toList())
                        .max(),
                null,
                median(others, Peer.Synced::longestStallMillis));
        add(
                encoding,
                "longest stall of the serving path, first pool",
                stalls.getFirst(),
                LONGEST_STALL,
                median(others, Peer.Synced::longestStallMillis));
        if (repeated) {
            add(
                    encoding,
                    "longest stall of the serving path, more pools",
                    Sorted.of(stalls.subList(1, stalls.size())).max(),
                    LONGEST_STALL,
                    median(others, Peer.Synced::longestStallMillis));
        }
        Double cpu = median(others, Peer.Synced::cpuMillis);
        if (cpu != null) {
            add(encoding, "xen-api alone: CPU of its process from login to all", cpu, null, null);
        }
    }

    private static @Nullable Double median(
            List<Peer.Synced> others, ToDoubleFunction<Peer.Synced> figure) {
        return others.isEmpty()
                ? null
                : Sorted.of(others.stream().map(figure::applyAsDouble).toList()).median();
    }

    private void add(
            XapiEncoding encoding,
            String what,
            double millis,
            @Nullable Double target,
            @Nullable Double other) {
        measures.add(
                Measure.of(
                                XapiSection.SYNC,
                                Decoding.words(encoding) + ": " + what,
                                "ms",
                                millis,
                                target)
                        .beside(other));
    }
}
