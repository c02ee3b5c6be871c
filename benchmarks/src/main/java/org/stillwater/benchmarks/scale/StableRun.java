package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.stillwater.benchmarks.scale.EventProbe.Latencies;
import org.stillwater.benchmarks.scale.Figures.Spread;

/**
 * One run of {@code bench stable}: starts simulator and engine, waits until every VM is known, lets
 * them warm up, measures cycles in which nothing changes, then latencies of events while the
 * polling goes on. One thread; everything it started has ended when it returns.
 */
public final class StableRun {

    /** Threads of every collector HotSpot has; Serial collects in the VM thread. */
    private static final List<String> GC_THREADS =
            List.of(
                    "GC Thread",
                    "G1 ",
                    "VM Thread",
                    "ZWorker",
                    "ZDirector",
                    "ZDriver",
                    "Shenandoah");

    private static final List<String> JIT_THREADS = List.of("C1 Compiler", "C2 Compiler");
    private static final Duration START_PATIENCE = Duration.ofMinutes(3);
    private static final Duration INTAKE_PATIENCE = Duration.ofMinutes(15);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_MILLI = 1_000_000.0;

    private final StablePlan plan;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /** A run of this plan that tells its progress. */
    public StableRun(StablePlan plan, PrintStream progress) {
        this.plan = plan;
        this.out = progress;
    }

    /**
     * Measures.
     *
     * @throws BenchFailure if a program ends or does not do what it should in time
     */
    public Figures measure() throws IOException, InterruptedException {
        emptyFolder();
        Thread killer = Thread.currentThread();
        Thread hook = new Thread(() -> interruptAndWait(killer), "stop-bench");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return measureWithPrograms();
        } finally {
            removeHook(hook);
        }
    }

    private Figures measureWithPrograms() throws IOException, InterruptedException {
        int[] ports = freePorts();
        say("Starting %d simulated hosts with %d VMs", plan.hosts(), plan.vms());
        try (SimulatorProcess simulator = SimulatorProcess.start(plan, FIRST_HOST_PORT, ports[0])) {
            await(
                    START_PATIENCE,
                    "the simulated hosts",
                    simulator::requireAlive,
                    simulator::isReady);
            Path hosts = plan.folder().resolve("hosts");
            simulator.writeHosts(hosts);
            say("Starting the engine");
            try (EngineProcess engine = EngineProcess.start(plan, hosts, ports[1])) {
                awaitFleet(engine, simulator);
                return measure(engine, simulator);
            }
        }
    }

    private Figures measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        say("Warming up: %d cycles of %s", plan.warmupCycles(), seconds(plan.interval()));
        long next = clock.nanoTime();
        for (int cycle = 1; cycle <= plan.warmupCycles(); cycle++) {
            next = nextCycle(next, engine, simulator);
            progress("warm-up", cycle, plan.warmupCycles(), Double.NaN);
        }
        Figures figures;
        try (JvmProbe jvm = JvmProbe.attach(engine.pid())) {
            Reading before = read(engine, jvm);
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
            Latencies latencies = latencies(engine, simulator);
            long resident = cpu.residentBytes(engine.pid());
            figures = figures(before, after, cycles, latencies, jvm.liveHeapBytes(), resident);
        }
        return figures;
    }

    private Latencies latencies(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        if (plan.eventsPerSecond() == 0) {
            return Latencies.NONE;
        }
        say(
                "Latencies: %d status changes per second for %s while polling goes on",
                plan.eventsPerSecond(), seconds(plan.eventTime()));
        return new EventProbe(engine, simulator, clock)
                .measure(plan.eventsPerSecond(), plan.eventTime(), plan.seed());
    }

    /** Everything that only grows. */
    private record Reading(
            long cpuNanos,
            long gcNanos,
            long jitNanos,
            long databaseNanos,
            double sql,
            double rows,
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
                ofCycles(meters, "stillwater_sql_statements_total"),
                ofCycles(meters, "stillwater_sql_rows_total"),
                meters.sum("stillwater_cycle_vms_total"),
                meters.sum("stillwater_decoded_bytes_total"),
                jvm.allocatedBytes());
    }

    /**
     * Statements of cycles: all stages but those that no cycle asks for: health checks come from
     * whoever looks at the engine, dumps of statistics have an interval of their own.
     */
    private static double ofCycles(Meters meters, String meter) {
        return meters.sum(meter)
                - meters.sum(meter, "stage=\"health\"")
                - meters.sum(meter, "stage=\"dwh\"");
    }

    private Figures figures(
            Reading before,
            Reading after,
            double[] cycles,
            Latencies latencies,
            long liveHeap,
            long resident) {
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
                (after.sql - before.sql) / plan.cycles(),
                (after.rows - before.rows) / plan.cycles(),
                liveHeap / MIB,
                resident / MIB,
                (after.receivedBytes - before.receivedBytes) / vmCycles,
                (after.allocatedBytes - before.allocatedBytes) / vmCycles,
                latencies.memory(),
                latencies.subscriber(),
                latencies.committed(),
                latencies.sent());
    }

    /** Waits until every host is up and every VM is known, telling how far it is. */
    private void awaitFleet(EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        long[] shown = {-1, clock.nanoTime()};
        await(
                INTAKE_PATIENCE,
                "all VMs",
                () -> {
                    engine.requireAlive();
                    simulator.requireAlive();
                },
                () -> {
                    String text = engine.http().tryGet("/actuator/prometheus");
                    if (text == null) {
                        return false;
                    }
                    long known = (long) Meters.parse(text).sum("stillwater_vms");
                    if (known != shown[0] && clock.nanoTime() - shown[1] > 5_000_000_000L) {
                        say("  %d of %d VMs known", known, plan.vms());
                        shown[0] = known;
                        shown[1] = clock.nanoTime();
                    }
                    return known == plan.vms()
                            && engine.http().tryGet("/actuator/health/readiness") != null;
                });
        say("All %d VMs are known", plan.vms());
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
            say(
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

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private void await(Duration patience, String what, Runnable alive, Condition condition)
            throws InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            alive.run();
            if (clock.nanoTime() > deadline) {
                throw new BenchFailure(
                        what
                                + " not there after "
                                + seconds(patience)
                                + "; logs: "
                                + plan.folder());
            }
            clock.waitUntil(clock.nanoTime() + LOOK.toNanos());
        }
    }

    private void emptyFolder() throws IOException {
        if (Files.exists(plan.folder())) {
            try (Stream<Path> old = Files.walk(plan.folder())) {
                for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(plan.folder());
    }

    private static int[] freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            return new int[] {first.getLocalPort(), second.getLocalPort()};
        }
    }

    /** At the end of this JVM: lets the measuring thread stop what it started. */
    private static void interruptAndWait(Thread measuring) {
        measuring.interrupt();
        try {
            measuring.join(Duration.ofSeconds(75));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // the JVM is ending already: the hook is what brought us here
        }
    }

    @SuppressWarnings(
            "AnnotateFormatMethod") // not worth a dependency; every caller is in this file
    private void say(String format, Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
        out.flush();
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }

    /** Below Linux's ephemeral ports, so that no outgoing connection takes one. */
    private static final int FIRST_HOST_PORT = 20_000;
}
