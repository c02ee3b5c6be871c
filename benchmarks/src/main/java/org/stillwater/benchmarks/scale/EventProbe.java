package org.stillwater.benchmarks.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How fast an event travels. VMs are paused one by one at an even pace, each once, and each event
 * is followed to three destinations:
 *
 * <ul>
 *   <li><b>memory</b>: one in {@value #MEMORY_SAMPLE} is requested through the REST interface again
 *       and again until the answer has changed;
 *   <li><b>subscriber</b>: its delta arrives on the event stream, here in another process;
 *   <li><b>committed</b>: PostgreSQL's own stamp of the commit that last wrote its row.
 * </ul>
 *
 * <p>Every latency starts when this harness asks the simulator for the change, so it includes that
 * request (some tenths of a millisecond): the figures are upper bounds.
 */
final class EventProbe {

    private static final int MEMORY_SAMPLE = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");
    private static final Pattern PAUSED =
            Pattern.compile("\"status\":\"paused\"", Pattern.CASE_INSENSITIVE);
    private static final double NANOS_PER_MILLI = 1_000_000.0;

    private final EngineProcess engine;
    private final SimulatorProcess simulator;
    private final HarnessClock clock;

    /** When each VM was changed, by the shared monotonic clock. */
    private final Map<String, Long> asked = new ConcurrentHashMap<>();

    private final Map<String, Long> seenBySubscriber = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Double> memoryMillis = new ConcurrentLinkedQueue<>();

    EventProbe(EngineProcess engine, SimulatorProcess simulator, HarnessClock clock) {
        this.engine = engine;
        this.simulator = simulator;
        this.clock = clock;
    }

    /**
     * Measured latencies.
     *
     * @param sent changes made
     * @param memory to the REST answer
     * @param subscriber to the event stream
     * @param committed to the commit
     */
    record Latencies(
            int sent, Distribution memory, Distribution subscriber, Distribution committed) {

        static final Latencies NONE =
                new Latencies(0, Distribution.NONE, Distribution.NONE, Distribution.NONE);
    }

    /** Pauses these VMs, which were not paused before. */
    Latencies measure(List<String> chosen, int perSecond) throws IOException, InterruptedException {
        int count = chosen.size();
        CountDownLatch caughtUp = new CountDownLatch(1);
        // Closed in reverse order: the stream first, which ends its reader, then the threads.
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                InputStream stream = engine.http().open("/api/v1/stream?entity=vm&view=light")) {
            threads.execute(() -> follow(stream, caughtUp));
            if (!caughtUp.await(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS)) {
                throw new BenchFailure("the event stream sent no snapshot in time");
            }
            send(chosen, perSecond, threads);
            waitForSubscriber(count);
        }
        return new Latencies(
                count,
                Distribution.ofMillis(
                        memoryMillis.stream().mapToDouble(Double::doubleValue).toArray()),
                Distribution.ofMillis(subscriberMillis()),
                Distribution.ofMillis(committedMillis(chosen)));
    }

    private void send(List<String> vms, int perSecond, ExecutorService threads)
            throws InterruptedException {
        long start = clock.nanoTime();
        long pauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        for (int i = 0; i < vms.size(); i++) {
            clock.waitUntil(start + i * pauseNanos);
            String vm = vms.get(i);
            boolean sampled = i % MEMORY_SAMPLE == 0;
            threads.execute(() -> change(vm, sampled));
        }
    }

    private void change(String vm, boolean sampled) {
        try {
            long before = clock.nanoTime();
            asked.put(vm, before);
            simulator.pause(vm);
            long deadline = before + PATIENCE.toNanos();
            while (sampled && clock.nanoTime() < deadline) {
                if (PAUSED.matcher(engine.http().get("/api/v1/vms/" + vm)).find()) {
                    memoryMillis.add((clock.nanoTime() - before) / NANOS_PER_MILLI);
                    return;
                }
            }
        } catch (IOException e) {
            asked.remove(vm); // the simulator refused or the engine was gone: not measured
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow(InputStream stream, CountDownLatch caughtUp) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            boolean deltas = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("event: snapshot-end")) {
                    deltas = true;
                    caughtUp.countDown();
                } else if (deltas && line.startsWith("data:")) {
                    long now = clock.nanoTime();
                    String vm = idOf(line);
                    if (vm != null && asked.containsKey(vm) && PAUSED.matcher(line).find()) {
                        seenBySubscriber.putIfAbsent(vm, now);
                    }
                }
            }
        } catch (IOException closed) {
            caughtUp.countDown(); // the measurement is over, or the engine has ended and reported
            // that
        }
    }

    private static @Nullable String idOf(String line) {
        Matcher id = ID.matcher(line);
        return id.find() ? id.group(1) : null;
    }

    private void waitForSubscriber(int count) throws InterruptedException {
        long deadline = clock.nanoTime() + PATIENCE.toNanos();
        while (seenBySubscriber.size() < count && clock.nanoTime() < deadline) {
            clock.waitUntil(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private double[] subscriberMillis() {
        return seenBySubscriber.entrySet().stream()
                .filter(seen -> asked.containsKey(seen.getKey()))
                .mapToDouble(seen ->
                        (seen.getValue() - asked.getOrDefault(seen.getKey(), 0L)) / NANOS_PER_MILLI)
                .toArray();
    }

    private double[] committedMillis(List<String> vms) throws IOException {
        return CommitStamps.millis(engine, vms, clock).entrySet().stream()
                .filter(commit -> asked.containsKey(commit.getKey()))
                .mapToDouble(commit ->
                        commit.getValue()
                                - asked.getOrDefault(commit.getKey(), 0L) / NANOS_PER_MILLI)
                .filter(millis -> millis > 0) // below: the row was not written since
                .toArray();
    }
}
