package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.benchmarks.scale.Figures.Spread;

/**
 * What the engine's always-on profile costs: one engine, whose events of the flight recorder are
 * switched on and off in turns of some cycles (on, off, off, on), so that both see the same
 * machine, heap and compiled code. One thread; everything it started has ended when it returns.
 */
public final class ProfileCostRun {

    /** Cycles of a turn; one before them, in which the switch takes effect, is left out. */
    static final int TURN = 4;

    private static final double NANOS_PER_MILLI = 1_000_000.0;

    private final StablePlan plan;
    private final TestBed bed;
    private final HarnessClock clock;
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    /** A run of this plan that tells its progress. */
    public ProfileCostRun(StablePlan plan, PrintStream progress) {
        this.plan = plan;
        this.bed = new TestBed(plan, progress);
        this.clock = bed.clock();
    }

    /**
     * CPU of the engine's process for each VM and cycle, in ms, one number for each turn.
     *
     * @param on turns with the profile
     * @param off turns without
     */
    public record Cost(List<Double> on, List<Double> off) {

        public Cost {
            on = List.copyOf(on);
            off = List.copyOf(off);
        }

        private static Spread spread(List<Double> turns) {
            return Spread.of(turns.stream().mapToDouble(Double::doubleValue).toArray());
        }

        private static double mean(List<Double> turns) {
            return turns.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
        }

        /** What the profile adds, in per cent of the CPU without it. */
        double percent() {
            return 100 * (mean(on) - mean(off)) / mean(off);
        }

        /** Standard error of that, in per cent. */
        double error() {
            return 100 * Math.hypot(error(on), error(off)) / mean(off);
        }

        private static double error(List<Double> turns) {
            double mean = mean(turns);
            double squares =
                    turns.stream().mapToDouble(each -> (each - mean) * (each - mean)).sum();
            return turns.size() < 2
                    ? Double.NaN
                    : Math.sqrt(squares / (turns.size() - 1) / turns.size());
        }

        /** For people. */
        public String text() {
            return "%nProfile on  %s%nProfile off %s%nIt costs %s %% of the CPU, standard error %s %% (%d turns of %d cycles)%n"
                    .formatted(
                            line(on),
                            line(off),
                            Report.number(percent()),
                            Report.number(error()),
                            on.size() + off.size(),
                            TURN);
        }

        private static String line(List<Double> turns) {
            Spread spread = spread(turns);
            return "%s ms for each VM and cycle (mean), turns %s to %s, middle %s"
                    .formatted(
                            Report.number(mean(turns)),
                            Report.number(spread.min()),
                            Report.number(spread.max()),
                            Report.number(spread.median()));
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
        List<Double> on = new ArrayList<>();
        List<Double> off = new ArrayList<>();
        int turns = Math.max(4, plan.cycles() / (TURN + 1) / 4 * 4);
        try (JvmProbe jvm = JvmProbe.attach(engine.pid())) {
            JvmProbe.ProfileSwitch profile = jvm.profileSwitch();
            for (int turn = 0; turn < turns; turn++) {
                boolean isOn = turn % 4 == 0 || turn % 4 == 3;
                profile.set(isOn);
                cycles(1, engine, simulator);
                long before = cpu.nanosOf(engine.pid());
                cycles(TURN, engine, simulator);
                double millis =
                        (cpu.nanosOf(engine.pid()) - before) / NANOS_PER_MILLI / plan.vms() / TURN;
                (isOn ? on : off).add(millis);
                bed.say(
                        "  turn %d of %d, profile %s: %s ms CPU for each VM and cycle",
                        turn + 1, turns, isOn ? "on" : "off", Report.number(millis));
            }
        }
        return new Cost(on, off);
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
