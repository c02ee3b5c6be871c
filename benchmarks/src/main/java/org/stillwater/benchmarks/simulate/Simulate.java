package org.stillwater.benchmarks.simulate;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.testkit.simulation.EngineUnderSimulation;
import org.stillwater.testkit.simulation.FleetSimulation;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.SimulationResult;
import org.stillwater.testkit.simulation.Violation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stillwater simulate}: histories of a fleet, each from its own seed. */
@Command(
        name = "simulate",
        description = {
            "Lets the engine watch simulated fleets in which everything goes wrong, and act on"
                    + " data",
            "centres in which people act too, each from the same seed, on one thread and a virtual",
            "clock, and checks its rules at every step. A third history of each seed has a host",
            "that lies. With --xapi the engine watches a pool by XAPI instead.",
            "Exit code 0: no rule was broken; 1: one was; 2: wrong usage; 130: interrupted."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
public final class Simulate implements Callable<Integer> {

    private static final Duration PROGRESS_EVERY = Duration.ofSeconds(10);
    private static final int MOST_TRACED = 10;
    private static final int MOST_TOLD = 20;

    @Spec private CommandSpec spec;

    @Option(names = "--seeds", paramLabel = "N", description = "How many histories.")
    private int seeds = 2_000;

    @Option(names = "--from", paramLabel = "SEED", description = "Seed of the first one.")
    private long from = 1;

    @Option(names = "--steps", paramLabel = "N", description = "Steps before the faults stop.")
    private int steps = SimulationPlan.DEFAULT.steps();

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts of each fleet, 2 to 100.")
    private int hosts = SimulationPlan.DEFAULT.hosts();

    @Option(names = "--vms", paramLabel = "N", description = "VMs of each fleet, 1 to 1000.")
    private int vms = SimulationPlan.DEFAULT.vms();

    @Option(
            names = "--lying",
            description = "Only histories with a host that lies: of a fleet, and with people.")
    private boolean lying;

    @Option(
            names = "--stops",
            description =
                    "Only histories with people, whose engine is stopped as by an operator instead"
                            + " of killed.")
    private boolean stops;

    @Option(
            names = "--history",
            paramLabel = "KIND",
            description = "Only histories of this kind, fleet or people. Both without it.")
    private @Nullable Kind history;

    @Option(
            names = "--xapi",
            description =
                    "Only histories of a XAPI pool: lost, late and coalesced events, deletions"
                            + " beyond the queue, other coordinators.")
    private boolean xapi;

    @Option(
            names = "--trace",
            description = "Print each step: the truth, the network, the engine. At most 10 seeds.")
    private boolean trace;

    /** Kinds of histories. */
    enum Kind {
        /** The monitoring engine watches a fleet. */
        FLEET,
        /** The engine with its commands, and acting users. */
        PEOPLE
    }

    private volatile boolean interrupted;
    private final CountDownLatch ended = new CountDownLatch(1);
    private long stepsDone;
    private long reports;
    private long operations;
    private long lies;
    private int seedsDone;
    private int violations;

    private final EngineUnderSimulation.Factory engines;
    private final HarnessClock clock = new HarnessClock();

    @SuppressWarnings("NullAway.Init") // picocli sets the specification before anything is called
    private Simulate(EngineUnderSimulation.Factory engines) {
        this.engines = engines;
    }

    /** Runs the simulations and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine(SimulatedMonitoring::new).execute(arguments));
    }

    /** The command on these engines. */
    static CommandLine commandLine(EngineUnderSimulation.Factory engines) {
        return new CommandLine(new Simulate(engines)).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public Integer call() {
        SimulationPlan plan = plan();
        PrintWriter out = spec.commandLine().getOut();
        Thread hook = new Thread(this::interrupt, "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        long started = clock.nanoTime();
        try {
            simulate(plan, out, started);
        } finally {
            out.println(
                    ("simulated seeds=%d steps=%d reports=%d operations=%d lies=%d violations=%d"
                                    + " elapsed=%s")
                            .formatted(
                                    seedsDone,
                                    stepsDone,
                                    reports,
                                    operations,
                                    lies,
                                    violations,
                                    elapsed(started)));
            out.flush();
            ended.countDown();
        }
        if (interrupted) {
            return 128 + 2;
        }
        Runtime.getRuntime().removeShutdownHook(hook);
        return violations == 0 ? 0 : 1;
    }

    private SimulationPlan plan() {
        if (seeds < 1) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--seeds must be 1 or more");
        }
        if (trace && seeds > MOST_TRACED) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "--trace prints every step: give at most " + MOST_TRACED + " --seeds");
        }
        if (xapi && (lying || stops || history != null)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--xapi goes without --lying, --stops and --history");
        }
        if (stops && history == Kind.FLEET) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--stops is for histories with people");
        }
        try {
            return new SimulationPlan(hosts, vms, steps);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    /** Lets the present history end and prints its summary before the process ends. */
    private void interrupt() {
        interrupted = true;
        try {
            if (!ended.await(5, TimeUnit.SECONDS)) {
                System.err.println("simulate: interrupted in the middle of a history");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the process ends anyway
        }
    }

    private void simulate(SimulationPlan plan, PrintWriter out, long started) {
        long told = started;
        for (int i = 0; i < seeds && !interrupted; i++) {
            long seed = from + i;
            if (xapi) {
                pool(plan, seed, out);
            } else {
                hosts(plan, seed, out);
            }
            seedsDone++;
            long now = clock.nanoTime();
            if (now - told >= PROGRESS_EVERY.toNanos()) {
                told = now;
                out.println(
                        "%d of %d seeds, %d violations, %s"
                                .formatted(seedsDone, seeds, violations, elapsed(started)));
                out.flush();
            }
        }
    }

    private void hosts(SimulationPlan plan, long seed, PrintWriter out) {
        if (stops) {
            people(lying ? plan.withLyingHost().withStops() : plan.withStops(), seed, out);
            return;
        }
        if (!lying && history != Kind.PEOPLE) {
            fleet(plan, seed, out);
        }
        if (!lying && history != Kind.FLEET) {
            people(plan, seed, out);
        }
        if (history != Kind.PEOPLE) {
            fleet(plan.withLyingHost(), seed, out);
        }
        if (lying && history != Kind.FLEET) {
            people(plan.withLyingHost(), seed, out);
        }
    }

    private void pool(SimulationPlan plan, long seed, PrintWriter out) {
        history(
                plan,
                seed,
                ", a pool",
                out,
                reader -> {
                    PoolHistory.Result result = PoolHistory.run(plan, seed, reader);
                    stepsDone += result.steps();
                    operations += result.orders();
                });
    }

    private void fleet(SimulationPlan plan, long seed, PrintWriter out) {
        history(
                plan,
                seed,
                "",
                out,
                reader -> {
                    SimulationResult result = FleetSimulation.run(plan, seed, engines, reader);
                    stepsDone += result.steps();
                    reports += result.reports();
                    lies += result.lies();
                });
    }

    private void people(SimulationPlan plan, long seed, PrintWriter out) {
        history(
                plan,
                seed,
                ", people act",
                out,
                reader -> {
                    CommandHistory.Result result = CommandHistory.run(plan, seed, reader);
                    stepsDone += result.steps();
                    operations += result.operations();
                    lies += result.lies();
                });
    }

    private void history(
            SimulationPlan plan,
            long seed,
            String kind,
            PrintWriter out,
            Consumer<@Nullable Consumer<String>> told) {
        if (trace) {
            out.println(
                    "seed "
                            + seed
                            + kind
                            + (plan.lying() ? ", a host lies" : "")
                            + (plan.stopping() ? ", the engine is stopped" : ""));
        }
        try {
            told.accept(trace ? out::println : null);
        } catch (Violation violation) {
            violations++;
            stepsDone += violation.step();
            tell(violation, plan, out);
        }
    }

    private void tell(Violation violation, SimulationPlan plan, PrintWriter out) {
        if (violations > MOST_TOLD) {
            return;
        }
        out.println("VIOLATION " + violation.getMessage());
        if (!trace) {
            out.println("  replay: " + replay(violation.seed(), plan));
        }
        Throwable cause = violation.getCause();
        if (trace && cause != null) {
            cause.printStackTrace(out);
        }
        if (violations == MOST_TOLD) {
            out.println("further violations are only counted");
        }
        out.flush();
    }

    private String replay(long seed, SimulationPlan plan) {
        SimulationPlan usual = SimulationPlan.DEFAULT;
        return "./stillwater simulate --trace --seeds 1 --from "
                + seed
                + (plan.lying() ? " --lying" : "")
                + (plan.stopping() ? " --stops" : "")
                + (xapi ? " --xapi" : "")
                + option("--steps", steps, usual.steps())
                + option("--hosts", hosts, usual.hosts())
                + option("--vms", vms, usual.vms());
    }

    private static String option(String name, int value, int usual) {
        return value == usual ? "" : " " + name + " " + value;
    }

    private String elapsed(long started) {
        return "%.1fs".formatted((clock.nanoTime() - started) / 1e9);
    }
}
