package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.benchmarks.console.Chromium;
import org.stillwater.benchmarks.console.ConsoleFigures;
import org.stillwater.benchmarks.console.ConsoleProbe;

/**
 * The console in a real browser, on a simulated fleet in which VMs change all the time. Hosts,
 * engine, database and browser share the machine.
 */
public final class ConsoleRun {

    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final String ENCODINGS = "stillwater_stream_encodings_total";
    private static final int WORDS = 20;
    private static final int SORT_ROUNDS = 5;

    private final StablePlan plan;
    private final Path program;
    private final int changesPerSecond;
    private final Duration time;
    private final PrintStream out;

    /**
     * A measurement.
     *
     * @param program Chromium's program
     * @param time of each of the two windows: at rest, and scrolling
     * @param progress where it tells how far it is
     */
    public ConsoleRun(
            StablePlan plan,
            Path program,
            int changesPerSecond,
            Duration time,
            PrintStream progress) {
        this.plan = plan;
        this.program = program;
        this.changesPerSecond = changesPerSecond;
        this.time = time;
        this.out = progress;
    }

    /**
     * Measures everything.
     *
     * @throws BenchFailure if a program ends or does not do what it should in time
     */
    public ConsoleFigures measure() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> measure(bed, engine, simulator));
    }

    private ConsoleFigures measure(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        HarnessClock clock = bed.clock();
        List<String> vms = new ArrayList<>(simulator.vms().keySet());
        try (Chromium browser = Chromium.start(program, plan.folder().resolve("chromium"));
                VmChanges changes =
                        VmChanges.start(
                                simulator,
                                vms,
                                changesPerSecond,
                                changesPerSecond == 0 ? 0 : Long.MAX_VALUE / 2,
                                clock.nanoTime())) {
            ConsoleProbe probe = new ConsoleProbe(browser);
            bed.say("Opening the console");
            ConsoleProbe.Load load =
                    probe.open("http://127.0.0.1:" + engine.http().port() + "/", plan.vms());
            clock.waitUntil(clock.nanoTime() + SETTLING.toNanos());

            bed.say("At rest, %s", TestBed.seconds(time));
            long begun = clock.nanoTime();
            long madeBefore = changes.made();
            double sentBefore = delivered(engine);
            ConsoleProbe.Rest rest = probe.atRest(time);
            double seconds = (clock.nanoTime() - begun) / 1e9;
            double made = (changes.made() - madeBefore) / seconds;
            double sent = (delivered(engine) - sentBefore) / seconds;

            bed.say("Scrolling, %s", TestBed.seconds(time));
            double[] frames = probe.frames(time);
            bed.say("Typing and sorting");
            double[] keys = probe.type(words());
            double[] sorts = probe.sort(SORT_ROUNDS);
            ConsoleProbe.Memory memory = probe.memory();
            changes.check();
            engine.requireAlive();
            return new ConsoleFigures(
                    load.firstRowsMillis(),
                    load.allRowsMillis(),
                    ConsoleProbe.percentile(frames, 99),
                    rest.longestTaskMillis(),
                    rest.share(),
                    ConsoleProbe.percentile(keys, 95),
                    ConsoleProbe.percentile(sorts, 95),
                    memory.heapMiB(),
                    memory.domNodes(),
                    load.kilobytes(),
                    made,
                    sent);
        }
    }

    /** Changes that the engine encoded for its readers; the console is the only one. */
    private static double delivered(EngineProcess engine) throws IOException, InterruptedException {
        Meters meters = engine.meters();
        if (!meters.has(ENCODINGS)) {
            throw new BenchFailure("the engine has no meter " + ENCODINGS);
        }
        return meters.sum(ENCODINGS);
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
