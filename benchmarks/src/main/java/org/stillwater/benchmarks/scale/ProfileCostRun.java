package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Measures the cost of the engine's always-on profile: the events of one engine's flight recorder
 * are switched on and off in turns of some cycles, so that both see the same machine, heap and
 * compiled code. Turns come in pairs of on and off; a seed decides which of the two comes first, so
 * that work with a period of its own (a dump, a search for regressions) favours neither. One
 * thread; everything it started has ended when {@link #measure} returns.
 */
public final class ProfileCostRun {

    /**
     * Cycles of a turn: a minute of cycles of 15 s, so that each turn holds one write of history.
     * One cycle before them, in which the switch takes effect, is left out.
     */
    static final int TURN = 4;

    private static final double NANOS_PER_MILLI = 1_000_000.0;

    /** Threads of the flight recorder: its sampler, recorder and stream. */
    private static final List<String> RECORDER_THREADS = List.of("JFR ");

    private final StablePlan plan;
    private final TestBed bed;
    private final HarnessClock clock;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /** A run of this plan that prints its progress. */
    public ProfileCostRun(StablePlan plan, PrintStream progress) {
        this.plan = plan;
        this.bed = new TestBed(plan, progress);
        this.clock = bed.clock();
    }

    /**
     * CPU of the engine's process in one turn, in ms for each VM and cycle.
     *
     * @param total all threads
     * @param collector threads of the garbage collector
     * @param compiler threads of the JIT compilers
     * @param recorder threads of the flight recorder
     */
    record Turn(double total, double collector, double compiler, double recorder) {

        /** Threads that do the engine's work. */
        double work() {
            return total - collector - compiler - recorder;
        }

        private Turn minus(Turn earlier, double unit) {
            return new Turn(
                    (total - earlier.total) / unit,
                    (collector - earlier.collector) / unit,
                    (compiler - earlier.compiler) / unit,
                    (recorder - earlier.recorder) / unit);
        }
    }

    /**
     * A turn with the profile and the one without it beside it.
     *
     * @param on with the profile
     * @param off without
     */
    record Pair(Turn on, Turn off) {}

    /**
     * The pairs of a run.
     *
     * @param pairs in the order of time
     */
    public record Cost(List<Pair> pairs) {

        public Cost {
            pairs = List.copyOf(pairs);
        }

        /** The share of the CPU without the profile that the profile adds, in per cent. */
        double percent() {
            return percent(Turn::total);
        }

        /** Standard error of that, in per cent, from the differences of the pairs. */
        double error() {
            return error(Turn::total);
        }

        private double percent(ToDoubleFunction<Turn> part) {
            return 100 * differences(part).average().orElse(Double.NaN) / off(Turn::total);
        }

        private double error(ToDoubleFunction<Turn> part) {
            double mean = differences(part).average().orElse(Double.NaN);
            double squares = differences(part).map(each -> (each - mean) * (each - mean)).sum();
            int count = pairs.size();
            return count < 2
                    ? Double.NaN
                    : 100 * Math.sqrt(squares / (count - 1) / count) / off(Turn::total);
        }

        private DoubleStream differences(ToDoubleFunction<Turn> part) {
            return pairs.stream()
                    .mapToDouble(
                            pair -> part.applyAsDouble(pair.on()) - part.applyAsDouble(pair.off()));
        }

        private double on(ToDoubleFunction<Turn> part) {
            return pairs.stream().map(Pair::on).mapToDouble(part).average().orElse(Double.NaN);
        }

        private double off(ToDoubleFunction<Turn> part) {
            return pairs.stream().map(Pair::off).mapToDouble(part).average().orElse(Double.NaN);
        }

        /** For people. */
        public String text() {
            return "%nCPU for each VM and cycle, ms       on        off   costs %% of all%n"
                            .formatted()
                    + line("engine's work", Turn::work)
                    + line("garbage collector", Turn::collector)
                    + line("JIT compilers", Turn::compiler)
                    + line("flight recorder", Turn::recorder)
                    + line("all", Turn::total)
                    + "It costs %s %% of the CPU, standard error %s %% (%d pairs of turns of %d cycles)%n"
                            .formatted(
                                    Report.number(percent()),
                                    Report.number(error()),
                                    pairs.size(),
                                    TURN);
        }

        private String line(String name, ToDoubleFunction<Turn> part) {
            return "  %-22s  %9s  %9s   %6s (± %s)%n"
                    .formatted(
                            name,
                            Report.number(on(part)),
                            Report.number(off(part)),
                            Report.number(percent(part)),
                            Report.number(error(part)));
        }
    }

    /**
     * Measures.
     *
     * @throws BenchFailure if a program ends, or its flight recorder streams nothing
     */
    public Cost measure() throws IOException, InterruptedException {
        return bed.run(this::measure);
    }

    private Cost measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        bed.say(
                "Warming up: %d cycles of %s",
                plan.warmupCycles(), TestBed.seconds(plan.interval()));
        cycles(plan.warmupCycles(), engine, simulator);
        List<Pair> measured = new ArrayList<>();
        Random order = new Random(plan.seed());
        int count = Math.max(2, plan.cycles() / (TURN + 1) / 2);
        try (JvmProbe jvm = JvmProbe.attach(engine.pid())) {
            JvmProbe.ProfileSwitch profile = jvm.profileSwitch();
            for (int pair = 0; pair < count; pair++) {
                boolean onFirst = order.nextBoolean();
                profile.set(onFirst);
                Turn first = turn(engine, simulator);
                profile.set(!onFirst);
                Turn second = turn(engine, simulator);
                Pair done = onFirst ? new Pair(first, second) : new Pair(second, first);
                measured.add(done);
                bed.say(
                        "  pair %d of %d: %s ms CPU for each VM and cycle with the profile, %s"
                                + " without; work alone %s, %s",
                        pair + 1,
                        count,
                        Report.number(done.on().total()),
                        Report.number(done.off().total()),
                        Report.number(done.on().work()),
                        Report.number(done.off().work()));
            }
        }
        return new Cost(measured);
    }

    private Turn turn(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        cycles(1, engine, simulator);
        Turn before = now(engine.pid());
        cycles(TURN, engine, simulator);
        return now(engine.pid()).minus(before, NANOS_PER_MILLI * plan.vms() * TURN);
    }

    /** The counters of the process, in nanoseconds. */
    private Turn now(long pid) throws IOException {
        return new Turn(
                cpu.nanosOf(pid),
                cpu.nanosOfThreads(pid, StableRun.GC_THREADS),
                cpu.nanosOfThreads(pid, StableRun.JIT_THREADS),
                cpu.nanosOfThreads(pid, RECORDER_THREADS));
    }

    private void cycles(int count, EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        long next = clock.nanoTime();
        for (int cycle = 0; cycle < count; cycle++) {
            next += plan.interval().toNanos();
            clock.waitUntil(next);
            engine.requireAlive();
            simulator.requireAlive();
        }
    }
}
