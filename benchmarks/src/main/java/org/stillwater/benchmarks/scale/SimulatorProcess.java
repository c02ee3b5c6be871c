package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The simulated hosts, directed through their control port. */
final class SimulatorProcess implements AutoCloseable {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
    private static final Pattern HOST =
            Pattern.compile("\\{\"name\":\"([^\"]+)\",\"address\":\"([^\"]+)\",\"port\":(\\d+)");
    private static final Pattern NAMED_HOST =
            Pattern.compile(
                    HOST.pattern() + ",\"condition\":\"[^\"]*\",\"uuid\":\"([0-9a-f-]{36})\"");
    private static final Pattern VM =
            Pattern.compile(
                    "\\{\"id\":\"([0-9a-f-]{36})\",\"name\":\"[^\"]*\",\"host\":\"([^\"]+)\"");

    private final ChildProcess process;
    private final Http control;
    private final int count;

    private SimulatorProcess(ChildProcess process, Http control, int count) {
        this.process = process;
        this.control = control;
        this.count = count;
    }

    /**
     * Starts it.
     *
     * @param relayPort where the engine listens for relays, if there are any
     */
    static SimulatorProcess start(StablePlan plan, int firstPort, int controlPort, int relayPort)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(plan.relays() == null ? "-Xmx4g" : "-Xmx6g");
        command.addAll(EngineProcess.JVM_OPTIONS);
        command.add("-cp");
        Path folder = plan.programs().simulator();
        command.add(folder.resolve("app.jar") + ":" + folder.resolve("lib") + "/*");
        command.add("org.stillwater.fake.cli.FakeHosts");
        command.add("--hosts=" + plan.hosts());
        command.add("--vms=" + plan.vms() / plan.hosts());
        command.add("--seed=" + plan.seed());
        command.add("--port=" + firstPort);
        command.add("--control-port=" + controlPort);
        command.add("--pki=" + plan.folder().resolve("pki"));
        command.add("--report-size=" + plan.reportSize().option());
        if (!plan.tls()) {
            command.add("--plain");
        }
        StablePlan.Relays relays = plan.relays();
        if (relays != null) {
            command.add("--relays=" + relays.count());
            command.add("--relay-engine=127.0.0.1:" + relayPort);
            command.add("--relay-interval=" + plan.interval().toMillis() / 1000.0);
            command.add("--moving=" + relays.moving());
            command.add("--listen=127.0.0.1"); // one open file for each host
            command.add("--one-connection");
        }
        return new SimulatorProcess(
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

    /** Port on which it takes orders. */
    int controlPort() {
        return control.port();
    }

    long pid() {
        return process.pid();
    }

    /** Whether all its hosts listen; it takes orders before they do. */
    boolean isReady() throws InterruptedException {
        String listening = control.tryGet("/hosts");
        return listening != null && HOST.matcher(compact(listening)).results().count() == count;
    }

    /**
     * Writes the engine's list of hosts, with the UUIDs that relays name, and the settings by which
     * it accepts the relays.
     *
     * @param relays how many
     * @param relayPort where the engine listens for them
     */
    void writeHosts(Path file, Path settings, int relays, int relayPort)
            throws IOException, InterruptedException {
        List<MatchResult> hosts =
                NAMED_HOST.matcher(compact(control.get("/hosts"))).results().toList();
        List<String> lines = new ArrayList<>();
        List<String> yaml = new ArrayList<>();
        yaml.add("stillwater.relay.enabled: true");
        yaml.add("stillwater.relay.port: " + relayPort);
        yaml.add("stillwater.relay.hosts:");
        for (int i = 0; i < hosts.size(); i++) {
            MatchResult host = hosts.get(i);
            lines.add(String.join(",", host.group(1), host.group(2), host.group(3), host.group(4)));
            long relay = (long) i * relays / hosts.size() + 1; // as the simulator spreads them
            yaml.add(String.format(Locale.ROOT, "  - relay-%03d=%s", relay, host.group(4)));
        }
        Files.write(file, lines);
        Files.write(settings, yaml);
    }

    /** Ids of the VMs of a host. */
    List<String> vmsOf(String host) throws IOException, InterruptedException {
        return VM.matcher(compact(control.get("/vms?host=" + host)))
                .results()
                .map(vm -> vm.group(1))
                .toList();
    }

    /** Writes the engine's list of hosts. */
    void writeHosts(Path file) throws IOException, InterruptedException {
        List<String> lines =
                HOST.matcher(compact(control.get("/hosts")))
                        .results()
                        .map(host -> host.group(1) + "," + host.group(2) + "," + host.group(3))
                        .toList();
        Files.write(file, lines);
    }

    /** Ids of all its VMs, in its order, each with the name of its host. */
    Map<String, String> vms() throws IOException, InterruptedException {
        Map<String, String> vms = new LinkedHashMap<>();
        VM.matcher(compact(control.get("/vms")))
                .results()
                .forEach(vm -> vms.put(vm.group(1), vm.group(2)));
        return vms;
    }

    /** Names of all its hosts. */
    List<String> hosts() throws IOException, InterruptedException {
        return HOST.matcher(compact(control.get("/hosts")))
                .results()
                .map(host -> host.group(1))
                .toList();
    }

    /** Puts a fault in force, as the simulator's reference page describes it. */
    void fault(String json) throws IOException, InterruptedException {
        String _ = control.post("/faults", json);
    }

    /** Ends all faults. */
    void clearFaults() throws IOException, InterruptedException {
        control.delete("/faults");
    }

    /** Freezes a host: its sockets stay, nothing moves; or lets it continue. */
    void freeze(String host, boolean frozen) throws IOException, InterruptedException {
        String action = frozen ? "network-loss" : "network-restore";
        String _ = control.post("/hosts/" + host + "/" + action, "{}");
    }

    /** Takes a host's power away: without a message its VMs are gone. */
    void losePower(String host) throws IOException, InterruptedException {
        String _ = control.post("/hosts/" + host + "/lose-power", "{}");
    }

    /** Restarts a host's agent: connections end, its VMs continue. */
    void restart(String host) throws IOException, InterruptedException {
        String _ = control.post("/hosts/" + host + "/restart-vdsm", "{\"recovery\": 1}");
    }

    /** Pauses a VM, as a user would: one event leaves its host. */
    void pause(String vm) throws IOException, InterruptedException {
        String _ = control.post("/vms/" + vm + "/pause", "{}");
    }

    private static String compact(String json) {
        return json.replaceAll("\\s+", "");
    }

    @Override
    public void close() {
        control.close();
        process.close();
    }
}
