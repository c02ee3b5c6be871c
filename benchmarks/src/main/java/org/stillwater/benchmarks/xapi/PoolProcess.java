package org.stillwater.benchmarks.xapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.stillwater.benchmarks.scale.BenchFailure;

/** A simulated pool in a process of its own; its time stands still. */
final class PoolProcess implements AutoCloseable {

    private static final String PROGRAM = "org.stillwater.fake.xapi.cli.FakePools";

    private final Process process;
    private final URI coordinator;

    private PoolProcess(Process process, URI coordinator) {
        this.process = process;
        this.coordinator = coordinator;
    }

    /**
     * Starts a pool.
     *
     * @param era age of its servers, as the simulator spells it
     */
    static PoolProcess start(int hosts, int vms, long seed, String era)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PROGRAM,
                                "--hosts=" + hosts,
                                "--vms=" + vms,
                                "--seed=" + seed,
                                "--era=" + era,
                                "--plain",
                                "--port=0",
                                "--control-port=0",
                                "--batching=none",
                                "--speed=0",
                                "--address-base=127.14.1.1")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String first = out.readLine();
        if (first == null) {
            throw new BenchFailure(
                    "the simulated pool did not start; it ended with code " + process.waitFor());
        }
        return new PoolProcess(process, URI.create(first.substring(first.lastIndexOf(' ') + 1)));
    }

    /** Address of the coordinator. */
    String address() {
        return coordinator.getHost();
    }

    /** Port of every host. */
    int port() {
        return coordinator.getPort();
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
