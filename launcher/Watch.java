import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/*
 * The demo's display: waits until the engine is ready, prints the address to open, then follows
 * its summary, in place on a terminal and as a line per change otherwise. It ends when a program of
 * the demo has ended, and stops them when the launcher itself is gone, as after a kill -9.
 *
 * Runs from source, java Watch.java URL RUN_FOLDER READY_SECONDS PASSWORD: it needs the same JDK as the
 * engine and nothing else. Exit code 3: a program has ended; 4: not ready in time.
 */

static final List<String> PROGRAMS = List.of("engine", "fake-hosts");
static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
static final Duration LOOK = Duration.ofMillis(500);

HttpClient http;
final boolean terminal = System.console() != null && System.console().isTerminal();

void main(String[] arguments) throws Exception {
    var engine = URI.create(arguments[0]);
    var run = Path.of(arguments[1]);
    var readySeconds = Long.parseLong(arguments[2]);
    var login = new PasswordAuthentication("admin@internal", arguments[3].toCharArray());
    var launcher = ProcessHandle.current().parent();
    http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .authenticator(new Authenticator() { // where the engine requests a login
                        @Override
                        protected PasswordAuthentication getPasswordAuthentication() {
                            return login;
                        }
                    })
                    .build();

    var deadline = Instant.now().plusSeconds(readySeconds);
    var reason = "";
    while (true) {
        endIfOver(run, launcher);
        var answer = get(engine, "/actuator/health/readiness");
        if (answer != null && answer.statusCode() == 200) {
            break;
        }
        reason = answer == null ? "the engine is starting" : reasons(answer.body());
        if (terminal) {
            rewrite("Not ready yet: " + reason);
        }
        if (Instant.now().isAfter(deadline)) {
            rewrite("Not ready after " + readySeconds + " s: " + reason + "\n");
            System.exit(4);
        }
        Thread.sleep(LOOK);
    }
    rewrite("Ready. Open " + engine + "/ (Ctrl-C stops everything)\n");
    IO.println("A tour of five steps: " + engine + "/#/vms?tour=1");

    var shown = "";
    while (true) {
        endIfOver(run, launcher);
        var summary = get(engine, "/api/v1/summary");
        var line = summary == null ? "The engine does not answer" : line(summary.body());
        if (terminal) {
            rewrite(line);
        } else if (!line.equals(shown)) {
            IO.println(line);
        }
        shown = line;
        for (var slept = Duration.ZERO; // without a terminal, a line every 5 seconds is enough
                slept.compareTo(terminal ? LOOK : LOOK.multipliedBy(10)) < 0;
                slept = slept.plus(LOOK)) {
            Thread.sleep(LOOK);
            endIfOver(run, launcher);
        }
    }
}

/** {@code 5 hosts: 5 up | 100 VMs: 98 up, 2 paused | SQL in the last cycle: 0}. */
static String line(String summary) {
    return "%s | %s | SQL in the last cycle: %s%s"
            .formatted(
                    counts("hosts", summary),
                    counts("VMs", summary),
                    member("lastCycleSql", "(\\d+)", summary).orElse("-"),
                    member("durable", "(false)", summary).isPresent() ? " | NOT DURABLE" : "");
}

static String counts(String title, String summary) {
    var counts =
            Pattern.compile("\"([^\"]+)\"\\s*:\\s*(\\d+)")
                    .matcher(member(title.toLowerCase(), "\\{([^}]*)\\}", summary).orElse(""))
                    .results()
                    .toList();
    var total = counts.stream().mapToLong(count -> Long.parseLong(count.group(2))).sum();
    return total
            + " "
            + title
            + counts.stream()
                    .map(count -> count.group(2) + " " + count.group(1).replace('_', ' ').toLowerCase())
                    .collect(Collectors.joining(", ", counts.isEmpty() ? "" : ": ", ""));
}

/** The problems that the components of the health answer name. */
static String reasons(String health) {
    return Pattern.compile("\"(?:reason|error|message)\"\\s*:\\s*\"([^\"]+)\"")
            .matcher(health)
            .results()
            .map(match -> match.group(1))
            .distinct()
            .collect(
                    Collectors.collectingAndThen(
                            Collectors.joining("; "),
                            told -> told.isEmpty() ? "hosts are being connected" : told));
}

static Optional<String> member(String name, String value, String json) {
    Matcher member = Pattern.compile("\"" + name + "\"\\s*:\\s*" + value).matcher(json);
    return member.find() ? Optional.of(member.group(1)) : Optional.empty();
}

void rewrite(String line) {
    IO.print(terminal ? "\r\033[K" + line : line);
}

void endIfOver(Path run, Optional<ProcessHandle> launcher) throws Exception {
    if (PROGRAMS.stream().anyMatch(name -> Files.exists(run.resolve(name + ".exit")))) {
        rewrite(terminal ? "\n" : "");
        System.exit(3);
    }
    if (!ProcessHandle.current().parent().equals(launcher)) {
        for (var name : PROGRAMS) {
            stop(run.resolve(name + ".pid"));
        }
        System.exit(3);
    }
}

static void stop(Path pidFile) throws Exception {
    if (!Files.exists(pidFile)) {
        return;
    }
    var process = ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()));
    if (process.isPresent() && process.get().destroy()) {
        try {
            process.get().onExit().get(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException late) {
            process.get().destroyForcibly();
        }
    }
}

HttpResponse<String> get(URI engine, String path) {
    try {
        return http.send(
                HttpRequest.newBuilder(engine.resolve(path)).timeout(Duration.ofSeconds(5)).build(),
                BodyHandlers.ofString());
    } catch (Exception notThere) {
        return null;
    }
}
