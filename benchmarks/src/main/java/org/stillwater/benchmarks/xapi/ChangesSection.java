package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.CommitStamps;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.benchmarks.scale.ProcessCpu;
import org.stillwater.xapi.client.XapiEncoding;

/**
 * Changes in one pool that the engine watches: VMs change one by one or all at once, hosts measure,
 * a host dies. The simulator reports the time of a change for clients; the subscriber, the database
 * and the engine's own stamps report its arrival, all by the clock of the machine.
 *
 * <p>It is long because its measurements share one pool, one engine and one subscriber.
 */
final class ChangesSection {

    /** Sections that it serves, in the order in which they are measured. */
    static final List<XapiSection> SECTIONS =
            List.of(
                    XapiSection.LATENCY,
                    XapiSection.BATCHING,
                    XapiSection.BURST,
                    XapiSection.METRICS,
                    XapiSection.DEATH);

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration DEATH_PATIENCE = Duration.ofMinutes(2);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration QUIET_OF_TRIALS = Duration.ofMillis(500);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final double MILLIS = 1e6;

    /** The default of {@code stillwater.cycle.interval}. */
    private static final Duration CYCLE = Duration.ofSeconds(15);

    /** Number of changes per one that is also searched through REST. */
    private static final int REST_SAMPLE = 10;

    /** Time that the engine's percentiles cover. */
    private static final Duration METER_WINDOW = Duration.ofMinutes(2);

    private static final int MOST_WARM_UP = 1_000;
    private static final int BURST = 5_000;
    private static final Double BURST_TARGET = 500.0;
    private static final Double DEATH_TARGET = 15.0;

    private final XapiPlan plan;
    private final Measures measures;
    private final Peer peer;
    private final Set<XapiSection> sections;
    private final HarnessClock clock = new HarnessClock();

    /** Times of the engine, until the peer was measured. */
    private final Map<XapiSection, Taken> taken = new EnumMap<>(XapiSection.class);

    ChangesSection(XapiPlan plan, Measures measures, Peer peer, Set<XapiSection> sections) {
        this.plan = plan;
        this.measures = measures;
        this.peer = peer;
        this.sections = sections;
    }

    /**
     * How long changes took, each list in milliseconds. Without batching they count from the commit
     * in the simulator, with batching from the moment at which the server had gathered them.
     *
     * @param whole until the subscriber had them, from the commit in any case
     * @param arrival until they had come to monitoring
     * @param subscriber until the subscriber had them
     * @param row until their rows were committed
     * @param rest until a read of the VM through REST had shown them, reads included
     * @param toMemoryMean from the arrival to the memory, by the engine's meter: mean
     * @param toMemoryP99 the same: 99th percentile of the last two minutes, in which nothing else
     *     changed
     */
    private record Taken(
            Sorted whole,
            Sorted arrival,
            Sorted subscriber,
            Sorted row,
            Sorted rest,
            double toMemoryMean,
            double toMemoryP99) {}

    void measure() throws IOException, InterruptedException {
        measures.say("changes: a pool of %d hosts and %d VMs".formatted(plan.hosts(), plan.vms()));
        try (PoolProcess pools =
                PoolProcess.start(
                        plan.folder().resolve("changes-pools"),
                        plan.simulatorHeap(),
                        new PoolProcess.Size(
                                1, plan.hosts(), plan.vms(), plan.seed(), "today", true))) {
            String dead = null;
            Exception failure = null;
            try (PoolBed bed =
                    PoolBed.start(
                            plan,
                            plan.folder().resolve("changes"),
                            pools,
                            Collections.<@Nullable XapiEncoding>nCopies(1, null),
                            List.of())) {
                bed.awaitVms(plan.vms());
                quiet(bed);
                for (XapiSection section : SECTIONS) {
                    if (sections.contains(section)) {
                        dead = measure(section, bed, pools.pool().uuid());
                    }
                }
            } catch (BenchFailure | IOException e) {
                failure = e; // earlier measurements are printed nevertheless
            }
            if (dead != null) {
                PoolControl.Commit _ = pools.control().host(dead, "revive");
            }
            tell(pools);
            if (failure != null) {
                throw new BenchFailure(String.valueOf(failure.getMessage()), failure);
            }
        }
    }

    /** A host that died of it, or null. */
    private @Nullable String measure(XapiSection section, PoolBed bed, String pool)
            throws IOException, InterruptedException {
        switch (section) {
            case LATENCY, BATCHING -> {
                batching(bed, pool, section == XapiSection.BATCHING);
                taken.put(section, changes(bed, pool, section));
                PoolControl.Commit _ = bed.control().pool(pool, "thaw", "{}");
                quiet(bed);
            }
            case BURST -> {
                batching(bed, pool, false);
                burst(bed, pool);
                quiet(bed);
            }
            case METRICS -> metrics(bed);
            case DEATH -> {
                return death(bed, pool);
            }
            case DECODE, SYNC, STABLE -> {
                // Not of one pool that changes.
            }
        }
        return null;
    }

    private void quiet(PoolBed bed) throws InterruptedException {
        bed.awaitQuiet(plan.hosts(), plan.isLarge() ? QUIET : QUIET_OF_TRIALS);
    }

    private static void batching(PoolBed bed, String pool, boolean real)
            throws IOException, InterruptedException {
        PoolControl.Commit _ = bed.control().pool(pool, "batching", "{\"real\":\"" + real + "\"}");
    }

    // ------------------------------------------------------------------------- one after another

    /** Changes as they were made. */
    private static final class Made {
        private final Map<String, PoolControl.Commit> commits = new ConcurrentHashMap<>();
        private final Queue<Double> restMillis = new ConcurrentLinkedQueue<>();
        private final Queue<IOException> failures = new ConcurrentLinkedQueue<>();
    }

    private Taken changes(PoolBed bed, String pool, XapiSection section)
            throws IOException, InterruptedException {
        List<String> vms = new ArrayList<>(bed.control().vms(pool, "Running"));
        Collections.shuffle(vms, new Random(plan.seed()));
        int warmUp = Math.min(MOST_WARM_UP, vms.size() / 4);
        int count = Math.min(plan.changes(), vms.size() - warmUp);
        measures.say(
                "%s: %d changes after %d that do not count, %d a second"
                        .formatted(section.word(), count, warmUp, plan.perSecond()));
        if (plan.isLarge()) {
            // All VMs changed at once before: at the first reading, or when they thawed.
            clock.waitUntil(clock.nanoTime() + METER_WINDOW.toNanos());
        }
        try (Subscriber subscriber = Subscriber.start(bed.http().port())) {
            Made _ = change(bed, subscriber, vms.subList(0, warmUp));
            subscriber.forget();
            Meters before = bed.engine().meters();
            List<String> chosen = vms.subList(warmUp, warmUp + count);
            Made made = change(bed, subscriber, chosen);
            Meters after = bed.engine().meters();
            return taken(bed, pool, section, made, subscriber.seen(), before, after);
        }
    }

    /** Pauses these VMs at random times of an even rate, and waits until all of it is seen. */
    private Made change(PoolBed bed, Subscriber subscriber, List<String> vms)
            throws InterruptedException {
        Made made = new Made();
        Random random = new Random(plan.seed());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            double due = clock.nanoTime();
            for (int i = 0; i < vms.size(); i++) {
                due += -Math.log(1 - random.nextDouble()) * 1e9 / plan.perSecond();
                clock.waitUntil((long) due);
                String vm = vms.get(i);
                boolean sampled = i % REST_SAMPLE == 0;
                threads.execute(() -> freeze(bed, vm, sampled, made));
            }
            awaitSeen(bed, subscriber, vms.size(), made);
        }
        return made;
    }

    private void awaitSeen(PoolBed bed, Subscriber subscriber, int count, Made made)
            throws InterruptedException {
        bed.await(
                PATIENCE,
                count + " changes at the subscriber",
                LOOK_NANOS,
                () -> {
                    IOException refused = made.failures.peek();
                    if (refused != null) {
                        throw new BenchFailure(
                                "the simulator does not follow: " + refused.getMessage(), refused);
                    }
                    return subscriber.count() >= count && made.commits.size() >= count;
                });
    }

    private void freeze(PoolBed bed, String vm, boolean sampled, Made made) {
        try {
            PoolControl.Commit commit = bed.control().vm(vm, "freeze");
            made.commits.put(vm, commit);
            long deadline = clock.nanoTime() + PATIENCE.toNanos();
            while (sampled && clock.nanoTime() < deadline) {
                if (bed.http().get("/api/v1/vms/" + vm).contains("\"status\":\"paused\"")) {
                    made.restMillis.add((clock.nanoTime() - commit.nanos()) / MILLIS);
                    return;
                }
            }
        } catch (IOException e) {
            made.failures.add(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private Taken taken(
            PoolBed bed,
            String pool,
            XapiSection section,
            Made made,
            Map<String, Subscriber.Seen> seen,
            Meters before,
            Meters after)
            throws IOException, InterruptedException {
        Map<String, Double> rows = rows(bed, made);
        Map<String, Long> begun = begun(bed, pool, section, made);
        List<Double> whole = new ArrayList<>();
        List<Double> arrival = new ArrayList<>();
        List<Double> subscriber = new ArrayList<>();
        List<Double> row = new ArrayList<>();
        made.commits.forEach((vm, commit) -> {
            Subscriber.Seen at = seen.get(vm);
            Long from = begun.get(vm);
            Double committed = rows.get(vm);
            if (at != null && from != null && committed != null) {
                whole.add((at.seenNanos() - commit.nanos()) / MILLIS);
                arrival.add((at.arrivedNanos() - from) / MILLIS);
                subscriber.add((at.seenNanos() - from) / MILLIS);
                row.add(committed - from / MILLIS);
            }
        });
        String memory = "stillwater_change_memory_seconds";
        double counted = after.sum(memory + "_count") - before.sum(memory + "_count");
        return new Taken(
                Sorted.of(whole),
                Sorted.of(arrival),
                Sorted.of(subscriber),
                Sorted.of(row),
                Sorted.of(made.restMillis),
                1e3 * (after.sum(memory + "_sum") - before.sum(memory + "_sum")) / counted,
                1e3 * after.sum(memory, "quantile=\"0.99\""));
    }

    /** When the row of each VM was committed, in milliseconds of the machine's monotonic clock. */
    private Map<String, Double> rows(PoolBed bed, Made made) throws InterruptedException {
        Map<String, Double> rows = new HashMap<>();
        bed.await(
                PATIENCE,
                made.commits.size() + " rows",
                () -> {
                    rows.putAll(CommitStamps.millis(bed.engine(), made.commits.keySet(), clock));
                    return made.commits.entrySet().stream()
                            .allMatch(each ->
                                    rows.getOrDefault(each.getKey(), 0.0)
                                            > each.getValue().nanos() / MILLIS - 1);
                });
        return rows;
    }

    /** From when the engine's part counts. */
    private static Map<String, Long> begun(PoolBed bed, String pool, XapiSection section, Made made)
            throws IOException, InterruptedException {
        Map<String, Long> begun = new HashMap<>();
        if (section != XapiSection.BATCHING) {
            made.commits.forEach((vm, commit) -> begun.put(vm, commit.nanos()));
            return begun;
        }
        NavigableMap<Long, Long> gathered = new TreeMap<>();
        for (PoolControl.Batch batch : bed.control().batches(pool)) {
            gathered.putIfAbsent(batch.generation(), batch.nanos());
        }
        made.commits.forEach((vm, commit) -> {
            Map.Entry<Long, Long> batch = gathered.ceilingEntry(commit.generation());
            if (batch != null) {
                begun.put(vm, batch.getValue());
            }
        });
        return begun;
    }

    // ------------------------------------------------------------------------------ report

    /** The same changes for the peer, and both beside each other. */
    private void tell(PoolProcess pools) throws IOException, InterruptedException {
        for (Map.Entry<XapiSection, Taken> each : taken.entrySet()) {
            boolean real = each.getKey() == XapiSection.BATCHING;
            String pool = pools.pool().uuid();
            PoolControl.Commit _ =
                    pools.control().pool(pool, "batching", "{\"real\":\"" + real + "\"}");
            PoolControl.Commit _ = pools.control().pool(pool, "thaw", "{}");
            tell(each.getKey(), each.getValue(), peer.isThere() ? peer(pools) : null);
        }
    }

    private void tell(XapiSection section, Taken of, @Nullable Sorted other) {
        String count = " of " + of.whole().count();
        if (section == XapiSection.LATENCY) {
            double p50 = of.arrival().median() + of.toMemoryMean();
            double p99 = of.arrival().at(0.99) + of.toMemoryP99();
            add(section, "change to memory, p50" + count, p50, 0.5, null);
            add(section, "change to memory, p99", p99, 5.0, null);
            pair(section, "change to subscriber", of.subscriber(), 1.0, 8.0, other);
            pair(section, "change to row", of.row(), 5.0, 30.0, null);
            pair(section, "change to a read through REST", of.rest(), null, null, null);
        } else {
            double p50 = of.arrival().median() + of.toMemoryMean();
            double p99 = of.arrival().at(0.99) + of.toMemoryP99();
            pair(section, "change to subscriber, batching included", of.whole(), null, null, other);
            add(section, "what the engine adds: to memory, p50" + count, p50, 1.0, null);
            add(section, "what the engine adds: to memory, p99", p99, 5.0, null);
            pair(section, "what the engine adds: to subscriber", of.subscriber(), 1.0, 5.0, null);
            pair(section, "what the engine adds: to row", of.row(), null, null, null);
        }
        add(
                section,
                "of it, until monitoring has the message, p50",
                of.arrival().median(),
                null,
                null);
        add(section, "of it, from there to memory, mean", of.toMemoryMean(), null, null);
    }

    private void pair(
            XapiSection section,
            String what,
            Sorted millis,
            @Nullable Double p50,
            @Nullable Double p99,
            @Nullable Sorted other) {
        String count = " of " + millis.count();
        add(
                section,
                what + ", p50" + count,
                millis.median(),
                p50,
                other == null ? null : other.median());
        add(section, what + ", p99", millis.at(0.99), p99, other == null ? null : other.at(0.99));
    }

    private void add(
            XapiSection section,
            String what,
            double millis,
            @Nullable Double target,
            @Nullable Double other) {
        measures.add(Measure.of(section, what, "ms", millis, target).beside(other));
    }

    /** How long changes take until npm's client has them in its collection. */
    private Sorted peer(PoolProcess pools) throws IOException, InterruptedException {
        PoolControl control = pools.control();
        List<String> vms = new ArrayList<>(control.vms(pools.pool().uuid(), "Running"));
        Collections.shuffle(vms, new Random(plan.seed()));
        List<String> chosen = vms.subList(0, Math.min(vms.size(), plan.changes() / 3 + 1));
        Map<String, PoolControl.Commit> commits = new ConcurrentHashMap<>();
        Queue<IOException> failures = new ConcurrentLinkedQueue<>();
        try (Peer.Running running =
                peer.start(
                        plan.folder().resolve("xen-api.log"),
                        pools.pool(),
                        "json-rpc",
                        chosen.size())) {
            Peer.Synced _ = running.synced();
            Random random = new Random(plan.seed());
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                double due = clock.nanoTime() + 1e9;
                for (String vm : chosen) {
                    due += -Math.log(1 - random.nextDouble()) * 1e9 / plan.perSecond();
                    clock.waitUntil((long) due);
                    threads.execute(() -> {
                        try {
                            commits.put(vm, control.vm(vm, "freeze"));
                        } catch (IOException e) {
                            failures.add(e);
                        } catch (InterruptedException _) {
                            Thread.currentThread().interrupt();
                        }
                    });
                }
            }
            IOException refused = failures.peek();
            if (refused != null) {
                throw new BenchFailure(
                        "the simulator does not follow: " + refused.getMessage(), refused);
            }
            List<Double> millis = new ArrayList<>();
            running.paused()
                    .forEach((vm, nanos) -> {
                        PoolControl.Commit commit = commits.get(vm);
                        if (commit != null) {
                            millis.add((nanos - commit.nanos()) / MILLIS);
                        }
                    });
            return Sorted.of(millis);
        }
    }

    // ------------------------------------------------------------------------------------- burst

    private void burst(PoolBed bed, String pool) throws IOException, InterruptedException {
        int wanted = Math.min(BURST, plan.vms());
        startMore(bed, pool, wanted);
        int count = Math.min(wanted, bed.control().vms(pool, "Running").size());
        measures.say("burst: %d VMs change at once".formatted(count));
        List<Double> subscriber = new ArrayList<>();
        List<Double> arrival = new ArrayList<>();
        int rounds = plan.isLarge() ? 4 : 2;
        for (int round = 0; round < rounds; round++) { // the first one does not count
            quiet(bed);
            try (Subscriber reader = Subscriber.start(bed.http().port())) {
                PoolControl.Commit commit =
                        bed.control().pool(pool, "freeze", "{\"vms\":" + count + "}");
                bed.await(
                        PATIENCE,
                        "the last of %d changes at once".formatted(count),
                        LOOK_NANOS,
                        () -> reader.count() >= count);
                long last = 0;
                long arrived = 0;
                for (Subscriber.Seen each : reader.seen().values()) {
                    last = Math.max(last, each.seenNanos());
                    arrived = Math.max(arrived, each.arrivedNanos());
                }
                if (round > 0) {
                    subscriber.add((last - commit.nanos()) / MILLIS);
                    arrival.add((arrived - commit.nanos()) / MILLIS);
                }
            }
            PoolControl.Commit _ = bed.control().pool(pool, "thaw", "{}");
        }
        measures.add(
                XapiSection.BURST,
                "last of %d changes in memory and at the subscriber".formatted(count),
                "ms",
                Sorted.of(subscriber).median(),
                plan.isLarge() ? BURST_TARGET : null);
        measures.add(
                XapiSection.BURST,
                "of it, until monitoring has the last message",
                "ms",
                Sorted.of(arrival).median(),
                null);
    }

    /** Starts VMs at rest, as far as their hosts have room, so that enough of them run. */
    private static void startMore(PoolBed bed, String pool, int wanted)
            throws IOException, InterruptedException {
        int missing = wanted - bed.control().vms(pool, "Running").size();
        if (missing <= 0) {
            return;
        }
        int begun = 0;
        for (String vm : bed.control().vms(pool, "Halted")) {
            if (begun == missing) {
                break;
            }
            try {
                PoolControl.Commit _ = bed.control().vm(vm, "start");
                begun++;
            } catch (IOException _) {
                // No host has room for it.
            }
        }
        int running = wanted - missing + begun;
        bed.await(
                PATIENCE,
                running + " running VMs in the simulator",
                TimeUnit.MILLISECONDS.toNanos(500),
                () -> bed.control().vms(pool, "Running").size() >= running);
    }

    // ----------------------------------------------------------------------------- metrics, death

    /** Cost of a cycle that reads three rows of metrics of each host. */
    private void metrics(PoolBed bed) throws IOException, InterruptedException {
        int cycles = plan.isLarge() ? 4 : 1;
        measures.say("metrics: %d cycles of %s".formatted(cycles, CYCLE));
        ProcessCpu cpu = ProcessCpu.ofThisMachine();
        long before = cpu.nanosOf(bed.engine().pid());
        clock.waitUntil(clock.nanoTime() + CYCLE.multipliedBy(cycles).toNanos());
        measures.add(
                XapiSection.METRICS,
                "the whole engine in a cycle of 15 s: %d hosts with three rows each, %d VMs, CPU"
                        .formatted(plan.hosts(), plan.vms()),
                "ms",
                (cpu.nanosOf(bed.engine().pid()) - before) / MILLIS / cycles,
                null);
    }

    /** The uuid of the host that died. */
    private String death(PoolBed bed, String pool) throws IOException, InterruptedException {
        measures.say("death: a host that is not the coordinator is switched off, without HA");
        String host = bed.control().member(pool);
        String path = "/api/v1/hosts/" + host;
        if (!bed.http().get(path).contains("\"status\":\"up\"")) {
            throw new BenchFailure("host " + host + " is not up; log: " + bed.engineLog());
        }
        PoolControl.Commit commit = bed.control().host(host, "kill");
        bed.await(
                DEATH_PATIENCE,
                "another status of the dead host " + host,
                LOOK_NANOS,
                () -> !bed.http().get(path).contains("\"status\":\"up\""));
        measures.add(
                XapiSection.DEATH,
                "death of a host without HA until its status is up no more",
                "s",
                (clock.nanoTime() - commit.nanos()) / 1e9,
                DEATH_TARGET);
        return host;
    }
}
