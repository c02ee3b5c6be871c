package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.api.StreamReaders;
import org.stillwater.benchmarks.console.Chromium;
import org.stillwater.benchmarks.console.ConsoleFigures;
import org.stillwater.benchmarks.console.ConsoleProbe;

/**
 * The console in a real browser, on a simulated fleet in which VMs change all the time. Hosts,
 * engine, database and browser share the machine.
 */
public final class ConsoleRun {

    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** As the console's worker subscribes. */
    static final String STREAM =
            "/api/v1/stream?entity=vm,host&snapshot=packed&fields=id,name,status,hostId,clusterId,"
                    + "guestIps,fqdn,tags,pauseStatus,exitStatus,observedAt,revision&spacing=50";

    private static final int WORDS = 20;
    private static final int WORD_LENGTH = 3;
    private static final int SORT_ROUNDS = 5;

    private final StablePlan plan;
    private final Path program;
    private final Parts parts;
    private final PrintStream out;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /**
     * Options of a measurement.
     *
     * @param changesPerSecond changes of VMs
     * @param settle how long the changes continue before the page is opened: a console opens on an
     *     engine that has run for a while, not in its first second
     * @param loads how many times the page is opened, each time in a browser with an empty profile;
     *     the figures are medians
     * @param time of each window: at rest, scrolling, and the engine without and with consoles
     * @param growth how long the heap is watched; zero for not at all
     * @param starts VMs that are started by clicks; 0 for none
     * @param consoles readers of the stream that stand for consoles; 0 for none
     * @param only the one section that is measured; null for all but the requests
     */
    public record Parts(
            int changesPerSecond,
            Duration settle,
            int loads,
            Duration time,
            Duration growth,
            int starts,
            int consoles,
            @Nullable Section only) {

        boolean measures(Section section) {
            return only == null ? section != Section.REQUESTS : only == section;
        }
    }

    /** Sections that can be measured alone. */
    public enum Section {
        /**
         * The requests of a load, by a plain client in a process that has answered none of them.
         */
        REQUESTS,
        /** The load in the browser. */
        LOAD,
        /** Typing and sorting. */
        KEYS,
        /** Starts by clicks. */
        STARTS,
        /** Many consoles. */
        CONSOLES
    }

    /**
     * A measurement.
     *
     * @param program Chromium's program
     * @param progress receives the progress
     */
    public ConsoleRun(StablePlan plan, Path program, Parts parts, PrintStream progress) {
        this.plan = plan;
        this.program = program;
        this.parts = parts;
        this.out = progress;
    }

    /**
     * Measures everything.
     *
     * @throws BenchFailure if a program ends or does not react in time
     */
    public ConsoleFigures measure() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> measure(bed, engine, simulator));
    }

    private ConsoleFigures measure(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        List<String> vms = new ArrayList<>(simulator.vms().keySet());
        int rate = parts.changesPerSecond();
        long most = rate == 0 ? 0 : Long.MAX_VALUE / 2;
        try (VmChanges changes =
                VmChanges.start(simulator, vms, rate, most, bed.clock().nanoTime())) {
            if (!parts.settle().isZero()) {
                bed.say("The engine takes changes, %s", TestBed.seconds(parts.settle()));
                bed.clock().waitUntil(bed.clock().nanoTime() + parts.settle().toNanos());
            }
            if (parts.measures(Section.REQUESTS)) {
                new LoadRequests(engine.http(), bed.clock(), out).measure();
            }
            Page page =
                    parts.only() == Section.REQUESTS || parts.only() == Section.CONSOLES
                            ? Page.NONE
                            : page(bed, engine, changes);
            ConsoleFigures.Consoles consoles;
            try {
                consoles =
                        parts.measures(Section.CONSOLES)
                                ? consoles(bed, engine)
                                : ConsoleFigures.Consoles.NONE;
            } catch (IOException | RuntimeException e) {
                out.print(figures(page, ConsoleFigures.Consoles.NONE).table());
                throw e;
            }
            changes.check();
            engine.requireAlive();
            return figures(page, consoles);
        }
    }

    private ConsoleFigures figures(Page page, ConsoleFigures.Consoles consoles) {
        return new ConsoleFigures(
                page.load.firstRowsMillis(),
                page.load.allRowsMillis(),
                page.frameP99Millis,
                page.rest.longestTaskMillis(),
                page.rest.share(),
                page.filterP95Millis,
                page.sortMillis,
                page.memory.heapMiB(),
                page.memory.domNodes(),
                page.load.kilobytes(),
                page.growthPerSecond * 3_600,
                Double.isNaN(page.growthPerSecond) ? Double.NaN : parts.growth().toMillis() / 1e3,
                page.clickToRowP99Millis,
                page.madePerSecond,
                page.receivedPerSecond,
                consoles);
    }

    /** Measurements of the one console in the browser. */
    private record Page(
            ConsoleProbe.Load load,
            ConsoleProbe.Rest rest,
            double frameP99Millis,
            double filterP95Millis,
            double sortMillis,
            ConsoleProbe.Memory memory,
            double growthPerSecond,
            double clickToRowP99Millis,
            double madePerSecond,
            double receivedPerSecond) {

        static final Page NONE =
                of(new ConsoleProbe.Load(Double.NaN, Double.NaN, Double.NaN), new double[0]);

        /** Of a load and the times of starts alone. */
        static Page of(ConsoleProbe.Load load, double[] starts) {
            return new Page(
                    load,
                    new ConsoleProbe.Rest(Double.NaN, Double.NaN),
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    new ConsoleProbe.Memory(Double.NaN, Double.NaN),
                    Double.NaN,
                    ConsoleProbe.percentile(starts, 99),
                    Double.NaN,
                    Double.NaN);
        }

        Page typed(double[] keys, double[] sorts) {
            return new Page(
                    load,
                    rest,
                    frameP99Millis,
                    ConsoleProbe.percentile(keys, 95),
                    ConsoleProbe.percentile(sorts, 95),
                    memory,
                    growthPerSecond,
                    clickToRowP99Millis,
                    madePerSecond,
                    receivedPerSecond);
        }
    }

    private Page page(TestBed bed, EngineProcess engine, VmChanges changes)
            throws IOException, InterruptedException {
        HarnessClock clock = bed.clock();
        Duration time = parts.time();
        List<ConsoleProbe.Load> loads = new ArrayList<>();
        for (int i = 1; i < parts.loads(); i++) {
            try (Chromium browser = browser(i)) {
                loads.add(open(bed, engine, browser, new ConsoleProbe(browser)));
            }
        }
        try (Chromium browser = browser(parts.loads())) {
            ConsoleProbe probe = new ConsoleProbe(browser);
            loads.add(open(bed, engine, browser, probe));
            ConsoleProbe.Load load = median(loads);
            Section only = parts.only();
            if (only != null) {
                return one(only, bed, engine, probe, load);
            }
            probe.countChanges();
            clock.waitUntil(clock.nanoTime() + SETTLING.toNanos());

            bed.say("At rest, %s", TestBed.seconds(time));
            long begun = clock.nanoTime();
            long madeBefore = changes.made();
            long receivedBefore = probe.changes();
            ConsoleProbe.Rest rest = probe.atRest(time);
            double seconds = (clock.nanoTime() - begun) / 1e9;
            double made = (changes.made() - madeBefore) / seconds;
            double received = (probe.changes() - receivedBefore) / seconds;

            bed.say("Scrolling, %s", TestBed.seconds(time));
            double[] frames = probe.frames(time);
            bed.say("Typing and sorting");
            double[] keys = typed(bed, probe);
            double[] sorts = probe.sort(SORT_ROUNDS);
            ConsoleProbe.Memory memory = probe.memory();
            double growth = Double.NaN;
            if (!parts.growth().isZero()) {
                bed.say("At rest, %s, for the heap", TestBed.seconds(parts.growth()));
                growth = probe.growth(parts.growth());
            }
            double[] starts = {};
            if (parts.starts() > 0) {
                bed.say("Starting %d VMs by clicks", parts.starts());
                starts = probe.start(add(bed, engine));
            }
            engine.requireAlive();
            return new Page(
                    load,
                    rest,
                    ConsoleProbe.percentile(frames, 99),
                    ConsoleProbe.percentile(keys, 95),
                    ConsoleProbe.percentile(sorts, 95),
                    memory,
                    growth,
                    ConsoleProbe.percentile(starts, 99),
                    made,
                    received);
        }
    }

    /** In a folder of its own: processes of the one before may still write to theirs. */
    private Chromium browser(int number) throws IOException, InterruptedException {
        return Chromium.start(program, plan.folder().resolve("chromium-" + number));
    }

    private ConsoleProbe.Load open(
            TestBed bed, EngineProcess engine, Chromium browser, ConsoleProbe probe)
            throws IOException, InterruptedException {
        browser.awaitRest();
        bed.say("Opening the console");
        ConsoleProbe.Load load =
                probe.open("http://127.0.0.1:" + engine.http().port() + "/", plan.vms());
        for (String request : probe.requests()) {
            bed.say("  %s", request);
        }
        bed.say(
                "  first rows at %.0f ms, all rows at %.0f",
                load.firstRowsMillis(), load.allRowsMillis());
        return load;
    }

    /** The medians of several loads; each figure by itself. */
    private static ConsoleProbe.Load median(List<ConsoleProbe.Load> loads) {
        return new ConsoleProbe.Load(
                median(loads, ConsoleProbe.Load::firstRowsMillis),
                median(loads, ConsoleProbe.Load::allRowsMillis),
                median(loads, ConsoleProbe.Load::kilobytes));
    }

    private static double median(
            List<ConsoleProbe.Load> loads, ToDoubleFunction<ConsoleProbe.Load> figure) {
        return ConsoleProbe.percentile(loads.stream().mapToDouble(figure).toArray(), 50);
    }

    /** One section behind the load. */
    private Page one(
            Section section,
            TestBed bed,
            EngineProcess engine,
            ConsoleProbe probe,
            ConsoleProbe.Load load)
            throws IOException, InterruptedException {
        double[] starts = {};
        double[] keys = {};
        double[] sorts = {};
        bed.clock().waitUntil(bed.clock().nanoTime() + SETTLING.toNanos());
        if (section == Section.KEYS) {
            keys = typed(bed, probe);
            sorts = probe.sort(SORT_ROUNDS);
        }
        if (section == Section.STARTS) {
            starts = probe.start(add(bed, engine));
        }
        engine.requireAlive();
        return Page.of(load, starts).typed(keys, sorts);
    }

    private static double[] typed(TestBed bed, ConsoleProbe probe)
            throws IOException, InterruptedException {
        double[] keys = probe.type(words());
        for (int place = 0; place < WORD_LENGTH; place++) {
            int first = place;
            double[] some =
                    IntStream.range(0, keys.length)
                            .filter(key -> key % WORD_LENGTH == first)
                            .mapToDouble(key -> keys[key])
                            .toArray();
            bed.say(
                    "  key %d of a word: p50 %.1f ms, p95 %.1f ms",
                    place + 1,
                    ConsoleProbe.percentile(some, 50),
                    ConsoleProbe.percentile(some, 95));
        }
        return keys;
    }

    /** VMs of the engine's own, which are down. */
    private List<String> add(TestBed bed, EngineProcess engine)
            throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (int n = 1; n <= parts.starts(); n++) {
            String name = "started-%04d".formatted(n);
            String _ =
                    engine.http()
                            .post(
                                    "/api/v1/vms",
                                    "{\"name\": \"%s\", \"memoryMebibytes\": 64}".formatted(name));
            names.add(name);
        }
        bed.await(PATIENCE, "the added VMs", engine::requireAlive, () -> isQuiet(engine));
        return names;
    }

    private static boolean isQuiet(EngineProcess engine) throws InterruptedException {
        String text = engine.http().tryGet("/actuator/prometheus");
        return text != null && Meters.parse(text).sum("stillwater_operations_open") == 0;
    }

    /** The engine's processor time without a console, and with many. */
    private ConsoleFigures.Consoles consoles(TestBed bed, EngineProcess engine)
            throws IOException, InterruptedException {
        int count = parts.consoles();
        if (count == 0) {
            return ConsoleFigures.Consoles.NONE;
        }
        HarnessClock clock = bed.clock();
        bed.say("The engine without a console, %s", TestBed.seconds(parts.time()));
        double without = share(clock, engine);
        bed.say("%d consoles read their snapshots", count);
        try (StreamReaders readers =
                new StreamReaders(engine.http().port(), STREAM, count, 0, clock::nanoTime)) {
            bed.await(
                    PATIENCE,
                    "the snapshots of all consoles",
                    engine::requireAlive,
                    () -> readers.ready() == count || isBroken(readers));
            readers.check();
            clock.waitUntil(clock.nanoTime() + SETTLING.toNanos());
            bed.say("The engine with %d consoles, %s", count, TestBed.seconds(parts.time()));
            long begun = clock.nanoTime();
            long before = readers.delivered();
            double with = share(clock, engine);
            double seconds = (clock.nanoTime() - begun) / 1e9;
            double delivered = (readers.delivered() - before) / seconds / count;
            readers.check();
            return new ConsoleFigures.Consoles(count, without, with, delivered);
        }
    }

    private static boolean isBroken(StreamReaders readers) {
        try {
            readers.check();
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    /** Of one core, over the time of a window. */
    private double share(HarnessClock clock, EngineProcess engine)
            throws IOException, InterruptedException {
        long begun = clock.nanoTime();
        long before = cpu.nanosOf(engine.pid());
        clock.waitUntil(begun + parts.time().toNanos());
        return (double) (cpu.nanosOf(engine.pid()) - before) / (clock.nanoTime() - begun);
    }

    /** Digits that are in some names, addresses and ids, but not in all: each key finds fewer. */
    private static List<String> words() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < WORDS; i++) {
            words.add("" + (3 + i % 7) + (3 + i * 2 % 7) + (3 + i * 3 % 7));
        }
        return words;
    }
}
