package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;

/** Simulated pools in a process of their own. */
final class PoolProcess implements AutoCloseable {

    private static final String PROGRAM = "org.stillwater.fake.xapi.cli.FakePools";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String CONTROL = "control: ";

    /**
     * Size of the simulation.
     *
     * @param pools how many, all of one size
     * @param era age of the servers, as the simulator spells it
     * @param moving whether time passes there by itself
     */
    record Size(int pools, int hosts, int vms, long seed, String era, boolean moving) {}

    /**
     * A pool.
     *
     * @param uuid its identity
     * @param coordinator where its coordinator is
     */
    record Pool(String uuid, URI coordinator) {

        String address() {
            return coordinator.getHost();
        }

        int port() {
            return coordinator.getPort();
        }
    }

    private final ChildProcess process;
    private final List<Pool> pools;
    private final PoolControl control;
    private final Path log;

    private PoolProcess(ChildProcess process, List<Pool> pools, PoolControl control, Path log) {
        this.process = process;
        this.pools = List.copyOf(pools);
        this.control = control;
        this.log = log;
    }

    /**
     * Starts pools without TLS and without batching of events, and waits until they answer.
     *
     * @param folder for its log; emptied
     * @param heap its -Xmx
     */
    static PoolProcess start(Path folder, String heap, Size size)
            throws IOException, InterruptedException {
        Folders.makeEmpty(folder);
        Path log = folder.resolve("simulator.log");
        ChildProcess process =
                ChildProcess.start(
                        "the simulator of pools", command(heap, size), log, STOP_TIMEOUT);
        boolean ready = false;
        try {
            List<String> lines = awaitReady(process, log);
            List<Pool> pools = new ArrayList<>();
            for (String line : lines) {
                URI address = URI.create(line.substring(line.lastIndexOf(' ') + 1));
                if (line.startsWith(CONTROL)) {
                    ready = true;
                    return new PoolProcess(process, pools, new PoolControl(address.getPort()), log);
                }
                if (line.contains(": http")) { // NAME UUID: ADDRESS
                    String before = line.substring(0, line.lastIndexOf(": "));
                    pools.add(new Pool(before.substring(before.lastIndexOf(' ') + 1), address));
                }
            }
            throw new BenchFailure("the simulator of pools names no control port; log: " + log);
        } finally {
            if (!ready) {
                process.close();
            }
        }
    }

    private static List<String> command(String heap, Size size) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseCompactObjectHeaders",
                "-cp",
                System.getProperty("java.class.path"),
                PROGRAM,
                "--pools=" + size.pools(),
                "--hosts=" + size.hosts(),
                "--vms=" + size.vms(),
                "--seed=" + size.seed(),
                "--era=" + size.era(),
                "--plain",
                "--port=0",
                "--control-port=0",
                "--batching=none",
                "--speed=" + (size.moving() ? 1 : 0),
                "--address-base=127.14.1.1");
    }

    private static List<String> awaitReady(ChildProcess process, Path log)
            throws IOException, InterruptedException {
        HarnessClock clock = new HarnessClock();
        long deadline = clock.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<String> lines = Files.readAllLines(log);
            if (lines.stream().anyMatch(line -> line.startsWith(CONTROL))) {
                return lines;
            }
            process.requireAlive();
            if (clock.nanoTime() > deadline) {
                throw new BenchFailure(
                        "the simulated pools do not answer within " + PATIENCE + "; log: " + log);
            }
            clock.waitUntil(clock.nanoTime() + LOOK_NANOS);
        }
    }

    /** All pools. */
    List<Pool> pools() {
        return pools;
    }

    /** The first pool. */
    Pool pool() {
        return pools.getFirst();
    }

    /** Control of the simulated pools. */
    PoolControl control() {
        return control;
    }

    /** Its log. */
    Path log() {
        return log;
    }

    void requireAlive() {
        process.requireAlive();
    }

    @Override
    public void close() {
        control.close();
        process.close();
    }
}
