import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/*
 * Trains the engine's JVM for fast starts (JEP 483, 514 and 515): starts the engine on an empty
 * database, with simulated hosts if their program is given, sends the first requests of a console and a
 * client, and stops it. The JVM then writes an archive of loaded classes and of the profiles of hot
 * methods. A JVM of another build, or an engine of another build, ignores it.
 *
 * Runs from source, java Training.java ARCHIVE DELAY_SECONDS PID ENGINE_JAR FAKE_FOLDER JVM_OPTION…
 * (FAKE_FOLDER may be empty): it needs the same JDK as the engine and nothing else. It ends early
 * when the process PID is gone, which is the launcher's. Exit code 0: the archive is there; 1: it is not, and
 * standard error has the reason.
 */

static final int HOSTS = 2;
static final int VMS = 50;
static final Duration PATIENCE = Duration.ofMinutes(3);

/** The JVM assembles the archive while it ends. */
static final Duration STOP_PATIENCE = Duration.ofMinutes(3);

static final Duration LOOK = Duration.ofMillis(200);

/** How often the questions are asked: more often than the JVM needs to find a method hot. */
static final int ROUNDS = 30;

static final List<String> QUESTIONS =
        List.of(
                "/",
                "/api/v1/vms?sort=trouble&limit=200",
                "/api/v1/vms?sort=name&limit=100&statistics=true",
                "/api/v1/hosts",
                "/api/v1/clusters",
                "/api/v1/summary",
                "/api/v1/events?limit=50",
                "/ovirt-engine/api/vms?follow=statistics",
                "/actuator/health",
                "/actuator/prometheus",
                "/metrics/vms");

/** Questions about one VM and its host, as the console asks them when it shows both. */
static final List<String> QUESTIONS_ABOUT_ONE =
        List.of(
                "/api/v1/vms/VM",
                "/api/v1/vms/VM/statistics",
                "/api/v1/vms/VM/definition",
                "/api/v1/vms/VM/beliefs",
                "/api/v1/operations?vm=VM&limit=10",
                "/api/v1/events?vm=VM&limit=20",
                "/api/v1/hosts/HOST",
                "/ovirt-engine/api/vms/VM");

static final Pattern ID = Pattern.compile("\"id\": ?\"([0-9a-f-]{36})\"");

final HttpClient http =
        HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
final List<Process> programs = new ArrayList<>();

void main(String[] arguments) throws Exception {
    var archive = Path.of(arguments[0]).toAbsolutePath();
    ProcessHandle.of(Long.parseLong(arguments[2]))
            .orElseThrow()
            .onExit()
            .thenRun(() -> System.exit(1));
    TimeUnit.SECONDS.sleep(Long.parseLong(arguments[1]));
    var work = Files.createTempDirectory(archive.getParent(), "training-");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> cleanUp(work)));
    try {
        train(archive, work, List.of(arguments).subList(3, arguments.length));
    } catch (IllegalStateException | IOException e) {
        System.err.println("no archive for fast starts: " + e.getMessage());
        System.exit(1);
    }
}

void train(Path archive, Path work, List<String> given) throws Exception {
    var engineJar = given.get(0);
    var fake = given.get(1);
    int hostPort = freePorts(HOSTS);
    var hosts = Files.createFile(work.resolve("hosts"));
    if (!fake.isEmpty()) {
        start(
                work.resolve("fake-hosts.log"),
                List.of(
                        "-Xmx256m", "-cp", fake + "/app.jar" + File.pathSeparator + fake + "/lib/*",
                        "org.stillwater.fake.cli.FakeHosts",
                        "--hosts", "" + HOSTS, "--vms", "" + VMS, "--port", "" + hostPort,
                        "--control-port", "" + freePorts(1), "--pki", work.resolve("pki").toString(),
                        "--life", "gentle", "--quiet"));
        for (int i = 0; i < HOSTS; i++) {
            Files.writeString(
                    hosts,
                    "host-%d,127.0.0.1,%d%n".formatted(i + 1, hostPort + i),
                    java.nio.file.StandardOpenOption.APPEND);
        }
    }
    var made = work.resolve("engine.aot");
    int port = freePorts(1);
    var command = new ArrayList<String>(given.subList(2, given.size()));
    command.addAll(
            List.of(
                    "-Xmx512m", "-XX:AOTCacheOutput=" + made, "-jar", engineJar,
                    "--server.port=" + port, "--stillwater.tls.enabled=false",
                    "--stillwater.security.anonymous-role=administrator",
                    "--stillwater.data-folder=" + work, "--stillwater.hosts-file=" + hosts,
                    "--stillwater.cycle.interval=1s"));
    var engine = start(work.resolve("engine.log"), command);
    var url = URI.create("http://127.0.0.1:" + port);
    await("the engine was not ready in time", engine, () -> isAnswered(url, "/actuator/health/readiness"));
    if (!fake.isEmpty()) {
        await("the engine did not know the simulated VMs in time", engine, () -> knowsVms(url));
    }
    var questions = new ArrayList<String>(QUESTIONS);
    var vm = firstId(url, "/api/v1/vms?limit=1");
    var host = firstId(url, "/api/v1/hosts");
    if (vm != null && host != null) {
        QUESTIONS_ABOUT_ONE.forEach(
                question -> questions.add(question.replace("VM", vm).replace("HOST", host)));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (var question : questions) {
            get(url, question);
        }
    }
    engine.destroy();
    if (!engine.waitFor(STOP_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("the engine did not end in time");
    }
    if (!Files.isRegularFile(made)) {
        throw new IllegalStateException("the JVM wrote none");
    }
    Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
}

Process start(Path log, List<String> arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    var process =
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
    programs.add(process);
    return process;
}

interface Condition {
    boolean holds() throws Exception;
}

void await(String failure, Process alive, Condition condition) throws Exception {
    var deadline = Instant.now().plus(PATIENCE);
    while (!condition.holds()) {
        if (!alive.isAlive()) {
            throw new IllegalStateException("the engine ended with exit code " + alive.exitValue());
        }
        if (Instant.now().isAfter(deadline)) {
            throw new IllegalStateException(failure);
        }
        Thread.sleep(LOOK);
    }
}

boolean isAnswered(URI engine, String path) throws InterruptedException {
    var answer = get(engine, path);
    return answer != null && answer.statusCode() == 200;
}

boolean knowsVms(URI engine) throws InterruptedException {
    var answer = get(engine, "/actuator/prometheus?includedNames=stillwater_vms");
    return answer != null
            && answer.body().lines()
                    .filter(line -> line.startsWith("stillwater_vms"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum() >= HOSTS * VMS * 0.9; // some end before they are seen
}

/** The first object of a list, or null without one. */
String firstId(URI engine, String list) throws InterruptedException {
    var answer = get(engine, list);
    var id = ID.matcher(answer == null ? "" : answer.body());
    return id.find() ? id.group(1) : null;
}

/** The answer, or null if there was none. */
HttpResponse<String> get(URI engine, String path) throws InterruptedException {
    var request =
            HttpRequest.newBuilder(engine.resolve(path))
                    .timeout(Duration.ofSeconds(20))
                    .header("Accept", path.startsWith("/ovirt") ? "application/json" : "*/*")
                    .build();
    try {
        return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
        return null;
    }
}

/** The first of as many free ports in a row. */
static int freePorts(int count) throws IOException {
    for (int attempt = 0; attempt < 50; attempt++) {
        var taken = new ArrayList<ServerSocket>();
        try {
            var first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            taken.add(first);
            for (int i = 1; i < count; i++) {
                taken.add(new ServerSocket(first.getLocalPort() + i, 1, InetAddress.getLoopbackAddress()));
            }
            return first.getLocalPort();
        } catch (IOException next) {
            // The next attempt begins at another port.
        } finally {
            for (var socket : taken) {
                socket.close();
            }
        }
    }
    throw new IOException("found no free ports");
}

void cleanUp(Path work) {
    for (var program : programs) {
        program.destroy();
    }
    try {
        for (var program : programs) {
            if (!program.waitFor(20, TimeUnit.SECONDS)) {
                program.destroyForcibly().waitFor();
            }
        }
        try (var files = Files.walk(work)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    } catch (IOException | UncheckedIOException left) {
        // A file that could not be removed lies in a folder of its own.
    } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
    }
}
