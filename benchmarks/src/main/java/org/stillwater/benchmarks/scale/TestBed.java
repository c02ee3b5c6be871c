package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.stillwater.testkit.FreePorts;

/**
 * Simulator and engine as processes of their own, for the time of one measurement. One thread;
 * everything it started has ended when {@link #run} returns.
 */
final class TestBed {

    private static final Duration START_PATIENCE = Duration.ofMinutes(3);

    private static final int FIRST_HOST_PORT = 20_000;

    /** Linux's ephemeral ports begin behind it: outgoing connections take those. */
    private static final int LAST_HOST_PORT = 32_767;

    private final StablePlan plan;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();
    private long startedNanos;
    private long servingNanos;

    TestBed(StablePlan plan, PrintStream progress) {
        this.plan = plan;
        this.out = progress;
    }

    /** Measurement that begins once every VM is known. */
    @FunctionalInterface
    interface Measurement<T> {
        T on(EngineProcess engine, SimulatorProcess simulator)
                throws IOException, InterruptedException;
    }

    HarnessClock clock() {
        return clock;
    }

    /**
     * Measures something on a fleet that is up, and stops all of it.
     *
     * @throws BenchFailure if a program ends or does not react in time
     */
    <T> T run(Measurement<T> measurement) throws IOException, InterruptedException {
        Folders.makeEmpty(plan.folder());
        Thread measuring = Thread.currentThread();
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> interruptAndWait(measuring, ended), "stop-bench");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return runWithPrograms(measurement);
        } finally {
            ended.countDown();
            removeHook(hook);
        }
    }

    private <T> T runWithPrograms(Measurement<T> measurement)
            throws IOException, InterruptedException {
        int relayPort = FreePorts.next();
        say("Starting %d simulated hosts with %d VMs", plan.hosts(), plan.vms());
        try (SimulatorProcess simulator =
                SimulatorProcess.start(
                        plan, hostPorts(plan.hosts()), FreePorts.next(), relayPort)) {
            await(
                    START_PATIENCE,
                    "the simulated hosts",
                    simulator::requireAlive,
                    simulator::isReady);
            Path hosts = plan.folder().resolve("hosts");
            StablePlan.Relays relays = plan.relays();
            if (relays == null) {
                simulator.writeHosts(hosts);
            } else {
                simulator.writeHosts(
                        hosts, EngineProcess.relaySettings(plan), relays.count(), relayPort);
            }
            say("Starting the engine");
            startedNanos = clock.nanoTime();
            try (EngineProcess engine = EngineProcess.start(plan, hosts, FreePorts.next())) {
                awaitFleet(engine, simulator);
                servingNanos = clock.nanoTime();
                if (relays != null) {
                    awaitRelays(engine, simulator);
                }
                return measurement.on(engine, simulator);
            }
        }
    }

    /** Waits until every host is up and every VM is known, and prints the progress. */
    private void awaitFleet(EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        long[] shown = {-1, clock.nanoTime()};
        await(
                plan.intakePatience(),
                "all VMs",
                () -> {
                    engine.requireAlive();
                    simulator.requireAlive();
                },
                () -> {
                    long known = meter(engine, "stillwater_vms");
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

    /** One meter, so that looking at it costs the engine little; -1 if there is no answer. */
    private static long meter(EngineProcess engine, String name) throws InterruptedException {
        String text = engine.http().tryGet("/actuator/prometheus?includedNames=" + name);
        return text == null ? -1 : (long) Meters.parse(text).sum(name);
    }

    /** From the start of the engine's process until it knew every VM and was ready. */
    double startSeconds() {
        return (servingNanos - startedNanos) / 1e9;
    }

    /** Waits until no host is polled. */
    private void awaitRelays(EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        say("Known after %.1f s; waiting for the relays", startSeconds());
        await(
                plan.intakePatience(),
                "relays for all hosts",
                () -> {
                    engine.requireAlive();
                    simulator.requireAlive();
                },
                () -> meter(engine, "stillwater_relay_hosts") == plan.hosts());
    }

    @FunctionalInterface
    interface Condition {
        boolean holds() throws InterruptedException;
    }

    /** Looks again and again until it holds. */
    void await(Duration patience, String what, Runnable alive, Condition condition)
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
            clock.waitUntil(clock.nanoTime() + plan.lookPause().toNanos());
        }
    }

    /** The first of as many free ports in a row as there are hosts. */
    private static int hostPorts(int hosts) {
        int first = FIRST_HOST_PORT;
        for (int port = first; port < first + hosts; port++) {
            if (port > LAST_HOST_PORT) {
                throw new BenchFailure(
                        "no %d free ports in a row for simulated hosts from %d to %d"
                                .formatted(hosts, FIRST_HOST_PORT, LAST_HOST_PORT));
            }
            if (!isFree(port)) {
                first = port + 1;
            }
        }
        return first;
    }

    private static boolean isFree(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /**
     * At the end of this JVM: lets the measuring thread stop its processes. The thread itself
     * cannot be waited for: it continues to end the process, and waits for us.
     */
    private static void interruptAndWait(Thread measuring, CountDownLatch ended) {
        measuring.interrupt();
        try {
            if (!ended.await(75, TimeUnit.SECONDS)) {
                System.err.println("bench: the programs did not stop in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // the JVM is ending already: the hook called this code
        }
    }

    @SuppressWarnings(
            "AnnotateFormatMethod") // not worth a dependency; every caller is in this package
    void say(String format, Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
        out.flush();
    }

    static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }
}
