package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.console.ChromiumProgram;
import org.stillwater.benchmarks.console.ConsoleFigures;
import org.stillwater.benchmarks.scale.ConsoleRun;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench console}: how the console feels at scale, in a real Chromium. */
@Command(
        name = "console",
        description = {
            "How the console loads, scrolls, filters and sorts in a real Chromium while VMs change,"
                    + " beside its targets.",
            "The program is the one that CHROMIUM names, else the one on PATH. Hosts, engine,"
                    + " database and browser share this machine."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class ConsoleCommand implements Callable<Integer> {

    private static final int LEAST_VMS = 1000; // fewer, and digits typed may find as many as before

    @Spec private @Nullable CommandSpec spec;

    @Mixin private final FleetOptions fleet = new FleetOptions(200, 100_000, "2g");

    @Option(
            names = "--changes",
            paramLabel = "N",
            description = "Changes of VMs a second; 0 for none.")
    private int changes = 1_000;

    @Option(
            names = "--settle",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long the engine takes changes, once it knows all VMs, before the page is"
                            + " opened, such as 60s; 0s for not.")
    private Duration settle = Duration.ofSeconds(60);

    @Option(
            names = "--loads",
            paramLabel = "N",
            description =
                    "How many times the page is opened, each time by a browser with an empty"
                            + " profile; the figures are medians.")
    private int loads = 5;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long the page is measured at rest, and again while it scrolls.")
    private int seconds = 60;

    @Option(
            names = "--growth",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long the growth of the heap is measured, such as 3m; 0s for not.")
    private Duration growth = Duration.ofMinutes(3);

    @Option(
            names = "--starts",
            paramLabel = "N",
            description = "VMs that are added and started by clicks; 0 for none.")
    private int starts = 100;

    @Option(
            names = "--consoles",
            paramLabel = "N",
            description = "Consoles that read the engine during the measurement; 0 for none.")
    private int consoles = 100;

    @Option(
            names = "--only",
            paramLabel = "SECTION",
            description =
                    "One section alone: ${COMPLETION-CANDIDATES}. REQUESTS, by a plain client"
                            + " without a browser, is measured only so.")
    private ConsoleRun.@Nullable Section only;

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> engineJvmOptions = new ArrayList<>();

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (changes < 0 || seconds < 1 || loads < 1) {
            throw new IllegalArgumentException(
                    "--changes must be 0 or more, --seconds and --loads 1 or more");
        }
        if (starts < 0 || consoles < 0 || growth.isNegative() || settle.isNegative()) {
            throw new IllegalArgumentException(
                    "--settle, --growth, --starts and --consoles must be 0 or more");
        }
        Path program = ChromiumProgram.find(System.getenv());
        StablePlan plan = fleet.plan(1, 0, ReportSize.SMALL, Duration.ZERO, engineJvmOptions);
        if (plan.vms() < LEAST_VMS) {
            throw new IllegalArgumentException("--vms must be " + LEAST_VMS + " or more");
        }
        String size =
                "%d VMs on %d hosts, %d changes/s, opened %d times from %d s after attach, %d s"
                        .formatted(
                                plan.vms(),
                                plan.hosts(),
                                changes,
                                loads,
                                settle.toSeconds(),
                                seconds);
        ConsoleFigures figures =
                new ConsoleRun(
                                plan,
                                program,
                                new ConsoleRun.Parts(
                                        changes,
                                        settle,
                                        loads,
                                        Duration.ofSeconds(seconds),
                                        growth,
                                        starts,
                                        consoles,
                                        only),
                                System.out)
                        .measure();
        String machine = Report.Machine.here().describe();
        Results.print(spec, figures.table() + size + " on " + machine + "\n");
        if (json != null) {
            figures.writeJson(json, Checkout.commit(Path.of("")), command(), size, machine);
            System.out.println("Written to " + json);
        }
        return 0;
    }

    private String command() {
        return "./stillwater bench console"
                + Objects.requireNonNull(spec)
                        .commandLine()
                        .getParseResult()
                        .originalArgs()
                        .stream()
                        .dropWhile(argument -> !argument.startsWith("-"))
                        .map(argument -> " " + argument)
                        .collect(Collectors.joining())
                        .replaceFirst(" --json[ =]\\S+", "");
    }
}
