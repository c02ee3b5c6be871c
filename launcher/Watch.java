import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What the demo shows: waits until the engine is ready, says which address to open, then follows
 * its counts, in place on a terminal and as a line per change otherwise. It ends when a program of
 * the demo ends, and stops the programs when the launcher itself is gone, as after a kill -9.
 *
 * <p>Runs from source ({@code java Watch.java URL RUN_FOLDER READY_SECONDS}): whoever has the JDK
 * that the engine needs has all that this needs. Exit code 3: a program ended; 4: not ready in time.
 */

final HttpClient http =
        HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(2))
                .build();

final boolean terminal = System.console() != null && System.console().isTerminal();

void main(String[] arguments) throws Exception {
    var engine = URI.create(arguments[0]);
    var run = Path.of(arguments[1]);
    var deadline = Instant.now().plusSeconds(Long.parseLong(arguments[2]));
    var launcher = ProcessHandle.current().parent();

    var reason = "";
    while (!ready(engine)) {
        endIfOver(run, launcher.orElse(null));
        var now = reasonNotReady(engine);
        if (!now.equals(reason)) {
            reason = now;
            show("Not ready yet: " + now, true);
        }
        if (Instant.now().isAfter(deadline)) {
            IO.println("Not ready after " + arguments[2] + " s: " + reason);
            System.exit(4);
        }
        Thread.sleep(300);
    }
    clearLine();
    IO.println("Ready. Open " + engine + "/ (Ctrl-C stops everything)");

    var shown = "";
    for (long tick = 0; ; tick++) {
        endIfOver(run, launcher.orElse(null));
        var counts = counts(engine);
        if (!counts.equals(shown)) {
            shown = counts;
            show(counts, false);
        }
        Thread.sleep(terminal ? 1_000 : 5_000);
    }
}

void show(String line, boolean passing) {
    if (terminal) {
        clearLine();
        IO.print(line);
    } else if (!passing) {
        IO.println(line);
    }
}

void clearLine() {
    if (terminal) {
        IO.print("\r\033[K");
    }
}

void endIfOver(Path run, ProcessHandle launcher) throws Exception {
    for (var name : new String[] {"engine", "fake-hosts"}) {
        if (Files.exists(run.resolve(name + ".exit"))) {
            clearLine();
            System.exit(3);
        }
    }
    if (launcher != null && !ProcessHandle.current().parent().equals(java.util.Optional.of(launcher))) {
        for (var name : new String[] {"engine", "fake-hosts"}) {
            var file = run.resolve(name + ".pid");
            if (Files.exists(file)) {
                var pid = Long.parseLong(Files.readString(file).strip());
                ProcessHandle.of(pid)
                        .ifPresent(
                                process -> {
                                    process.destroy();
                                    process.onExit().orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
                                            .exceptionally(late -> { process.destroyForcibly(); return process; })
                                            .join();
                                });
            }
        }
        System.exit(3);
    }
}

boolean ready(URI engine) {
    var answer = get(engine, "/actuator/health/readiness");
    return answer != null && answer.statusCode() == 200;
}

String reasonNotReady(URI engine) {
    var answer = get(engine, "/actuator/health/readiness");
    return answer == null ? "the engine is starting" : answer.body();
}

String counts(URI engine) {
    var answer = get(engine, "/actuator/prometheus");
    if (answer == null || answer.statusCode() != 200) {
        return "the engine does not answer";
    }
    return "hosts " + byStatus(get(engine, "/api/v1/hosts")) + " | VMs " + byStatus(get(engine, "/api/v1/vms"));
}

static final Pattern STATUS = Pattern.compile("\"status\"\\s*:\\s*\"([A-Za-z_ -]+)\"");

String byStatus(HttpResponse<String> answer) {
    if (answer == null) {
        return "?";
    }
    Map<String, Integer> counts = new TreeMap<>();
    STATUS.matcher(answer.body())
            .results()
            .map((MatchResult match) -> match.group(1).toLowerCase())
            .forEach(status -> counts.merge(status, 1, Integer::sum));
    return counts.toString();
}

HttpResponse<String> get(URI engine, String path) {
    try {
        return http.send(
                HttpRequest.newBuilder(engine.resolve(path)).timeout(Duration.ofSeconds(5)).build(),
                HttpResponse.BodyHandlers.ofString());
    } catch (Exception notThere) {
        return null;
    }
}
