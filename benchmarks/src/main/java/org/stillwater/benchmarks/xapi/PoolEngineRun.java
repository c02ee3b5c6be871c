package org.stillwater.benchmarks.xapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.benchmarks.scale.ProcessCpu;
import org.stillwater.xapi.client.XapiEncoding;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the engine, in a process of its own, reaches with simulated pools in another one. */
public final class PoolEngineRun {

    /** What can be measured apart. */
    public enum Part {
        /** From the login until all VMs are listed, and what other readers feel meanwhile. */
        SYNC,
        /** From a change to a subscriber and to a row. */
        CHANGES,
        /** Many changes at once. */
        BURST,
        /** Pools in which nothing happens. */
        STABLE,
        /** The death of a host. */
        DEATH
    }

    /**
     * How much is measured.
     *
     * @param hosts of each pool
     * @param vms of each pool
     * @param rounds how often a pool is read again
     * @param changes how many VMs change, a hundred each second
     * @param pools how many stable pools
     * @param watch how long they are watched
     */
    public record Plan(int hosts, int vms, int rounds, int changes, int pools, Duration watch) {
        public Plan {
            if (hosts < 2 || vms < 1 || rounds < 0 || changes < 1 || pools < 1) {
                throw new IllegalArgumentException(
                        "there are 2 hosts or more, and 1 VM, change and pool or more");
            }
        }
    }

    private static final double MILLIS = 1e6;
    private static final int PER_SECOND = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CALM = Duration.ofSeconds(20);
    private static final Duration DEATH_PATIENCE = Duration.ofSeconds(120);
    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");
    private static final Pattern DOWN = Pattern.compile("\"status\":\"down\"");
    private static final Pattern SILENT = Pattern.compile("\"status\":\"non_responsive\"");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Plan plan;
    private final long seed;
    private final Path app;
    private final Path folder;
    private final String heap;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();
    private final List<Measure> measures = new ArrayList<>();

    /**
     * A run.
     *
     * @param app the engine's program, a folder with {@code app.jar}
     * @param folder where databases and logs go; emptied
     */
    public PoolEngineRun(
            Plan plan, long seed, Path app, Path folder, String heap, PrintStream out) {
        this.plan = plan;
        this.seed = seed;
        this.app = app;
        this.folder = folder.resolve("xapi");
        this.heap = heap;
        this.out = out;
    }

    /** Measures these parts, one after the other. */
    public List<Measure> measure(List<Part> parts)
            throws IOException, InterruptedException, SQLException {
        for (Part part : parts) {
            switch (part) {
                case SYNC -> {
                    sync(XapiEncoding.JSON_RPC, 600);
                    sync(XapiEncoding.XML_RPC, 1_500);
                }
                case CHANGES -> {
                    changes(false);
                    changes(true);
                }
                case BURST -> burst();
                case STABLE -> stable();
                case DEATH -> death();
            }
        }
        return List.copyOf(measures);
    }

    private void say(String what) {
        out.println(what);
        out.flush();
    }

    private void add(Part part, String what, String unit, double value, @Nullable Double target) {
        Measure measure =
                new Measure(
                        part.name().toLowerCase(java.util.Locale.ROOT), what, unit, value, target);
        measures.add(measure);
        say(measure.line());
    }

    private PoolProcess start(int pools, boolean batching)
            throws IOException, InterruptedException {
        return PoolProcess.start(
                new PoolProcess.Plan(
                        pools, plan.hosts(), plan.vms(), seed, "today", batching, true));
    }

    // ---------------------------------------------------------------------------------- sync

    /** A reader of the API beside the synchronisation, until something is shown. */
    private final class Reader {
        private final List<Double> millis = new ArrayList<>();

        /** Reads again and again. */
        void until(Http http, String path, java.util.function.Predicate<String> shown)
                throws IOException, InterruptedException {
            long deadline = clock.nanoTime() + PATIENCE.toNanos();
            while (true) {
                long asked = clock.nanoTime();
                String page = http.get(path);
                millis.add((clock.nanoTime() - asked) / MILLIS);
                if (shown.test(page)) {
                    return;
                }
                if (clock.nanoTime() > deadline) {
                    throw new BenchFailure(path + " does not show the pool within " + PATIENCE);
                }
            }
        }
    }

    private void sync(XapiEncoding encoding, double target)
            throws IOException, InterruptedException {
        say("Reading a pool of %d VMs by %s".formatted(plan.vms(), encoding));
        try (PoolProcess pools = start(1, false);
                Http control = new Http(pools.controlPort())) {
            String uuid = pools.pools().getFirst().uuid();
            String pool = "/pools/" + uuid + "/";
            String _ = control.post(pool + "boot", "{}");
            try (PoolEngine engine = PoolEngine.start(folder, app, heap, pools, encoding)) {
                engine.awaitServed();
                Reader reader = new Reader();
                long begun = clock.nanoTime();
                String _ = control.post(pool + "booted", "{}");
                reader.until(
                        engine.http(),
                        "/api/v1/vms?limit=1",
                        page -> PoolEngine.total(page) == plan.vms());
                add(
                        Part.SYNC,
                        encoding + ": login to all VMs listed, first one of the process",
                        "ms",
                        (clock.nanoTime() - begun) / MILLIS,
                        target);
                again(control, pool, engine, encoding, target, reader);
                rest(encoding, engine, reader);
            }
        }
    }

    /** The pool is lost and found; a VM that was renamed meanwhile shows when it is read. */
    private void again(
            Http control,
            String pool,
            PoolEngine engine,
            XapiEncoding encoding,
            double target,
            Reader reader)
            throws IOException, InterruptedException {
        if (plan.rounds() == 0) {
            return;
        }
        String vm = state(control).path("vms").path(plan.vms() - 1).path("uuid").asString();
        List<Double> took = new ArrayList<>();
        for (int i = 1; i <= plan.rounds(); i++) {
            String name = "read again " + i;
            String _ = control.post(pool + "boot", "{}");
            String _ = control.post("/vms/" + vm + "/rename", "{\"name\":\"" + name + "\"}");
            long begun = clock.nanoTime();
            String _ = control.post(pool + "booted", "{}");
            reader.until(engine.http(), "/api/v1/vms/" + vm, page -> page.contains(name));
            took.add((clock.nanoTime() - begun) / MILLIS);
        }
        add(
                Part.SYNC,
                encoding + ": pool back to a renamed VM shown, median of " + plan.rounds(),
                "ms",
                share(took, 0.5),
                target);
    }

    private void rest(XapiEncoding encoding, PoolEngine engine, Reader reader)
            throws IOException, InterruptedException {
        add(
                Part.SYNC,
                encoding + ": REST read meanwhile, p99.9 of " + reader.millis.size(),
                "ms",
                share(reader.millis, 0.999),
                5.0);
        add(
                Part.SYNC,
                encoding + ": REST read meanwhile, longest",
                "ms",
                share(reader.millis, 1),
                null);
        Meters meters = engine.meters();
        for (String what : List.of("process", "virtual_threads")) {
            add(
                    Part.SYNC,
                    encoding + ": longest stall, " + what,
                    "ms",
                    1_000 * meters.sum("stillwater_stall_longest_seconds", "what=\"" + what + "\""),
                    20.0);
        }
    }

    private static JsonNode state(Http control) throws IOException, InterruptedException {
        return JSON.readTree(control.get("/state")).path("pools").path(0);
    }

    /** The value below which this share of the values lies. */
    static double share(List<Double> values, double share) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = new ArrayList<>(values);
        sorted.sort(null);
        int rank = (int) Math.ceil(share * sorted.size());
        return sorted.get(Math.clamp(rank - 1, 0, sorted.size() - 1));
    }

    // ------------------------------------------------------------------------------- changes

    private static List<String> running(Http control) throws IOException, InterruptedException {
        List<String> running = new ArrayList<>();
        for (JsonNode vm : state(control).path("vms")) {
            if (vm.path("powerState").asString().equals("Running")) {
                running.add(vm.path("uuid").asString());
            }
        }
        return running;
    }

    /** VMs crash, which the simulator commits before it answers; a subscriber waits for it. */
    private final class Subscriber implements AutoCloseable {
        private final Map<String, Long> asked = new ConcurrentHashMap<>();
        private final Map<String, Long> seen = new ConcurrentHashMap<>();
        private final CountDownLatch caughtUp = new CountDownLatch(1);
        private final AtomicBoolean failed = new AtomicBoolean();
        private final InputStream stream;
        private final Thread thread;

        Subscriber(PoolEngine engine) throws IOException, InterruptedException {
            stream = engine.http().open("/api/v1/stream?entity=vm&view=light");
            thread = Thread.ofPlatform().daemon().name("subscriber").start(this::follow);
            if (!caughtUp.await(PATIENCE.toSeconds(), TimeUnit.SECONDS) || failed.get()) {
                throw new BenchFailure("the event stream sent no snapshot in time");
            }
        }

        private void follow() {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                boolean deltas = false;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.equals("event: snapshot-end")) {
                        deltas = true;
                        caughtUp.countDown();
                    } else if (deltas && line.startsWith("data:") && DOWN.matcher(line).find()) {
                        long now = clock.nanoTime();
                        Matcher id = ID.matcher(line);
                        if (id.find() && asked.containsKey(id.group(1))) {
                            seen.putIfAbsent(id.group(1), now);
                        }
                    }
                }
            } catch (IOException closed) {
                failed.set(true); // or the measurement is over
                caughtUp.countDown();
            }
        }

        void crash(Http control, String vm) throws IOException, InterruptedException {
            asked.put(vm, clock.nanoTime());
            String _ = control.post("/vms/" + vm + "/crash", "{}");
        }

        void awaitAll() throws InterruptedException {
            long deadline = clock.nanoTime() + PATIENCE.toNanos();
            while (seen.size() < asked.size() && clock.nanoTime() < deadline) {
                clock.waitUntil(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10));
            }
        }

        List<Double> millis() {
            List<Double> millis = new ArrayList<>();
            seen.forEach((vm, at) -> millis.add((at - asked.getOrDefault(vm, at)) / MILLIS));
            return millis;
        }

        @Override
        public void close() throws IOException {
            stream.close();
            thread.interrupt();
        }
    }

    private void changes(boolean batching) throws IOException, InterruptedException, SQLException {
        String servers = batching ? "servers gather" : "servers gather nothing";
        say("Changing VMs, %d each second; %s".formatted(PER_SECOND, servers));
        try (PoolProcess pools = start(1, batching);
                Http control = new Http(pools.controlPort());
                PoolEngine engine = PoolEngine.start(folder, app, heap, pools, null)) {
            engine.awaitVms(plan.vms());
            List<String> vms = running(control);
            vms = vms.subList(0, Math.min(vms.size(), plan.changes()));
            clock.waitUntil(clock.nanoTime() + CALM.toNanos());
            try (Subscriber subscriber = new Subscriber(engine);
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                Queue<Exception> failures = new ConcurrentLinkedQueue<>();
                long start = clock.nanoTime();
                for (int i = 0; i < vms.size(); i++) {
                    clock.waitUntil(start + i * TimeUnit.SECONDS.toNanos(1) / PER_SECOND);
                    String vm = vms.get(i);
                    threads.execute(() -> {
                        try {
                            subscriber.crash(control, vm);
                        } catch (IOException e) {
                            failures.add(e);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                }
                subscriber.awaitAll();
                List<Double> millis = subscriber.millis();
                if (!failures.isEmpty() || millis.size() < vms.size()) {
                    throw new BenchFailure(
                            "%d of %d changes were seen; %d were refused"
                                    .formatted(millis.size(), vms.size(), failures.size()));
                }
                told(servers + ": change to subscriber", millis, batching, 1, 8);
                told(
                        servers + ": change to row",
                        committed(engine, subscriber.asked),
                        batching,
                        5,
                        30);
            }
        }
    }

    private void told(String what, List<Double> millis, boolean batching, double p50, double p99) {
        String of = " of " + millis.size();
        add(Part.CHANGES, what + ", p50" + of, "ms", share(millis, 0.5), batching ? null : p50);
        add(Part.CHANGES, what + ", p99" + of, "ms", share(millis, 0.99), batching ? null : p99);
    }

    /** Commits are stamped by the wall clock: stamps are brought to the monotonic clock here. */
    private List<Double> committed(PoolEngine engine, Map<String, Long> asked)
            throws SQLException, InterruptedException {
        clock.waitUntil(clock.nanoTime() + TimeUnit.SECONDS.toNanos(2));
        Map<String, Double> commits = new HashMap<>();
        java.time.Instant wall = clock.now();
        double wallMillis = wall.getEpochSecond() * 1e3 + wall.getNano() / MILLIS;
        double shift = clock.nanoTime() / MILLIS - wallMillis;
        try (Connection connection = engine.connectToDatabase();
                PreparedStatement query =
                        connection.prepareStatement(
                                """
                                SELECT vm_guid::text,
                                       extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000
                                  FROM vm_dynamic
                                 WHERE vm_guid = ANY (?::uuid[])
                                """)) {
            Array ids = connection.createArrayOf("text", asked.keySet().toArray());
            query.setArray(1, ids);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    commits.put(rows.getString(1), rows.getDouble(2));
                }
            }
        }
        List<Double> millis = new ArrayList<>();
        commits.forEach((vm, at) -> {
            Long from = asked.get(vm);
            if (from != null) {
                millis.add(at + shift - from / MILLIS);
            }
        });
        return millis;
    }

    // --------------------------------------------------------------------------------- burst

    /** All running VMs crash as fast as the simulator can do it. */
    private void burst() throws IOException, InterruptedException {
        say("Changing many VMs at once");
        try (PoolProcess pools = start(1, false);
                Http control = new Http(pools.controlPort());
                PoolEngine engine = PoolEngine.start(folder, app, heap, pools, null)) {
            engine.awaitVms(plan.vms());
            clock.waitUntil(clock.nanoTime() + CALM.toNanos());
            List<String> vms = running(control);
            try (Subscriber subscriber = new Subscriber(engine);
                    ExecutorService threads = Executors.newFixedThreadPool(4)) {
                for (String vm : vms) {
                    threads.execute(() -> {
                        try {
                            subscriber.crash(control, vm);
                        } catch (IOException e) {
                            // Counted as not seen.
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                }
                threads.shutdown();
                if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new BenchFailure("the simulator does not change " + vms.size() + " VMs");
                }
                long changed = clock.nanoTime();
                subscriber.awaitAll();
                if (subscriber.seen.size() < vms.size()) {
                    throw new BenchFailure(
                            "%d of %d changes were seen"
                                    .formatted(subscriber.seen.size(), vms.size()));
                }
                long last = subscriber.seen.values().stream().mapToLong(at -> at).max().orElse(0);
                add(
                        Part.BURST,
                        "last of %d changes to the subscriber".formatted(vms.size()),
                        "ms",
                        Math.max(0, last - changed) / MILLIS,
                        500.0);
            }
        }
    }

    // -------------------------------------------------------------------------------- stable

    private void stable() throws IOException, InterruptedException {
        say("Watching %d stable pools".formatted(plan.pools()));
        try (PoolProcess pools = start(plan.pools(), false);
                PoolEngine engine = PoolEngine.start(folder, app, heap, pools, null)) {
            engine.awaitVms(plan.pools() * plan.vms());
            clock.waitUntil(clock.nanoTime() + 3 * CALM.toNanos());
            ProcessCpu cpu = ProcessCpu.ofThisMachine();
            double statements = engine.meters().sum("stillwater_sql_statements_total");
            long before = cpu.nanosOf(engine.pid());
            long begun = clock.nanoTime();
            clock.waitUntil(begun + plan.watch().toNanos());
            double share =
                    (cpu.nanosOf(engine.pid()) - before) / (double) (clock.nanoTime() - begun);
            add(
                    Part.STABLE,
                    "%d pools, with metrics of all hosts: share of one core"
                            .formatted(plan.pools()),
                    "%",
                    100 * share,
                    null);
            add(
                    Part.STABLE,
                    "SQL statements each minute, housekeeping with them",
                    "",
                    (engine.meters().sum("stillwater_sql_statements_total") - statements)
                            * 60
                            / plan.watch().toSeconds(),
                    null);
        }
    }

    // --------------------------------------------------------------------------------- death

    private void death() throws IOException, InterruptedException {
        say("Killing a host");
        try (PoolProcess pools = start(1, false);
                Http control = new Http(pools.controlPort());
                PoolEngine engine = PoolEngine.start(folder, app, heap, pools, null)) {
            engine.awaitVms(plan.vms());
            clock.waitUntil(clock.nanoTime() + CALM.toNanos());
            String host =
                    state(control).path("hosts").path(plan.hosts() - 1).path("uuid").asString();
            long begun = clock.nanoTime();
            String _ = control.post("/hosts/" + host + "/kill", "{}");
            long deadline = begun + DEATH_PATIENCE.toNanos();
            while (!SILENT.matcher(engine.http().get("/api/v1/hosts/" + host)).find()) {
                if (clock.nanoTime() > deadline) {
                    throw new BenchFailure(
                            "the death of a host is not told within " + DEATH_PATIENCE);
                }
                clock.waitUntil(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50));
            }
            add(
                    Part.DEATH,
                    "death of a host without HA to its status",
                    "s",
                    (clock.nanoTime() - begun) / 1e9,
                    15.0);
        }
    }
}
