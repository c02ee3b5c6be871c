package org.stillwater.benchmarks.console;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.ProcessCpu;
import tools.jackson.databind.JsonNode;

/** A Chromium of its own, with an empty profile and one page. One thread uses it. */
public final class Chromium implements AutoCloseable {

    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration REST = Duration.ofSeconds(2);
    private static final Duration REST_LOOK = Duration.ofMillis(250);
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 800;

    private final ChildProcess process;
    private final DevTools tools;
    private final String page;
    private final List<String> workers = new CopyOnWriteArrayList<>();

    private Chromium(ChildProcess process, DevTools tools)
            throws IOException, InterruptedException {
        this.process = process;
        this.tools = tools;
        JsonNode target =
                tools.call(
                        DevTools.BROWSER,
                        "Target.createTarget",
                        Map.of("url", "about:blank"),
                        PATIENCE);
        page =
                tools.call(
                                DevTools.BROWSER,
                                "Target.attachToTarget",
                                Map.of(
                                        "targetId",
                                        target.path("targetId").asString(),
                                        "flatten",
                                        true),
                                PATIENCE)
                        .path("sessionId")
                        .asString();
        tools.listen(this::attached);
        JsonNode _ =
                command(
                        "Target.setAutoAttach",
                        Map.of(
                                "autoAttach",
                                true,
                                "waitForDebuggerOnStart",
                                false,
                                "flatten",
                                true));
        JsonNode _ = command("Page.enable", Map.of());
        JsonNode _ = command("Performance.enable", Map.of());
        JsonNode _ =
                command(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of(
                                "width",
                                WIDTH,
                                "height",
                                HEIGHT,
                                "deviceScaleFactor",
                                1,
                                "mobile",
                                false));
    }

    /**
     * Starts it.
     *
     * @param program Chromium's program
     * @param folder for its profile and log; emptied
     * @throws BenchFailure if it does not start
     */
    public static Chromium start(Path program, Path folder)
            throws IOException, InterruptedException {
        Folders.makeEmpty(folder);
        Path profile = folder.resolve("profile");
        ChildProcess process =
                ChildProcess.start(
                        "Chromium",
                        List.of(
                                program.toString(),
                                "--headless=new",
                                "--no-sandbox", // its sandbox does not start in containers
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-extensions",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--lang=en-US",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile.toAbsolutePath(),
                                "about:blank"),
                        folder.resolve("chromium.log"),
                        STOP_TIMEOUT);
        try {
            return new Chromium(process, DevTools.connect(address(process, profile)));
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** Chromium writes its port and path to a file in its profile. */
    private static URI address(ChildProcess process, Path profile)
            throws IOException, InterruptedException {
        HarnessClock clock = new HarnessClock();
        Path file = profile.resolve("DevToolsActivePort");
        long deadline = clock.nanoTime() + START_PATIENCE.toNanos();
        while (clock.nanoTime() - deadline < 0) {
            process.requireAlive();
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() >= 2) {
                return URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1));
            }
            clock.waitUntil(clock.nanoTime() + LOOK.toNanos());
        }
        throw new BenchFailure(
                "Chromium did not start within " + START_PATIENCE.toSeconds() + " s");
    }

    /**
     * Waits until its own start is over: its processes take over a second of processor time for
     * that, beside the page. Pages of a browser that is open already do not share the cores with
     * it.
     *
     * @throws BenchFailure if it does not rest within a minute
     */
    public void awaitRest() throws IOException, InterruptedException {
        HarnessClock clock = new HarnessClock();
        ProcessCpu cpu = ProcessCpu.ofThisMachine();
        QuietTime quiet = new QuietTime(REST);
        long deadline = clock.nanoTime() + PATIENCE.toNanos();
        while (!quiet.add(clock.nanoTime(), cpu.nanosOfTree(process.pid()))) {
            process.requireAlive();
            if (clock.nanoTime() - deadline > 0) {
                throw new BenchFailure(
                        "Chromium did not rest within " + PATIENCE.toSeconds() + " s");
            }
            clock.waitUntil(clock.nanoTime() + REST_LOOK.toNanos());
        }
    }

    private void attached(DevTools.Event event) {
        if (event.method().equals("Target.attachedToTarget")
                && event.parameters().path("targetInfo").path("type").asString().equals("worker")) {
            workers.add(event.parameters().path("sessionId").asString());
        }
        if (event.method().equals("Target.detachedFromTarget")) {
            workers.remove(event.parameters().path("sessionId").asString());
        }
    }

    /** Sends a command to the page. */
    JsonNode command(String method, Map<String, ?> parameters)
            throws IOException, InterruptedException {
        return tools.call(page, method, parameters, PATIENCE);
    }

    /** Sends a command to the browser itself. */
    JsonNode browserCommand(String method, Map<String, ?> parameters)
            throws IOException, InterruptedException {
        return tools.call(DevTools.BROWSER, method, parameters, PATIENCE);
    }

    /** Sends a command to each worker of the page. */
    List<JsonNode> workerCommand(String method) throws IOException, InterruptedException {
        List<JsonNode> answers = new ArrayList<>();
        for (String worker : workers) {
            answers.add(tools.call(worker, method, Map.of(), PATIENCE));
        }
        return answers;
    }

    /** Passes on the events of the browser, the page and its workers. */
    void listen(Consumer<DevTools.Event> listener) {
        tools.listen(listener);
    }

    /** The value of an expression on the page; a promise is awaited. */
    JsonNode evaluate(String expression) throws IOException, InterruptedException {
        return evaluate(page, expression);
    }

    /** The value of an expression in the page's only worker. */
    JsonNode evaluateInWorker(String expression) throws IOException, InterruptedException {
        if (workers.size() != 1) {
            throw new IOException("the page has " + workers.size() + " workers, not one");
        }
        return evaluate(workers.getFirst(), expression);
    }

    private JsonNode evaluate(String session, String expression)
            throws IOException, InterruptedException {
        JsonNode answer =
                tools.call(
                        session,
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                expression,
                                "awaitPromise",
                                true,
                                "returnByValue",
                                true),
                        PATIENCE);
        if (answer.has("exceptionDetails")) {
            throw new IOException("the page failed: " + answer.path("exceptionDetails"));
        }
        return answer.path("result").path("value");
    }

    @Override
    public void close() {
        tools.close();
        process.close();
    }
}
