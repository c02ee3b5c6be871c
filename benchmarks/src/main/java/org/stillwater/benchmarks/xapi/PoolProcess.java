package org.stillwater.benchmarks.xapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.stillwater.benchmarks.scale.BenchFailure;

/** Simulated pools in a process of its own. */
final class PoolProcess implements AutoCloseable {

    private static final String PROGRAM = "org.stillwater.fake.xapi.cli.FakePools";

    /**
     * What is simulated.
     *
     * @param pools how many, all of one size
     * @param era age of the servers, as the simulator spells it
     * @param batching whether servers gather events as real ones do
     * @param moving whether time passes there
     */
    record Plan(
            int pools,
            int hosts,
            int vms,
            long seed,
            String era,
            boolean batching,
            boolean moving) {}

    /**
     * A pool.
     *
     * @param uuid its identity
     * @param coordinator where its coordinator is
     */
    record Pool(String uuid, URI coordinator) {}

    private final Process process;
    private final List<Pool> pools;
    private final int controlPort;

    private PoolProcess(Process process, List<Pool> pools, int controlPort) {
        this.process = process;
        this.pools = List.copyOf(pools);
        this.controlPort = controlPort;
    }

    /** Starts one pool whose time stands still. */
    static PoolProcess start(int hosts, int vms, long seed, String era)
            throws IOException, InterruptedException {
        return start(new Plan(1, hosts, vms, seed, era, false, false));
    }

    /** Starts pools. */
    static PoolProcess start(Plan plan) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PROGRAM,
                                "--pools=" + plan.pools(),
                                "--hosts=" + plan.hosts(),
                                "--vms=" + plan.vms(),
                                "--seed=" + plan.seed(),
                                "--era=" + plan.era(),
                                "--plain",
                                "--port=0",
                                "--control-port=0",
                                "--batching=" + (plan.batching() ? "real" : "none"),
                                "--speed=" + (plan.moving() ? 1 : 0),
                                "--address-base=127.14.1.1")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        List<Pool> pools = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            URI address = URI.create(line.substring(line.lastIndexOf(' ') + 1));
            if (line.startsWith("control: ")) {
                return new PoolProcess(process, pools, address.getPort());
            }
            // NAME UUID: ADDRESS
            String before = line.substring(0, line.lastIndexOf(": "));
            pools.add(new Pool(before.substring(before.lastIndexOf(' ') + 1), address));
        }
        throw new BenchFailure(
                "the simulated pools did not start; they ended with code " + process.waitFor());
    }

    /** All pools. */
    List<Pool> pools() {
        return pools;
    }

    /** Address of the first coordinator. */
    String address() {
        return pools.getFirst().coordinator().getHost();
    }

    /** Port of every host. */
    int port() {
        return pools.getFirst().coordinator().getPort();
    }

    /** Port of the control interface. */
    int controlPort() {
        return controlPort;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
