package org.stillwater.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The command line")
class ClientTest {

    private static final String OPERATION =
            "{\"id\":\"7\",\"kind\":\"run\",\"vmName\":\"%s\",\"state\":\"%s\",\"endedAt\":%s,"
                    + "\"targetHostName\":\"host-2\",\"failure\":%s}";

    @TempDir Path folder;

    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    /** The answer to the first request of a path. */
    private final Map<String, Answer> first = new ConcurrentHashMap<>();

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> logins = new CopyOnWriteArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private HttpServer server;

    private record Answer(int status, String body) {}

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    String asked = exchange.getRequestMethod() + " " + exchange.getRequestURI();
                    String body =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8);
                    requests.add(body.isEmpty() ? asked : asked + " " + body);
                    String login = exchange.getRequestHeaders().getFirst("Authorization");
                    logins.add(login == null ? "none" : login);
                    String path = exchange.getRequestURI().getPath();
                    Answer begin = first.remove(path);
                    Answer answer =
                            begin != null
                                    ? begin
                                    : answers.getOrDefault(
                                            path,
                                            new Answer(
                                                    404,
                                                    "{\"detail\":\"There is no such thing.\"}"));
                    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(
                            answer.status(), bytes.length == 0 ? -1 : bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
        server.start();
        environment.put(
                "STILLWATER_URL", "http://localhost:" + server.getAddress().getPort() + "/");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private int run(String... arguments) {
        return Client.run(new PrintWriter(out), new PrintWriter(err), environment, arguments);
    }

    private void answer(String path, String body) {
        answers.put("/api/v1" + path, new Answer(200, body));
    }

    private Path file(String text) throws IOException {
        Path file = Files.createTempFile(folder, "secret", "");
        return Files.writeString(file, text);
    }

    @Test
    @DisplayName("lists all pages with the filters, order and columns that are asked for")
    void list() {
        answer(
                "/vms",
                "{\"items\":[{\"id\":\"1\",\"name\":\"web-1\",\"hostName\":\"h\"}],\"next\":null,\"revision\":5}");

        int code =
                run(
                        "vms",
                        "list",
                        "--filter",
                        "status=up,paused",
                        "-f",
                        "name=web *",
                        "--order",
                        "-cpu,name",
                        "--columns",
                        "name,host",
                        "-n",
                        "7");

        assertThat(code).isZero();
        assertThat(out.toString().lines()).containsExactly("NAME   HOST", "web-1  h");
        assertThat(requests)
                .containsExactly(
                        "GET /api/v1/vms?fields=name%2ChostName%2Cid%2Cname&sort=-cpu%2Cname"
                                + "&status=up%2Cpaused&name=web%20%2A&limit=7");
    }

    @Test
    @DisplayName("prints all members as JSON unless columns are chosen")
    void wholeJson() {
        String item = "{\"id\":\"1\",\"name\":\"web-1\",\"cpus\":2}";
        answer("/vms", "{\"items\":[" + item + "],\"next\":null,\"revision\":5}");

        assertThat(run("vms", "list", "-o", "json")).isZero();

        assertThat(out.toString().strip()).isEqualTo(item);
        assertThat(requests).containsExactly("GET /api/v1/vms?limit=1000");
    }

    @Test
    @DisplayName("explains a VM group by group, with what makes it fresh")
    void explain() {
        answer("/vms/web-1/explain", explanation("\"vmName\":\"web-1\",\"hostName\":\"h1\""));

        assertThat(run("explain", "web-1")).isZero();

        assertThat(out.toString().lines())
                .containsExactly(
                        "VM web-1 is up on host h1.",
                        "Values that are stale: reported.",
                        "",
                        "reported: status, a, b, c, d, e and 1 more, 45.0 s old, STALE",
                        "  Host h1 reported these values.",
                        "  poll_late; fresh when: Host h1 answers.");
        assertThat(run("vms", "explain", "web-1", "-o", "json")).isZero();
        assertThat(out.toString()).contains("\"code\":\"poll_late\"");
    }

    @Test
    @DisplayName("explains a host by a name that no VM has")
    void explainHost() {
        answer("/hosts/h1/explain", explanation("\"hostName\":\"h1\""));

        assertThat(run("explain", "h1")).isZero();

        assertThat(out.toString()).startsWith("Host h1 is up.");
        assertThat(requests)
                .containsExactly("GET /api/v1/vms/h1/explain", "GET /api/v1/hosts/h1/explain");
        assertThat(run("explain", "nothing")).isEqualTo(1);
        assertThat(err.toString()).contains("There is no such thing.");
    }

    @Test
    @DisplayName("prints what the engine believed at a time, and why")
    void explainThePast() {
        answer(
                "/vms/web-1/beliefs",
                "{\"vmName\":\"web-1\",\"text\":\"At T the engine assumed:"
                    + " unknown.\",\"missing\":null,"
                    + "\"items\":[{\"at\":\"T1\",\"receivedAt\":\"T0\",\"cause\":\"silence\",\"reporterName\":\"h1\",\"rule\":\"host_lost\",\"scenario\":\"S81\",\"because\":\"its"
                    + " host does not respond\",\"before\":\"up\","
                    + "\"status\":\"unknown\",\"hostName\":\"h1\",\"decided\":[\"audit\"]}]}");

        assertThat(run("explain", "web-1", "--at", "2026-11-20T03:12:00Z")).isZero();

        assertThat(out.toString().lines())
                .containsExactly(
                        "VM web-1. At T the engine assumed: unknown.",
                        "",
                        "T1  up -> unknown on h1",
                        "  by silence of h1, received T0",
                        "  because its host does not respond (S81, host_lost)",
                        "  then audit");
        assertThat(requests)
                .containsExactly("GET /api/v1/vms/web-1/beliefs?at=2026-11-20T03%3A12%3A00Z");
        assertThat(run("explain", "web-1", "--transitions", "-o", "json")).isZero();
        assertThat(requests).last().isEqualTo("GET /api/v1/vms/web-1/beliefs");
    }

    private static String explanation(String names) {
        return "{"
                + names
                + ",\"status\":\"up\",\"text\":\"Values that are stale: reported.\",\"items\":"
                + "[{\"group\":\"reported\",\"values\":[\"status\",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"],\"ageSeconds\":45.0,\"stale\":true,\"text\":\"Host"
                + " h1 reported these"
                + " values.\",\"delays\":[{\"code\":\"poll_late\",\"remedy\":\"Host h1"
                + " answers.\"}]}]}";
    }

    @Test
    @DisplayName("shows the newest events with the newest at the end")
    void events() {
        answer(
                "/events",
                "{\"items\":[{\"id\":2,\"at\":\"t2\",\"text\":\"b\"},{\"id\":1,\"at\":\"t1\",\"text\":\"a\"}],\"next\":null}");

        assertThat(run("events", "list", "-c", "at,text", "-f", "vm=web-1")).isZero();

        assertThat(out.toString().lines()).containsExactly("AT  TEXT", "t1  a", "t2  b");
        assertThat(requests).containsExactly("GET /api/v1/events?vm=web-1&limit=50");
    }

    @Test
    @DisplayName("starts a VM by its name and waits for the end")
    void start() throws Exception {
        answer("/vms/web 1/start", OPERATION.formatted("web 1", "queued", "null", "null"));
        answer(
                "/operations/7/events",
                "event: snapshot\ndata: "
                        + OPERATION.formatted("web 1", "running", "null", "null")
                        + "\n\n: still there\n\nevent: end\ndata: "
                        + OPERATION.formatted("web 1", "succeeded", "\"t\"", "null")
                        + "\n\n");

        assertThat(run("vms", "start", "web 1", "--host", "host-2")).isZero();

        assertThat(out.toString().strip()).isEqualTo("web 1: run succeeded, on host-2");
        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/vms/web%201/start {\"host\":\"host-2\"}",
                        "GET /api/v1/operations/7/events");
    }

    @Test
    @DisplayName("acts on several VMs as one batch; one that fails makes the exit code 1")
    void batch() {
        answer("/me", "{\"mostInBatch\":5000}");
        answer(
                "/vms:batch",
                "{\"id\":\"b\",\"items\":[{\"operation\":"
                        + OPERATION.formatted("a", "queued", "null", "null")
                        + ",\"problem\":null},{\"operation\":null,\"problem\":{\"detail\":\"There"
                        + " is no VM b.\"}}]}");
        answer(
                "/batches/b/events",
                "event: changed\ndata: {\"items\":["
                        + OPERATION.formatted(
                                "a",
                                "failed",
                                "\"t\"",
                                "{\"code\":\"no_host\",\"reason\":\"no host fits\"}")
                        + "]}\n\nevent: end\ndata: {\"batch\":{}}\n\n");

        assertThat(run("vms", "stop", "a", "b", "a")).isEqualTo(1);

        assertThat(out.toString().strip()).isEqualTo("a: run failed: no host fits");
        assertThat(err.toString().strip()).isEqualTo("stillwater: b: There is no VM b.");
        assertThat(requests)
                .element(1)
                .isEqualTo(
                        "POST /api/v1/vms:batch"
                                + " {\"action\":\"stop\",\"vms\":[\"a\",\"b\"],\"parameters\":{}}");
    }

    @Test
    @DisplayName("sends no more VMs in a batch than the engine accepts")
    void limitOfBatches() {
        answer("/me", "{\"mostInBatch\":2}");
        answer("/vms:batch", "{\"id\":null,\"items\":[]}");

        assertThat(run("vms", "stop", "a", "b", "c", "--no-wait")).isZero();

        assertThat(requests)
                .containsExactly(
                        "GET /api/v1/me",
                        "POST /api/v1/vms:batch"
                                + " {\"action\":\"stop\",\"vms\":[\"a\",\"b\"],\"parameters\":{}}",
                        "POST /api/v1/vms:batch"
                                + " {\"action\":\"stop\",\"vms\":[\"c\"],\"parameters\":{}}");
    }

    @Test
    @DisplayName("changes definitions by a batch, also that of one VM")
    void edit() {
        answer(
                "/vms:batch",
                "{\"id\":\"b\",\"items\":[{\"operation\":"
                        + OPERATION.formatted("a", "queued", "null", "null")
                        + ",\"problem\":null}]}");

        assertThat(run("vms", "protect", "a", "--no-wait")).isZero();
        assertThat(
                        run(
                                "vms",
                                "edit",
                                "a",
                                "--no-wait",
                                "--priority",
                                "9",
                                "--highly-available",
                                "false",
                                "--comment",
                                ""))
                .isZero();

        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/vms:batch"
                                + " {\"action\":\"protect\",\"vms\":[\"a\"],\"parameters\":{}}",
                        "POST /api/v1/vms:batch"
                            + " {\"action\":\"edit\",\"vms\":[\"a\"],\"parameters\":{\"comment\":\"\","
                            + "\"priority\":9,\"highlyAvailable\":false}}");
    }

    @Test
    @DisplayName("acts on all that match a filter only after a question or with --yes")
    void filtered() {
        answer("/vms", "{\"items\":[{\"id\":\"1\",\"name\":\"a\"}],\"next\":null,\"revision\":5}");
        answer("/vms/1/shutdown", OPERATION.formatted("a", "queued", "null", "null"));

        assertThat(run("vms", "shutdown", "--filter", "host=h", "--no-wait")).isEqualTo(2);
        assertThat(err.toString()).contains("1 VM matches: give --yes for shutdown without");
        assertThat(requests).hasSize(1);

        assertThat(run("vms", "shutdown", "--filter", "host=h", "--no-wait", "--yes")).isZero();
        assertThat(out.toString().strip()).isEqualTo("a: run queued, operation 7");
    }

    @Test
    @DisplayName("names the VMs that a filter found when the engine refuses them")
    void filteredAndRefused() {
        answer("/me", "{\"mostInBatch\":5000}");
        answer(
                "/vms",
                "{\"items\":[{\"id\":\"1\",\"name\":\"a\"},{\"id\":\"2\",\"name\":\"b\"}],"
                        + "\"next\":null,\"revision\":5}");
        String refused =
                "{\"vmId\":\"%d\",\"operation\":null,\"problem\":{\"detail\":\"It is down.\"}}";
        answer(
                "/vms:batch",
                "{\"id\":null,\"items\":[%s,%s]}"
                        .formatted(refused.formatted(1), refused.formatted(2)));

        assertThat(run("vms", "shutdown", "--filter", "host=h", "--yes")).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("stillwater: a: It is down.", "stillwater: b: It is down.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"operations", "events"})
    @DisplayName("refuses a column that operations or events do not have")
    void unknownColumn(String verb) {
        answer("/" + verb, "{\"items\":[{\"id\":\"1\",\"failure\":null}],\"next\":null}");

        assertThat(run(verb, "list", "--columns", "id,fialure.reason")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no fialure; there are id, failure");
        assertThat(out.toString()).isEmpty();

        assertThat(run(verb, "list", "--columns", "id,failure.reason")).isZero();
    }

    @Test
    @DisplayName("does not look for a host when the engine refuses the question about a VM")
    void explainWronglyAsked() {
        answers.put(
                "/api/v1/vms/web-1/beliefs",
                new Answer(400, "{\"detail\":\"at must be a time.\"}"));

        assertThat(run("explain", "web-1", "--at", "yesterday")).isEqualTo(1);
        assertThat(err.toString().strip()).isEqualTo("stillwater: at must be a time.");
        assertThat(requests).hasSize(1);
    }

    @Test
    @DisplayName("an answer that cannot be written is a failure, a closed pipe is none")
    void unwritable() {
        assertThat(exitCode("No space left on device")).isEqualTo(1);
        assertThat(err.toString())
                .contains("stillwater: cannot write the answer: No space left on device");
        assertThat(exitCode("Broken pipe")).isZero();
        assertThat(exitCode(null)).isZero();
    }

    private int exitCode(@Nullable String failure) {
        AnswerOutput answer =
                new AnswerOutput(
                        new OutputStream() {
                            @Override
                            public void write(int b) throws IOException {
                                if (failure != null) {
                                    throw new IOException(failure);
                                }
                            }
                        });
        PrintWriter text = new PrintWriter(answer, false, StandardCharsets.UTF_8);
        text.println("a line");
        text.flush();
        return answer.exitCode(0, new PrintWriter(err, true));
    }

    private static String operations(String stateOfTheNewest) {
        String old = "{\"id\":\"%d\",\"state\":\"succeeded\",\"endedAt\":\"t\"}";
        return "{\"items\":[{\"id\":\"5\",\"state\":\"%s\"},%s,%s,%s,%s],\"next\":null}"
                .formatted(
                        stateOfTheNewest,
                        old.formatted(4),
                        old.formatted(3),
                        old.formatted(2),
                        old.formatted(1));
    }

    @Test
    @DisplayName("watches operations from the newest on: older ones are no changes")
    void watchOperations() {
        first.put("/api/v1/operations", new Answer(200, operations("running")));
        answer("/operations", operations("succeeded"));
        answer("/stream", ": open\n\n");

        assertThat(
                        run(
                                "operations",
                                "watch",
                                "-n",
                                "2",
                                "--changes",
                                "1",
                                "-o",
                                "csv",
                                "-c",
                                "id,state"))
                .isZero();

        assertThat(out.toString().lines())
                .containsExactly("id,state", "4,succeeded", "5,running", "5,succeeded");
    }

    @Test
    @DisplayName("takes the login from a file or the environment")
    void logins() throws Exception {
        answer("/hosts", "{\"items\":[],\"next\":null,\"revision\":5}");
        String basic =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString("ada:pass word".getBytes(StandardCharsets.UTF_8));

        run("hosts", "list");
        run("hosts", "list", "--user", "ada", "--password-file", file("pass word\n").toString());
        environment.put("STILLWATER_USER", "ada");
        environment.put("STILLWATER_PASSWORD", "pass word");
        run("hosts", "list");
        environment.put("STILLWATER_TOKEN", "sw_1");
        run("hosts", "list");
        run("hosts", "list", "--token-file", file("sw_2").toString());

        assertThat(logins).containsExactly("none", basic, basic, "Bearer sw_1", "Bearer sw_2");
    }

    @Test
    @DisplayName("warns about a password file that others can read")
    void openFile() throws Exception {
        answer("/hosts", "{\"items\":[],\"next\":null,\"revision\":5}");
        Path file = file("x");
        Files.setPosixFilePermissions(
                file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(run("hosts", "list", "--user", "a", "--password-file", file.toString()))
                .isZero();

        assertThat(err.toString()).contains("other users can read " + file);
    }

    @Test
    @DisplayName("reports a missing password file")
    void missingFile() {
        assertThat(run("hosts", "list", "--user", "a", "--password-file", "no/such/file"))
                .isEqualTo(2);

        assertThat(err.toString()).contains("cannot read no/such/file: it does not exist");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--password=x", "--password x", "--token x"})
    @DisplayName("takes no password as an option")
    void noPassword(String option) {
        List<String> arguments = new ArrayList<>(List.of("vms", "list", "--user", "a"));
        arguments.addAll(List.of(option.split(" ")));

        assertThat(run(arguments.toArray(String[]::new))).isEqualTo(2);

        assertThat(err.toString()).contains("write the secret into a file");
        assertThat(requests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vms lst|Did you mean ./stillwater vms list?",
                "vms strat web-1|Did you mean ./stillwater vms start?",
                "vms migrat web-1|Did you mean ./stillwater vms migrate?",
                "vms list --filtr=status=up|Did you mean --filter?",
                "vms frobnicate|See ./stillwater vms --help.",
                "vms list web-1|See ./stillwater vms list --help.",
            })
    @DisplayName("suggests the command or option that a mistyped word is nearest to")
    void suggests(String line, String suggestion) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines().skip(1)).containsExactly(suggestion);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400|1|There is no parameter \"colour\"",
                "404|1|There is no host x.",
                "403|4|This takes the role of an operator",
                "401|4|asks for a login: give --user and --password-file, or --token-file",
                "503|1|The database does not answer.",
                "302|3|sends to another address (302); give that with --url",
            })
    @DisplayName("reports a refusal of the engine, with an exit code for scripts")
    void refused(int status, int code, String told) {
        answers.put(
                "/api/v1/vms",
                new Answer(status, "{\"detail\":\"" + told.replace("\"", "\\\"") + "\"}"));

        assertThat(run("vms", "list")).isEqualTo(code);

        assertThat(err.toString())
                .startsWith("stillwater: ")
                .contains(told)
                .doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    @DisplayName("explains how to name an engine when none answers")
    void noEngine() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }

        assertThat(run("vms", "list", "--url", "http://localhost:" + port)).isEqualTo(3);

        assertThat(err.toString())
                .contains("no engine answers at http://localhost:" + port)
                .contains("./stillwater demo")
                .contains("--url");
    }

    @Test
    @DisplayName("reports an answer that is not an engine's")
    void noJson() {
        answer("/vms", "<html>hello</html>");

        assertThat(run("vms", "list")).isEqualTo(3);

        assertThat(err.toString()).contains("is this the address of a Stillwater engine?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vms lsit|lsit",
                "vms list --wrong|--wrong",
                "vms list --output xml|xml",
                "vms list --filter up|a name and a value, such as status=up",
                "vms list --limit 0|--limit is a number from 1 on",
                "vms list --for soon|no time span such as 90s",
                "vms list --url engine|--url (or STILLWATER_URL) is an address such as",
                "vms list --url http://a:b@engine|without a user or password",
                "vms list --timeout 0s|--timeout is a time span",
                "vms list --timeout 99999999999999d|--timeout is a time span",
                "vms watch --for 200000d|is no time span",
                "vms watch --for=-5s|--for is a time span such as 90s",
                "record --host h --out r --for 200000d|--for is a time span such as 5m",
                "vms list --url http://engine:99999|--url (or STILLWATER_URL) is an address such"
                        + " as",
                "vms list --url https://localhost:1 --ca .|cannot read authorities of .: Is a"
                        + " directory",
                "vms list --url http://engine:0|--url (or STILLWATER_URL) is an address such as",
                "vms start|which VMs?",
                "vms start a --filter b=c|takes the place of names",
                "vms list --token-file a --user b|takes the place of --user",
                "vms list --password-file a|needs --user",
                "vms|Lists, watches and commands virtual machines.",
                "completion tcsh|tcsh",
            })
    @DisplayName("reports mistakes in its arguments")
    void usage(String words, String told) {
        assertThat(run(words.split(" "))).isEqualTo(2);

        assertThat(err.toString()).contains(told);
        assertThat(requests).isEmpty();
    }

    @Test
    @DisplayName("gives VMs a tag, removes it, and lists their tags")
    void tags() {
        answer("/vms/web-1/tags/night shift", "{\"id\":\"1\",\"tags\":[\"blue\",\"night shift\"]}");

        assertThat(run("vms", "tag", "night shift", "web-1", "web-1", "web-2")).isOne();

        assertThat(requests)
                .containsExactly(
                        "PUT /api/v1/vms/web-1/tags/night%20shift",
                        "PUT /api/v1/vms/web-2/tags/night%20shift");
        assertThat(out.toString().lines()).containsExactly("web-1: blue, night shift");
        assertThat(err.toString()).contains("web-2: There is no such thing.");

        answer("/vms/web-1/tags/night shift", "{\"id\":\"1\",\"tags\":[]}");
        assertThat(run("vms", "untag", "night shift", "web-1")).isZero();
        assertThat(requests).contains("DELETE /api/v1/vms/web-1/tags/night%20shift");
        assertThat(out.toString()).contains("web-1: no tags");
    }

    @Test
    @DisplayName("explains every command")
    void help() {
        for (String command : List.of("vms", "hosts", "events", "operations")) {
            for (String action : List.of("list", "watch")) {
                assertThat(run(command, action, "--help")).isZero();
            }
        }
        assertThat(out.toString()).contains("--filter", "--columns", "--password-file", "--ca");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    @DisplayName("completes its words in three shells")
    void completion(String shell) {
        assertThat(run("completion", shell)).isZero();

        assertThat(out.toString()).contains("vms", "migrate", "filter", "demo", "fake-hosts");
    }

    @Test
    @DisplayName("completes every verb of the launcher")
    void verbs() throws IOException {
        assertThat(run("completion", "fish")).isZero();

        String verbs =
                Files.readAllLines(Path.of("../stillwater")).stream()
                        .filter(line -> line.startsWith("VERBS="))
                        .findFirst()
                        .orElseThrow();
        for (String verb : verbs.substring(verbs.indexOf('"') + 1, verbs.length() - 1).split(" ")) {
            assertThat(out.toString()).containsPattern("(?m) -a '?" + verb + "\\b");
        }
    }

    @ParameterizedTest
    @CsvSource({"90s,PT1M30S", "10m,PT10M", "6h,PT6H", "1d,PT24H", "PT5S,PT5S"})
    @DisplayName("reads time spans")
    void spans(String text, String span) {
        assertThat(Texts.duration(text)).hasToString(span);
    }

    @Test
    @DisplayName("records hosts into a file, and stops a recording that runs")
    void record() throws IOException {
        String stopped =
                "{\"state\":\"stopped\",\"hosts\":[\"h1\",\"h2\"],\"lines\":7,\"bytes\":300,"
                        + "\"ended\":\"time\"}";
        answer("/engine/host-recording", stopped);
        answer("/engine/host-recording/stop", stopped);
        answer("/engine/host-recording/file", "{\"kind\":\"recording\"}\n");
        Path file = folder.resolve("hosts.recording");

        int code =
                run(
                        "record",
                        "--host",
                        "h1",
                        "--host",
                        "h2",
                        "--for",
                        "5m",
                        "--out",
                        file.toString());

        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(file).hasContent("{\"kind\":\"recording\"}\n");
        assertThat(out.toString()).contains("7 lines, 300 bytes, of h1, h2").contains("time");
        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/engine/host-recording"
                                + " {\"hosts\":[\"h1\",\"h2\"],\"seconds\":300}",
                        "GET /api/v1/engine/host-recording/file");

        assertThat(run("record", "--stop", "--out", file.toString())).isZero();
        assertThat(requests).contains("POST /api/v1/engine/host-recording/stop {}");
        assertThat(run("record", "--out", file.toString())).isEqualTo(2);
        assertThat(run("record", "--host", "h", "--for", "soon", "--out", file.toString()))
                .isEqualTo(2);
        Path none = folder.resolve("none").resolve("file");
        assertThat(run("record", "--host", "h", "--out", none.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("cannot write " + none + ": it does not exist");
        answers.remove("/api/v1/engine/host-recording");
        assertThat(run("record", "--host", "h", "--out", file.toString())).isEqualTo(1);
        assertThat(folder.resolve("hosts.recording.part")).doesNotExist();
    }

    @Test
    @DisplayName("asks for as many entries at once as the engine gives")
    void boundOfPages() {
        first.put("/api/v1/operations", new Answer(400, "{\"detail\":\"limit must be 1 to 50\"}"));
        answer("/operations", "{\"items\":[],\"next\":null}");
        assertThat(run("operations", "list", "--limit", "700")).isZero();
        assertThat(requests)
                .containsExactly(
                        "GET /api/v1/operations?limit=700", "GET /api/v1/operations?limit=50");

        requests.clear();
        first.put("/api/v1/vms", new Answer(400, "{\"detail\":\"limit must be 1 to 2\"}"));
        answer(
                "/vms",
                "{\"revision\":1,\"items\":[{\"id\":\"1\",\"name\":\"a\"},"
                        + "{\"id\":\"2\",\"name\":\"b\"}],\"next\":\"c\"}");
        assertThat(run("vms", "list", "--columns", "name", "--limit", "4")).isZero();
        assertThat(requests)
                .extracting(each -> each.replaceAll(".*(limit=\\d+).*", "$1"))
                .containsExactly("limit=4", "limit=2", "limit=2");
        assertThat(out.toString()).contains("a").contains("b");
    }

    @Test
    @DisplayName("shows the engine's refusal of a limit that no bound explains")
    void limitRefused() {
        answers.put("/api/v1/events", new Answer(400, "{\"detail\":\"limit must be 1 to 5000\"}"));
        assertThat(run("events", "list")).isEqualTo(Exit.REFUSED);
        assertThat(requests).hasSize(1);
        assertThat(err.toString()).contains("limit must be 1 to 5000");
    }

    @Test
    @DisplayName("asks for changes of a list without its order")
    void changesHaveNoOrder() {
        first.put("/api/v1/vms", new Answer(200, "{\"revision\":7,\"items\":[],\"next\":null}"));
        answer("/vms", "{\"revision\":8,\"items\":[{\"id\":\"1\",\"name\":\"a\"}],\"removed\":[]}");
        answer("/stream", ": open\n\n");
        assertThat(run("vms", "list", "--watch", "--order", "name", "--changes", "1", "-c", "name"))
                .isZero();
        List<String> lists = requests.stream().filter(each -> each.contains("/vms")).toList();
        assertThat(lists).hasSize(2);
        assertThat(lists.getFirst()).contains("sort=name").doesNotContain("since=");
        assertThat(lists.getLast()).contains("since=7").doesNotContain("sort=");
    }

    /** Each of these is JSON, and none is an answer of an engine. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vms list|{}",
                "vms list|{\"items\":[]}",
                "vms list|[]",
                "vms list|{\"items\":[],\"revision\":99999999999999999999}",
                "events list|{\"items\":[1,null]}",
                "events list|{\"items\":[{\"id\":\"x\"}]}",
            })
    @DisplayName("reports an answer that no engine gives")
    void noEngine(String line, String answer) {
        answer("/" + line.split(" ")[0], answer);
        assertThat(run(line.split(" "))).isEqualTo(3);
        assertThat(err.toString())
                .contains("the answer is not that of a Stillwater engine")
                .doesNotContain("defect");
    }

    @Test
    @DisplayName("refuses a token that no header can have")
    void brokenToken() {
        environment.put("STILLWATER_TOKEN", "abc\ndef");
        assertThat(run("vms", "list")).isEqualTo(2);
        assertThat(err.toString()).contains("the token has").doesNotContain("abc", "defect");
        assertThat(requests).isEmpty();
    }

    @Test
    @DisplayName("refuses to write a recording over a folder, before anything is recorded")
    void recordingIsAFile() throws IOException {
        Path taken = Files.createDirectory(folder.resolve("taken"));
        for (String out : List.of(taken.toString(), "/", "")) {
            assertThat(run("record", "--host", "h", "--out", out)).as(out).isEqualTo(2);
            assertThat(err.toString()).as(out).contains("--out is the name of a file");
        }
        assertThat(requests).isEmpty();
        assertThat(taken).isEmptyDirectory();
    }

    @Test
    @DisplayName("does not take an address with a blank for two engines")
    void blankInAnAddress() {
        assertThat(run("vms", "list", "--url", "http://localhost/a b")).isEqualTo(2);
        assertThat(err.toString()).contains("is an address such as").doesNotContain("several");
    }
}
