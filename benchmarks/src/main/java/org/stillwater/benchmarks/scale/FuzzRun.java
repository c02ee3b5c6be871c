package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.stillwater.benchmarks.api.HttpLoadConnection;

/** Malformed requests against a running engine. Seeded: the same seed sends the same requests. */
public final class FuzzRun {

    private static final int MOST_TOLD = 20;
    private static final int MOST_WARM_UP = 5_000;

    /** Differences of heap, files and threads between two readings of an engine at rest. */
    private static final long HEAP_PLAY = 24L << 20;

    private static final int FILE_PLAY = 32;
    private static final int THREAD_PLAY = 16;

    private final StablePlan plan;
    private final int requests;
    private final long seed;
    private final int schemathesis;
    private final PrintStream out;

    /**
     * A run.
     *
     * @param requests how many are sent
     * @param seed of the requests
     * @param schemathesis how many examples of each operation schemathesis tries then; 0 for none
     * @param progress receives the progress
     */
    public FuzzRun(
            StablePlan plan, int requests, long seed, int schemathesis, PrintStream progress) {
        this.plan = plan;
        this.requests = requests;
        this.seed = seed;
        this.schemathesis = schemathesis;
        this.out = progress;
    }

    /**
     * Resources of an engine at one moment.
     *
     * @param heapBytes live heap
     * @param threads platform threads
     * @param files open files, connections among them; −1 if this system does not report them
     */
    public record Held(long heapBytes, long threads, long files) {}

    /**
     * Answers to the requests.
     *
     * @param statuses how many were answered with each status; 0 for a connection that was closed
     *     instead, unannounced
     * @param serverErrors how many were answered with a server error other than 503, which is a
     *     refusal
     * @param errors the first server errors and unanswered requests
     * @param before resources of the engine once it was warm
     * @param after its resources at the end
     * @param schemathesis findings of schemathesis; empty for none, or if it was not to run
     */
    public record Result(
            long seed,
            Map<Integer, Integer> statuses,
            int serverErrors,
            List<String> errors,
            Held before,
            Held after,
            String schemathesis) {

        public Result {
            statuses = Map.copyOf(statuses);
            errors = List.copyOf(errors);
        }

        /** Resources that grew; empty for none. */
        public List<String> leaks() {
            List<String> leaks = new ArrayList<>();
            if (after.heapBytes() > before.heapBytes() + before.heapBytes() / 4 + HEAP_PLAY) {
                leaks.add("heap");
            }
            if (after.threads() > before.threads() + THREAD_PLAY) {
                leaks.add("threads");
            }
            if (after.files() > before.files() + FILE_PLAY) {
                leaks.add("connections or files");
            }
            return leaks;
        }

        /** How many were not answered. */
        public int unanswered() {
            return statuses.getOrDefault(0, 0);
        }

        /** Whether all were answered without a server error, and nothing is held that was not. */
        public boolean isFine() {
            return serverErrors == 0
                    && unanswered() == 0
                    && leaks().isEmpty()
                    && schemathesis.isEmpty();
        }

        /** Table for people; its last line is the summary. */
        public String table() {
            StringBuilder text = new StringBuilder("seed " + seed + "\n");
            new TreeMap<>(statuses)
                    .forEach((status, count) ->
                            text.append(String.format(Locale.ROOT, "%5d: %d%n", status, count)));
            errors.forEach(error -> text.append("wrong: ").append(error).append('\n'));
            if (!schemathesis.isEmpty()) {
                text.append(schemathesis).append('\n');
            }
            text.append(
                    String.format(
                            Locale.ROOT,
                            "live heap %.1f MiB before, %.1f MiB after; threads %d before, %d"
                                    + " after; open files %d before, %d after%n",
                            before.heapBytes() / 1048576.0,
                            after.heapBytes() / 1048576.0,
                            before.threads(),
                            after.threads(),
                            before.files(),
                            after.files()));
            text.append(
                    String.format(
                            Locale.ROOT,
                            "fuzz: %d requests, %d server errors, %d unanswered, leaks: %s,"
                                    + " schemathesis: %s: %s%n",
                            statuses.values().stream().mapToInt(Integer::intValue).sum(),
                            serverErrors,
                            unanswered(),
                            leaks().isEmpty() ? "none" : String.join(", ", leaks()),
                            schemathesis.isEmpty() ? "nothing found" : "found something",
                            isFine() ? "fine" : "NOT FINE"));
            return text.toString();
        }
    }

    /** Sends them all. */
    public Result run() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> fuzz(bed, engine, simulator));
    }

    private Result fuzz(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        List<String> ids = new ArrayList<>(simulator.vms().keySet());
        ids.addAll(
                List.of("00000000-0000-0000-0000-000000000000", "no-uuid", "%2e%2e", "%00", "%"));
        FuzzRequests made = new FuzzRequests(seed, ids);
        Tally tally = new Tally();
        bed.say("%d requests, seed %d", requests, seed);
        try (JvmProbe probe = JvmProbe.attach(engine.pid());
                HttpLoadConnection wire = new HttpLoadConnection(engine.http().port())) {
            int warmUp = Math.min(MOST_WARM_UP, requests / 5);
            tally.send(wire, made, warmUp);
            Held before = held(engine, probe);
            tally.send(wire, made, requests - warmUp);
            engine.requireAlive();
            Held after = held(engine, probe);
            String found =
                    schemathesis == 0
                            ? ""
                            : SchemathesisRun.run(engine.http().port(), schemathesis, seed, out);
            engine.requireAlive();
            return new Result(
                    seed, tally.statuses, tally.serverErrors, tally.errors, before, after, found);
        }
    }

    private static Held held(EngineProcess engine, JvmProbe probe)
            throws IOException, InterruptedException {
        return new Held(
                probe.liveHeapBytes(),
                (long) engine.meters().sum("jvm_threads_live_threads"),
                files(engine.pid()));
    }

    private static long files(long pid) {
        long count = 0;
        try (DirectoryStream<Path> open =
                Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Path _ : open) {
                count++;
            }
            return count;
        } catch (IOException _) {
            return -1;
        }
    }

    /** Answers so far. */
    private static final class Tally {

        private final Map<Integer, Integer> statuses = new TreeMap<>();
        private final List<String> errors = new ArrayList<>();
        private int serverErrors;

        void send(HttpLoadConnection wire, FuzzRequests made, int count) {
            for (int i = 0; i < count; i++) {
                FuzzRequests.Request request = made.next();
                int status;
                try {
                    byte[] bytes = request.text().getBytes(StandardCharsets.ISO_8859_1);
                    status = (request.head() ? wire.head(bytes) : wire.send(bytes)).status();
                } catch (IOException e) {
                    wire.close();
                    status = 0;
                }
                statuses.merge(status, 1, Integer::sum);
                boolean failed = status >= 500 && status != 503;
                if (failed) {
                    serverErrors++;
                }
                if (failed || status == 0) {
                    if (errors.size() < MOST_TOLD) {
                        errors.add(status + " " + request.text().replace("\r\n", " | "));
                    }
                }
            }
        }
    }
}
