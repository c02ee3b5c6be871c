package org.stillwater.benchmarks.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;
import tools.jackson.databind.JsonNode;

/** Measures one console that is open in a Chromium. One thread. */
public final class ConsoleProbe {

    private static final Duration LOAD_PATIENCE = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;
    private static final List<String> SORTED = List.of("name", "ip");
    private static final int GROWTH_LOOKS = 10;

    /** Counts the changes of VMs that the console's worker receives, by parsing each message. */
    private static final String COUNTING =
            """
            (() => {
              const parse = JSON.parse;
              self.stillwaterChanges = 0;
              JSON.parse = (text, ...rest) => {
                if (text.includes('"entity":"vm"')) self.stillwaterChanges++;
                return parse(text, ...rest);
              };
            })(), 0
            """;

    private final Chromium browser;
    private final HarnessClock clock = new HarnessClock();

    /** Opens nothing yet. */
    public ConsoleProbe(Chromium browser) {
        this.browser = browser;
    }

    /**
     * When rows were on the screen.
     *
     * @param firstRowsMillis since the navigation, the first ones
     * @param allRowsMillis since the navigation, all of them counted and the link live
     * @param kilobytes compressed scripts and styles, thousands of bytes
     */
    public record Load(double firstRowsMillis, double allRowsMillis, double kilobytes) {}

    /**
     * The page's main thread while nothing is touched.
     *
     * @param longestTaskMillis its longest task
     * @param share of the time that tasks take, 0 to 1
     */
    public record Rest(double longestTaskMillis, double share) {}

    /**
     * Memory of the page.
     *
     * @param heapMiB heaps and buffers of JavaScript, page and worker
     * @param domNodes nodes of the document
     */
    public record Memory(double heapMiB, double domNodes) {}

    /**
     * Opens the console and waits until it has all VMs.
     *
     * @throws BenchFailure if it has not after three minutes
     */
    public Load open(String address, int vms) throws IOException, InterruptedException {
        String script;
        try (InputStream in = ConsoleProbe.class.getResourceAsStream("/console/probe.js")) {
            if (in == null) {
                throw new IllegalStateException("probe.js is missing from the program");
            }
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        JsonNode _ =
                browser.command(
                        "Page.addScriptToEvaluateOnNewDocument",
                        Map.of("source", script.replace("/*vms*/ 0", Integer.toString(vms))));
        JsonNode _ = browser.command("Page.navigate", Map.of("url", address));
        long deadline = clock.nanoTime() + LOAD_PATIENCE.toNanos();
        while (clock.nanoTime() - deadline < 0) {
            JsonNode at =
                    browser.evaluate(
                            "(p => p && [p.firstRows, p.allRows])(window.stillwaterProbe)");
            if (at.path(1).asDouble(0) > 0) {
                double bytes = 0;
                for (JsonNode file : browser.evaluate("stillwaterProbe.loadedBytes()")) {
                    bytes += file.path(1).asDouble(0);
                }
                return new Load(at.path(0).asDouble(), at.path(1).asDouble(), bytes / 1000);
            }
            pause(LOOK);
        }
        throw new BenchFailure(
                "the console does not show all VMs; it shows: "
                        + browser.evaluate("document.body.innerText.slice(0, 500)").asString(""));
    }

    /** The requests of the load, a line each: from its begin to the first and the last byte. */
    public List<String> requests() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JsonNode request : browser.evaluate("stillwaterProbe.requests()")) {
            lines.add(
                    "%s: begun at %.0f ms, first byte at %.0f, last at %.0f"
                            .formatted(
                                    request.path(0).asString(""),
                                    request.path(1).asDouble(),
                                    request.path(2).asDouble(),
                                    request.path(3).asDouble()));
        }
        return lines;
    }

    /** Begins to count the changes that the console receives; once, after it was opened. */
    public void countChanges() throws IOException, InterruptedException {
        JsonNode _ = browser.evaluateInWorker(COUNTING);
    }

    /** Changes of VMs that the console has received since the count began. */
    public long changes() throws IOException, InterruptedException {
        return browser.evaluateInWorker("stillwaterChanges").asLong();
    }

    /** Measures the main thread for some time; the page is not touched. */
    public Rest atRest(Duration time) throws IOException, InterruptedException {
        TaskTrace trace = new TaskTrace();
        CountDownLatch complete = new CountDownLatch(1);
        boolean[] lost = {false};
        browser.listen(event -> {
            if (event.method().equals("Tracing.dataCollected")) {
                trace.add(event.parameters().path("value"));
            } else if (event.method().equals("Tracing.tracingComplete")) {
                lost[0] = event.parameters().path("dataLossOccurred").asBoolean(false);
                complete.countDown();
            }
        });
        JsonNode _ =
                browser.browserCommand(
                        "Tracing.start",
                        Map.of(
                                "transferMode",
                                "ReportEvents",
                                "traceConfig",
                                Map.of(
                                        "includedCategories",
                                        List.of(TaskTrace.CATEGORY),
                                        "excludedCategories",
                                        List.of("*"))));
        double[] before = taskSeconds();
        pause(time);
        double[] after = taskSeconds();
        JsonNode _ = browser.browserCommand("Tracing.end", Map.of());
        if (!complete.await(2, TimeUnit.MINUTES)) {
            throw new BenchFailure("Chromium did not hand over its trace");
        }
        return new Rest(
                lost[0] ? Double.NaN : trace.longestMillis(),
                (after[0] - before[0]) / (after[1] - before[1]));
    }

    /** Seconds of tasks so far, and the page's clock. */
    private double[] taskSeconds() throws IOException, InterruptedException {
        double tasks = Double.NaN;
        double now = Double.NaN;
        for (JsonNode metric :
                browser.command("Performance.getMetrics", Map.of()).path("metrics")) {
            switch (metric.path("name").asString("")) {
                case "TaskDuration" -> tasks = metric.path("value").asDouble();
                case "Timestamp" -> now = metric.path("value").asDouble();
                default -> {
                    // one of many others
                }
            }
        }
        return new double[] {tasks, now};
    }

    /** Intervals between frames, milliseconds, while the list scrolls for some time. */
    public double[] frames(Duration time) throws IOException, InterruptedException {
        JsonNode _ = browser.evaluate("stillwaterProbe.frames(" + time.toMillis() + "), 0");
        pause(time);
        double[] frames = numbers(browser.evaluate("stillwaterProbe.pending"));
        JsonNode _ = browser.evaluate("stillwaterProbe.top(), 0");
        return frames;
    }

    private static double[] numbers(JsonNode array) {
        double[] numbers = new double[array.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = array.get(i).asDouble();
        }
        return numbers;
    }

    /**
     * Types words into the search field, a key at a time; each key has to change the count of rows.
     *
     * @return milliseconds from each key to the frame with its rows
     */
    public double[] type(List<String> words) throws IOException, InterruptedException {
        List<Double> millis = new ArrayList<>();
        for (String word : words) {
            JsonNode _ =
                    browser.evaluate(
                            "(field => { field.focus(); field.select();"
                                    + " })(document.querySelector('#search')), 0");
            for (int i = 0; i < word.length(); i++) {
                JsonNode _ = browser.evaluate("stillwaterProbe.keystroke(), 0");
                key(word.substring(i, i + 1));
                add(
                        millis,
                        browser.evaluate("stillwaterProbe.pending").asDouble(),
                        "key %d of %s".formatted(i + 1, word));
            }
        }
        JsonNode _ =
                browser.evaluate(
                        "(field => { field.value = ''; field.dispatchEvent(new Event('input', {"
                                + " bubbles: true })); field.blur();"
                                + " })(document.querySelector('#search')), 0");
        pause(Duration.ofSeconds(1));
        return millis.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private void key(String letter) throws IOException, InterruptedException {
        JsonNode _ =
                browser.command(
                        "Input.dispatchKeyEvent",
                        Map.of("type", "keyDown", "key", letter, "text", letter));
        JsonNode _ =
                browser.command("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", letter));
    }

    /** A latency that never came is a failure of the measurement, not a figure. */
    private static void add(List<Double> all, double millis, String input) {
        if (millis < 0) {
            throw new BenchFailure("the console did not answer %s in ten seconds".formatted(input));
        }
        all.add(millis);
    }

    /**
     * Sorts by clicks on titles, up and down.
     *
     * @return milliseconds from each click to the frame in the new order
     */
    public double[] sort(int rounds) throws IOException, InterruptedException {
        // From the other end: rows in trouble, which are first at present, may be first by name,
        // too.
        for (int click = 0; click < 2; click++) {
            click(browser.evaluate("stillwaterProbe.title('" + SORTED.getLast() + "')"));
            pause(Duration.ofSeconds(1));
        }
        List<Double> millis = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (String column : SORTED) {
                for (int click = 0; click < 2; click++) {
                    JsonNode _ = browser.evaluate("stillwaterProbe.sort(), 0");
                    click(browser.evaluate("stillwaterProbe.title('" + column + "')"));
                    add(
                            millis,
                            browser.evaluate("stillwaterProbe.pending").asDouble(),
                            "click %d on %s".formatted(click + 1, column));
                }
            }
        }
        return millis.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * Finds VMs by name, one after the other, and starts each as a user does: select, Start,
     * confirm the dry run.
     *
     * @param names of VMs that are down
     * @return milliseconds from each confirming click to the frame with the changed row
     */
    public double[] start(List<String> names) throws IOException, InterruptedException {
        double[] millis = new double[names.size()];
        for (int i = 0; i < millis.length; i++) {
            String name = names.get(i);
            JsonNode _ = browser.evaluate("stillwaterProbe.dismiss(), 0");
            search("name:" + name);
            click(place("stillwaterProbe.found('" + name + "')", name));
            click(place("stillwaterProbe.startButton()", "the button Start"));
            JsonNode confirm = place("stillwaterProbe.confirmButton()", "the dry run of " + name);
            JsonNode _ = browser.evaluate("stillwaterProbe.start(), 0");
            click(confirm);
            millis[i] = browser.evaluate("stillwaterProbe.pending").asDouble();
            if (millis[i] < 0) {
                throw new BenchFailure("no row showed the start of " + name + " in ten seconds");
            }
        }
        search("");
        return millis;
    }

    private void search(String words) throws IOException, InterruptedException {
        JsonNode _ = browser.evaluate("stillwaterProbe.search('" + words + "'), 0");
    }

    /** Position of an element as soon as it exists. */
    private JsonNode place(String expression, String what)
            throws IOException, InterruptedException {
        JsonNode at = browser.evaluate(expression);
        if (!at.has("x")) {
            throw new BenchFailure(
                    "the console does not show %s in ten seconds; it shows: %s"
                            .formatted(
                                    what,
                                    browser.evaluate("document.body.innerText.slice(0, 500)")
                                            .asString("")));
        }
        return at;
    }

    private void click(JsonNode at) throws IOException, InterruptedException {
        for (String type : List.of("mousePressed", "mouseReleased")) {
            JsonNode _ =
                    browser.command(
                            "Input.dispatchMouseEvent",
                            Map.of(
                                    "type",
                                    type,
                                    "x",
                                    at.path("x").asDouble(),
                                    "y",
                                    at.path("y").asDouble(),
                                    "button",
                                    "left",
                                    "clickCount",
                                    1));
        }
    }

    /** Memory of page and worker after a collection. */
    public Memory memory() throws IOException, InterruptedException {
        JsonNode _ = browser.command("HeapProfiler.collectGarbage", Map.of());
        List<JsonNode> _ = browser.workerCommand("HeapProfiler.collectGarbage");
        double bytes = heap(browser.command("Runtime.getHeapUsage", Map.of()));
        List<JsonNode> workers = browser.workerCommand("Runtime.getHeapUsage");
        if (workers.isEmpty()) {
            throw new BenchFailure("Chromium does not show the console's worker");
        }
        for (JsonNode worker : workers) {
            bytes += heap(worker);
        }
        double nodes = browser.command("Memory.getDOMCounters", Map.of()).path("nodes").asDouble();
        return new Memory(bytes / BYTES_PER_MEBIBYTE, nodes);
    }

    /**
     * How fast the heap grows while the page is not touched: the slope of a line through the heap
     * after collections, by least squares.
     *
     * @return mebibytes a second
     */
    public double growth(Duration time) throws IOException, InterruptedException {
        double[] seconds = new double[GROWTH_LOOKS + 1];
        double[] mebibytes = new double[GROWTH_LOOKS + 1];
        long begun = clock.nanoTime();
        for (int look = 0; look <= GROWTH_LOOKS; look++) {
            clock.waitUntil(begun + look * (time.toNanos() / GROWTH_LOOKS));
            mebibytes[look] = memory().heapMiB();
            seconds[look] = (clock.nanoTime() - begun) / 1e9;
        }
        return slope(seconds, mebibytes);
    }

    /** The slope of the line through points with the least squares of distances in y. */
    static double slope(double[] x, double[] y) {
        double middleX = Arrays.stream(x).average().orElseThrow();
        double middleY = Arrays.stream(y).average().orElseThrow();
        double both = 0;
        double squares = 0;
        for (int i = 0; i < x.length; i++) {
            both += (x[i] - middleX) * (y[i] - middleY);
            squares += (x[i] - middleX) * (x[i] - middleX);
        }
        return both / squares;
    }

    private static double heap(JsonNode usage) {
        return usage.path("usedSize").asDouble(0) + usage.path("backingStorageSize").asDouble(0);
    }

    /** A percentile by nearest rank. */
    public static double percentile(double[] values, int percent) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(sorted.length * (percent / 100.0));
        return sorted[Math.max(1, rank) - 1];
    }

    private void pause(Duration time) throws InterruptedException {
        clock.waitUntil(clock.nanoTime() + time.toNanos());
    }
}
