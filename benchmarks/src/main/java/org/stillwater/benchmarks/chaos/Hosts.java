package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Http;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The simulated hosts, and their own account of the true state. Thread-safe. */
final class Hosts implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
    private static final int CONFLICT = 409;

    private final ChildProcess process;
    private final Http control;
    private final int count;

    private Hosts(ChildProcess process, Http control, int count) {
        this.process = process;
        this.control = control;
        this.count = count;
    }

    static Hosts start(ChaosPlan plan, int firstPort, int controlPort) throws IOException {
        List<String> command = new ArrayList<>(plan.programs().simulator());
        command.add("--hosts=" + plan.hosts());
        command.add("--vms=" + plan.vmsPerHost());
        command.add("--seed=" + plan.seed());
        command.add("--port=" + firstPort);
        command.add("--listen=127.0.0.1");
        command.add("--control-port=" + controlPort);
        command.add("--pki=" + plan.pki());
        command.add("--report-size=small");
        command.add("--quiet");
        if (!plan.tls()) {
            command.add("--plain");
        }
        return new Hosts(
                ChildProcess.start(
                        "the simulator",
                        command,
                        plan.folder().resolve("simulator.log"),
                        STOP_TIMEOUT),
                new Http(controlPort),
                plan.hosts());
    }

    void requireAlive() {
        process.requireAlive();
    }

    /** Whether all of them listen; the simulator takes orders before they do. */
    boolean isReady() throws InterruptedException {
        String listening = control.tryGet("/hosts");
        return listening != null && JSON.readTree(listening).path("hosts").size() == count;
    }

    /** Writes the engine's list of hosts. */
    void writeList(Path file) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JsonNode host : JSON.readTree(control.get("/hosts")).path("hosts")) {
            lines.add(
                    "%s,127.0.0.1,%d"
                            .formatted(host.path("name").asString(), host.path("port").asInt()));
        }
        Files.write(file, lines);
    }

    /** Everything about hosts and the VMs on them. */
    JsonNode state() throws IOException, InterruptedException {
        return JSON.readTree(control.get("/state"));
    }

    /** Every VM there is or was. */
    JsonNode vms() throws IOException, InterruptedException {
        return JSON.readTree(control.get("/vms")).path("vms");
    }

    /**
     * Does something to a VM.
     *
     * @return false if it does not fit the VM's state
     */
    boolean act(String vm, String action, String options) throws IOException, InterruptedException {
        int status = control.status("/vms/" + vm + "/" + action, options);
        if (status >= 300 && status != CONFLICT) {
            throw new IOException(action + " of " + vm + " was answered " + status);
        }
        return status != CONFLICT;
    }

    /** A host's network is lost, or works again. */
    void silence(String host, boolean silent) throws IOException, InterruptedException {
        String _ =
                control.post(
                        "/hosts/" + host + (silent ? "/network-loss" : "/network-restore"), "{}");
    }

    @Override
    public void close() {
        control.close();
        process.close();
    }
}
