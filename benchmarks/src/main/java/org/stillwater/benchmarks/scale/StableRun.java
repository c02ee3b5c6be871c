package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.EventProbe.Latencies;
import org.stillwater.benchmarks.scale.Figures.ByStage;
import org.stillwater.benchmarks.scale.Figures.Spread;

/**
 * One run of {@code bench stable}: starts simulator and engine, waits until every VM is known, lets
 * them warm up, measures cycles in which nothing changes, then latencies of events while the
 * polling continues. One thread; everything it started has ended when it returns.
 */
public final class StableRun {

    /** Threads of every collector HotSpot has; Serial collects in the VM thread. */
    static final List<String> GC_THREADS =
            List.of(
                    "GC Thread",
                    "G1 ",
                    "VM Thread",
                    "ZWorker",
                    "ZDirector",
                    "ZDriver",
                    "Shenandoah");

    static final List<String> JIT_THREADS = List.of("C1 Compiler", "C2 Compiler");
    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_MILLI = 1_000_000.0;

    private final StablePlan plan;
    private final TestBed bed;
    private final HarnessClock clock;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    private final @Nullable Consumer<RunProfile> profiles;
    private final boolean warehouse;

    /** A run of this plan that prints its progress. */
    public StableRun(StablePlan plan, PrintStream progress) {
        this(plan, progress, null, false);
    }

    /**
     * A run that may also read the engine's profile of the measured cycles, and have a warehouse.
     *
     * @param profiles takes the profile; null to read none
     * @param warehouse whether a data warehouse samples the database once a minute
     */
    public StableRun(
            StablePlan plan,
            PrintStream progress,
            @Nullable Consumer<RunProfile> profiles,
            boolean warehouse) {
        this.profiles = profiles;
        this.warehouse = warehouse;
        this.plan = plan;
        this.bed = new TestBed(plan, progress);
        this.clock = bed.clock();
    }

    /**
     * Measures.
     *
     * @throws BenchFailure if a program ends or does not react in time
     */
    public Figures measure() throws IOException, InterruptedException {
        return bed.run(warehouse ? this::measureWithWarehouse : this::measure);
    }

    private Figures measureWithWarehouse(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        bed.say("A data warehouse samples the database once a minute");
        try (WarehouseReader _ = WarehouseReader.start(engine)) {
            return measure(engine, simulator);
        }
    }

    private Figures measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        bed.say(
                "Warming up: %d cycles of %s",
                plan.warmupCycles(), TestBed.seconds(plan.interval()));
        long next = clock.nanoTime();
        for (int cycle = 1; cycle <= plan.warmupCycles(); cycle++) {
            next = nextCycle(next, engine, simulator);
            progress("warm-up", cycle, plan.warmupCycles(), Double.NaN);
        }
        Figures figures;
        try (JvmProbe jvm = JvmProbe.attach(engine.pid())) {
            Reading before = read(engine, jvm);
            double wal = walBytes(engine);
            double[] cycles = new double[plan.cycles()];
            long nanos = cpu.nanosOf(engine.pid());
            next = clock.nanoTime();
            for (int cycle = 1; cycle <= plan.cycles(); cycle++) {
                next = nextCycle(next, engine, simulator);
                long now = cpu.nanosOf(engine.pid());
                cycles[cycle - 1] = (now - nanos) / NANOS_PER_MILLI / plan.vms();
                nanos = now;
                progress("cycle", cycle, plan.cycles(), cycles[cycle - 1]);
            }
            Reading after = read(engine, jvm);
            double walMiB = (walBytes(engine) - wal) / MIB;
            if (profiles != null) {
                profiles.accept(RunProfile.read(engine.http(), plan));
            }
            Latencies latencies = latencies(engine, simulator);
            long resident = cpu.residentBytes(engine.pid());
            figures =
                    figures(
                            before,
                            after,
                            cycles,
                            latencies,
                            jvm.liveHeapBytes(),
                            resident,
                            walMiB);
        }
        return figures;
    }

    private Latencies latencies(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        if (plan.eventsPerSecond() == 0) {
            return Latencies.NONE;
        }
        bed.say(
                "Latencies: %d status changes per second for %s while polling goes on",
                plan.eventsPerSecond(), TestBed.seconds(plan.eventTime()));
        return new EventProbe(engine, simulator, clock)
                .measure(chosen(simulator), plan.eventsPerSecond());
    }

    /** As many VMs as events fit into the time, drawn by the seed. */
    private List<String> chosen(SimulatorProcess simulator)
            throws IOException, InterruptedException {
        long events = plan.eventsPerSecond() * plan.eventTime().toMillis() / 1000;
        List<String> vms = new ArrayList<>();
        if (plan.relays() == null) {
            vms.addAll(simulator.vms().keySet());
        } else { // a list of a million is not requested
            List<String> hosts = new ArrayList<>(simulator.hosts());
            Collections.shuffle(hosts, new Random(plan.seed()));
            for (String host : hosts) {
                if (vms.size() < events * 2) {
                    vms.addAll(simulator.vmsOf(host));
                }
            }
        }
        Collections.shuffle(vms, new Random(plan.seed()));
        return vms.subList(0, (int) Math.min(vms.size(), events));
    }

    /** Everything that only grows. */
    private record Reading(
            long cpuNanos,
            long gcNanos,
            long jitNanos,
            long databaseNanos,
            ByStage sql,
            ByStage rows,
            double vmCycles,
            double receivedBytes,
            long allocatedBytes) {}

    private Reading read(EngineProcess engine, JvmProbe jvm)
            throws IOException, InterruptedException {
        Meters meters = engine.meters();
        return new Reading(
                cpu.nanosOf(engine.pid()),
                cpu.nanosOfThreads(engine.pid(), GC_THREADS),
                cpu.nanosOfThreads(engine.pid(), JIT_THREADS),
                cpu.nanosOfTree(engine.databasePid()),
                byStage(meters, "stillwater_sql_statements_total"),
                byStage(meters, "stillwater_sql_rows_total"),
                meters.sum("stillwater_cycle_vms_total"),
                meters.sum("stillwater_decoded_bytes_total"),
                jvm.allocatedBytes());
    }

    private static double walBytes(EngineProcess engine) throws IOException {
        try (Connection connection = engine.connectToDatabase();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")) {
            if (!row.next()) {
                throw new BenchFailure("the database does not report the size of its WAL");
            }
            return row.getDouble(1);
        } catch (SQLException e) {
            throw new IOException("the database does not answer: " + e.getMessage(), e);
        }
    }

    private static ByStage byStage(Meters meters, String meter) {
        double history = meters.sum(meter, "stage=\"history\"");
        double warehouse = meters.sum(meter, "stage=\"dwh\"");
        double health = meters.sum(meter, "stage=\"health\"");
        double other =
                meters.sum(meter, "stage=\"regressions\"") + meters.sum(meter, "stage=\"audit\"");
        return new ByStage(
                meters.sum(meter) - history - warehouse - health - other,
                history,
                warehouse,
                other);
    }

    private Figures figures(
            Reading before,
            Reading after,
            double[] cycles,
            Latencies latencies,
            long liveHeap,
            long resident,
            double walMiB) {
        double vmCycles = after.vmCycles - before.vmCycles;
        double planned = (double) plan.vms() * plan.cycles();
        if (Math.abs(vmCycles - planned) > planned * 0.1) {
            throw new BenchFailure(
                    String.format(
                            Locale.ROOT,
                            "the engine decoded %.0f VMs where %.0f were planned: it cannot keep"
                                    + " pace, or counts otherwise",
                            vmCycles,
                            planned));
        }
        return new Figures(
                millis(after.cpuNanos - before.cpuNanos) / vmCycles,
                Spread.of(cycles),
                millis(after.gcNanos - before.gcNanos) / vmCycles,
                millis(after.jitNanos - before.jitNanos) / vmCycles,
                millis(after.databaseNanos - before.databaseNanos) / vmCycles,
                after.sql.since(before.sql, plan.cycles()),
                after.rows.since(before.rows, plan.cycles()),
                liveHeap / MIB,
                resident / MIB,
                (after.receivedBytes - before.receivedBytes) / vmCycles,
                (after.allocatedBytes - before.allocatedBytes) / vmCycles,
                latencies.memory(),
                latencies.subscriber(),
                latencies.committed(),
                latencies.sent(),
                plan.relays() != null,
                bed.startSeconds(),
                walMiB);
    }

    private long nextCycle(long start, EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        long next = start + plan.interval().toNanos();
        clock.waitUntil(next);
        engine.requireAlive();
        simulator.requireAlive();
        return next;
    }

    private void progress(String what, int done, int of, double cpuMillis) {
        if (done == of || done % 5 == 0) {
            bed.say(
                    "  %s %d of %d%s",
                    what,
                    done,
                    of,
                    Double.isNaN(cpuMillis)
                            ? ""
                            : String.format(
                                    Locale.ROOT, ", %.4f ms CPU per VM in the last", cpuMillis));
        }
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }
}
