package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stillwater chaos}: faults under load, on real processes. */
@Command(
        name = "chaos",
        description = {
            "Injects faults into database, engine and clock while simulated hosts are under load,"
                    + " removes them, and checks that engine, database and hosts agree: on every"
                    + " VM and host, and on pending work, which must be neither lost nor"
                    + " duplicated.",
            "Exit code 0: no violations; 1: violations, or the programs could not be started;"
                    + " 2: wrong usage; 130: interrupted."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
public final class Chaos implements Callable<Integer> {

    private static final Duration STOPPING = Duration.ofSeconds(70);

    @Spec private CommandSpec spec;

    @Option(names = "--rounds", paramLabel = "N", description = "Number of rounds.")
    private int rounds = 20;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Determines all random choices; printed at the beginning and at the end.")
    private long seed = 1;

    @Option(names = "--from", paramLabel = "N", description = "Number of the first round.")
    private int from = 1;

    @Option(
            names = "--fault",
            paramLabel = "KIND",
            description = "Only this kind of fault; may be repeated. See --list.")
    private @Nullable List<String> faults;

    @Option(names = "--list", description = "List the kinds of faults and end.")
    private boolean list;

    @Option(names = "--hosts", paramLabel = "N", description = "Simulated hosts, 2 to 100.")
    private int hosts = 4;

    @Option(
            names = "--vms",
            paramLabel = "N",
            description = "VMs on each; every second one is highly available.")
    private int vms = 10;

    @Option(names = "--plain", description = "Hosts without TLS.")
    private boolean plain;

    private final ChaosPlan.@Nullable Programs programs;
    private final @Nullable Path home;
    private final HarnessClock clock = new HarnessClock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean interrupted;

    @SuppressWarnings("NullAway.Init") // picocli sets the specification before anything is called
    private Chaos(ChaosPlan.@Nullable Programs programs, @Nullable Path home) {
        this.programs = programs;
        this.home = home;
    }

    /** Runs the rounds and ends the process with its exit code. */
    public static void main(String[] arguments) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "chaos-logback.xml");
        }
        System.exit(commandLine(null, null).execute(arguments));
    }

    /**
     * The command on these programs.
     *
     * @param programs null for those that the launcher names
     * @param home folder for everything it keeps; null for the one that the launcher names
     */
    static CommandLine commandLine(ChaosPlan.@Nullable Programs programs, @Nullable Path home) {
        return new CommandLine(new Chaos(programs, home))
                .setExecutionExceptionHandler((failure, command, _) -> {
                    command.getErr().println("chaos: " + explained(failure));
                    return 1;
                });
    }

    private static String explained(Exception failure) {
        return failure instanceof BenchFailure || failure instanceof EmbeddedPostgresException
                ? String.valueOf(failure.getMessage())
                : failure.toString();
    }

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            Arrays.stream(FaultKind.values()).map(FaultKind::label).forEach(out::println);
            return 0;
        }
        ChaosPlan plan = plan();
        Tally tally = new Tally();
        ChaosRun run = new ChaosRun(plan, out, tally);
        Thread hook = new Thread(() -> interrupt(run), "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        long started = clock.nanoTime();
        try {
            run.run();
        } catch (IOException | SQLException | InterruptedException | BenchFailure e) {
            if (!interrupted) {
                throw e;
            }
            // Ctrl-C reaches the started processes, too: their end is no news
        } finally {
            out.print(tally.table());
            out.println(tally.summary(seed, Duration.ofNanos(clock.nanoTime() - started)));
            out.flush();
            ended.countDown();
        }
        if (interrupted) {
            return 128 + 2;
        }
        Runtime.getRuntime().removeShutdownHook(hook);
        return tally.violations() == 0 ? 0 : 1;
    }

    private ChaosPlan plan() {
        try {
            return new ChaosPlan(
                    seed,
                    from,
                    rounds,
                    kinds(),
                    hosts,
                    vms,
                    !plain,
                    programs == null ? launched() : programs,
                    home == null ? folder("folder") : home);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private Set<FaultKind> kinds() {
        if (faults == null || faults.isEmpty()) {
            return EnumSet.allOf(FaultKind.class);
        }
        return faults.stream().map(Chaos::kind).collect(Collectors.toSet());
    }

    private static FaultKind kind(String label) {
        return Arrays.stream(FaultKind.values())
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "'%s' is no kind of fault; there are: %s"
                                        .formatted(
                                                label,
                                                Arrays.stream(FaultKind.values())
                                                        .map(FaultKind::label)
                                                        .collect(Collectors.joining(", ")))));
    }

    private static ChaosPlan.Programs launched() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path fake = folder("fake");
        return new ChaosPlan.Programs(
                List.of(
                        java,
                        "-Xmx384m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", // short lives: a quick start counts
                        "--enable-native-access=ALL-UNNAMED",
                        "-jar",
                        folder("engine").resolve("app.jar").toString()),
                List.of(
                        java,
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        fake.resolve("app.jar") + ":" + fake.resolve("lib") + "/*",
                        "org.stillwater.fake.cli.FakeHosts"));
    }

    private static Path folder(String name) {
        String property = "stillwater.chaos." + name;
        String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalArgumentException(
                    "-D" + property + " is not set; start this as ./stillwater chaos");
        }
        return Path.of(value);
    }

    /** Lets the started processes stop before this process ends. */
    private void interrupt(ChaosRun run) {
        interrupted = true;
        run.stop();
        try {
            if (!ended.await(STOPPING.toSeconds(), TimeUnit.SECONDS)) {
                System.err.println("chaos: the programs that were started do not stop");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the process ends anyway
        }
    }
}
