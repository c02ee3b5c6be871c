package org.stillwater.server;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.stillwater.fake.cli.FakeHosts;
import org.stillwater.testkit.FreePorts;

/**
 * One simulated host as a process of its own, which can be stopped, killed and started again on the
 * same port. For one test's thread.
 */
final class SimulatorProcess implements AutoCloseable {

    private static final long SEED = 23;

    private final Path folder;
    private final int vms;
    private final int port = FreePorts.next();
    private final int controlPort = FreePorts.next();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Process process;

    private SimulatorProcess(Path folder, int vms) {
        this.folder = folder;
        this.vms = vms;
    }

    /** Starts a host with VMs whose certificates are in the folder {@code pki}. */
    static SimulatorProcess start(Path folder, int vms) throws IOException {
        ReadyPki.copyTo(folder.resolve("pki"));
        SimulatorProcess simulator = new SimulatorProcess(folder, vms);
        simulator.start("pki");
        return simulator;
    }

    /** Starts it, with the same VMs on the same port; certificates that are not there are made. */
    void start(String pki) throws IOException {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                FakeHosts.class.getName(),
                                "--hosts=1",
                                "--vms=" + vms,
                                "--seed=" + SEED,
                                "--port=" + port,
                                "--listen=127.0.0.1",
                                "--control-port=" + controlPort,
                                "--pki=" + folder.resolve(pki),
                                "--quiet")
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        folder.resolve("simulator.log").toFile()))
                        .redirectInput(new File("/dev/null"))
                        .start();
        RunningEngine.await(this::listens, this::log);
    }

    private boolean listens() {
        if (!process.isAlive()) {
            throw new AssertionError("the simulator ended: " + log());
        }
        try {
            return send(request("/hosts").build()) == 200;
        } catch (IOException _) {
            return false;
        }
    }

    /** Settings of an engine to watch the host. */
    List<String> engineArguments() {
        Path pki = folder.resolve("pki");
        return List.of(
                "--stillwater.hosts[0].name=alpha",
                "--stillwater.hosts[0].address=127.0.0.1",
                "--stillwater.hosts[0].port=" + port,
                "--stillwater.wire.tls.certificate=" + pki.resolve("engine.pem"),
                "--stillwater.wire.tls.key=" + pki.resolve("engine.key.pem"),
                "--stillwater.wire.tls.trust=" + pki.resolve("ca.pem"));
    }

    long pid() {
        return process.pid();
    }

    /** SIGSTOP: its sockets stay, no process answers. */
    void freeze() throws Exception {
        signal("STOP");
    }

    /** SIGCONT. */
    void thaw() throws Exception {
        signal("CONT");
    }

    /** SIGKILL. */
    void kill() throws Exception {
        process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
    }

    private void signal(String name) throws Exception {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " ended with " + code);
        }
    }

    /** Ends its connections and takes no new ones. */
    void cutPort() throws IOException {
        fault("{\"kind\": \"refused-port\"}");
        fault("{\"kind\": \"drop\", \"at\": \"before\", \"close\": \"rst\"}");
    }

    /** Takes connections again. */
    void openPort() throws IOException {
        require(send(request("/faults").DELETE().build()));
    }

    private void fault(String json) throws IOException {
        require(send(request("/faults").POST(HttpRequest.BodyPublishers.ofString(json)).build()));
    }

    private static void require(int status) throws IOException {
        if (status >= 300) {
            throw new IOException("the simulator answered " + status);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + controlPort + path));
    }

    private int send(HttpRequest request) throws IOException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("simulator.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A stopped process takes SIGKILL only. */
    @Override
    public void close() {
        process.destroyForcibly();
        http.close();
    }
}
