package org.stillwater.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.RunOfAll;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench all}: all published measurements, one after the other, on one commit. */
@Command(
        name = "all",
        description = {
            "Every measurement that docs/figures.md publishes, one after the other, on one commit;"
                    + " more than an hour on a machine that does nothing else.",
            "A part that fails does not keep the others from being measured. Parts:",
            "  a, b, c      stable fleets: the tables of README.md and docs/figures.md",
            "  quiet        2000 VMs, 5 minutes: write-ahead log, events on an idle engine",
            "  write        changed rows per second",
            "  start        from the start of the JVM to all VMs of the database",
            "  api          lists, stream, pages",
            "  console      a real Chromium",
            "  xapi         XAPI pools, beside npm's xen-api",
            "  regressions  the detector, beside Otava and E-divisive",
            "  relays       50 000 VMs by simulated relays",
            "  million      1 000 000 VMs by simulated relays; needs 20 GiB and --only"
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class AllCommand implements Callable<Integer> {

    /** Exit code of a part that Ctrl-C ended. */
    private static final int INTERRUPTED = 130;

    @Option(
            names = "--only",
            paramLabel = "PART",
            split = ",",
            description = "Parts to measure, separated by commas; all but million without it.")
    private List<Part> only = new ArrayList<>();

    @Option(
            names = "--skip",
            paramLabel = "PART",
            split = ",",
            description = "Parts to leave out, separated by commas.")
    private List<Part> skip = new ArrayList<>();

    @Option(
            names = "--into",
            paramLabel = "FOLDER",
            description =
                    "Where to write the figures (default: figures in the bench's work folder).")
    private @Nullable Path into;

    @Option(
            names = "--publish",
            description =
                    "Write the figures to docs/figures and the tables of README.md and"
                            + " docs/figures.md. Needs a clean checkout and the parts a, b and c.")
    private boolean publish;

    @Option(
            names = "--resume",
            description =
                    "Keep the measured parts of the run in the folder, which has to be of this"
                            + " commit and machine, and measure those that it lacks.")
    private boolean resume;

    @Option(names = "--list", description = "Print the commands and end.")
    private boolean list;

    private final LongSupplier nanoTime;
    private final CommandRunner runner;

    /** Runs the command of one part. */
    @FunctionalInterface
    interface CommandRunner {
        /**
         * Runs it to its end.
         *
         * @param results receives the results that the command prints
         * @return its exit code
         */
        int run(List<String> arguments, PrintWriter results);
    }

    AllCommand() {
        this(System::nanoTime, AllCommand::run);
    }

    /** A command with another clock and other measurements, for tests. */
    AllCommand(LongSupplier nanoTime, CommandRunner runner) {
        this.nanoTime = nanoTime;
        this.runner = runner;
    }

    /** One measurement; its file of figures is named after it. */
    enum Part {
        A(true, "stable --vms 6000 --hosts 1 --cycles 40 --interval 5s"),
        B(
                true,
                "stable --vms 100000 --hosts 1000 --cycles 16 --warmup 10 --event-time 40s"
                        + " --engine-heap 2g"),
        C(
                true,
                "stable --vms 6000 --hosts 1 --cycles 20 --warmup 15 --interval 5s --plain"
                        + " --report-size small --event-time 15s"),
        QUIET(
                true,
                "stable --vms 2000 --hosts 20 --cycles 20 --warmup 8 --event-time 100s"
                        + " --events-per-second 2"),
        WRITE(false, "write --flat-out 60s"),
        START(false, "start"),
        API(false, "api"),
        CONSOLE(true, "console"),
        XAPI(true, "xapi"),
        REGRESSIONS(true, "regressions"),
        RELAYS(
                true,
                "stable --vms 50000 --hosts 500 --relay --cycles 8 --warmup 8 --engine-heap 3g"),
        MILLION(
                true,
                "stable --vms 1000000 --hosts 10000 --relay --cycles 8 --warmup 8"
                        + " --engine-heap 8g");

        private final boolean json;
        private final String command;

        Part(boolean json, String command) {
            this.json = json;
            this.command = command;
        }

        static Part of(String label) {
            return valueOf(label.toUpperCase(Locale.ROOT));
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        String command() {
            return "./stillwater bench " + command;
        }

        List<String> arguments(Path folder) {
            List<String> arguments = new ArrayList<>(List.of(command.split(" ", -1)));
            if (json) {
                arguments.addAll(List.of("--json", folder.resolve(label() + ".json").toString()));
            }
            return arguments;
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Set<Part> parts = parts();
        if (list) {
            parts.forEach(part -> System.out.printf("%-12s %s%n", part.label(), part.command()));
            return 0;
        }
        Path folder;
        String commit;
        if (publish) {
            if (into != null) {
                throw new IllegalArgumentException("--publish writes to docs/figures: no --into");
            }
            if (resume) {
                throw new IllegalArgumentException(
                        "--publish measures all anew: no --resume; copy the files of a run into"
                                + " docs/figures and call './stillwater bench publish'");
            }
            if (!parts.containsAll(EnumSet.of(Part.A, Part.B, Part.C))) {
                throw new IllegalArgumentException("--publish needs the parts a, b and c");
            }
            Path root = Checkout.root(Path.of(""));
            commit = Checkout.commit(root);
            if (commit.equals("unknown") || commit.endsWith("-dirty")) {
                throw new IllegalArgumentException(
                        "--publish needs a clean checkout; this one is '"
                                + commit
                                + "': commit or stash the changes");
            }
            folder = root.resolve("docs/figures");
        } else {
            commit = Checkout.commit(Path.of(""));
            folder = into == null ? FleetOptions.folder("folder").resolve("figures") : into;
        }
        int exitCode = measure(parts, commit, folder);
        if (publish && exitCode != INTERRUPTED) {
            PublishCommand.publish(Checkout.root(Path.of("")));
        }
        return exitCode;
    }

    private Set<Part> parts() {
        Set<Part> parts =
                only.isEmpty()
                        ? EnumSet.complementOf(EnumSet.of(Part.MILLION))
                        : EnumSet.copyOf(only);
        skip.forEach(parts::remove);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("--skip leaves no part");
        }
        return parts;
    }

    /** Measures the parts, and writes the results after each, so that nothing is lost. */
    private int measure(Set<Part> parts, String commit, Path folder) throws IOException {
        Files.createDirectories(folder);
        String machine = Report.Machine.here().describe();
        List<RunOfAll.Part> done = measured(commit, machine, folder);
        List<String> failed = new ArrayList<>();
        int number = 0;
        for (Part part : parts) {
            number++;
            if (done.stream().anyMatch(each -> each.name().equals(part.label()))) {
                System.out.printf(
                        "%n[%d/%d] %s: measured before%n", number, parts.size(), part.label());
                continue;
            }
            System.out.printf(
                    "%n[%d/%d] %s: %s%n", number, parts.size(), part.label(), part.command());
            StringWriter results = new StringWriter();
            long began = nanoTime.getAsLong();
            int exitCode = runner.run(part.arguments(folder), new PrintWriter(results));
            long seconds = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - began);
            if (exitCode == INTERRUPTED) {
                return INTERRUPTED;
            }
            if (exitCode != 0) {
                failed.add(part.label());
            }
            done.add(
                    new RunOfAll.Part(
                            part.label(),
                            part.command(),
                            seconds,
                            exitCode,
                            results.toString()
                                    .lines()
                                    .map(String::stripTrailing)
                                    .dropWhile(String::isEmpty)
                                    .toList()));
            done.sort(Comparator.comparing(each -> Part.of(each.name())));
            new RunOfAll(commit, machine, done).write(folder);
        }
        System.out.println("\nWritten to " + folder);
        failed.forEach(part -> System.out.println("Not measured to its end: " + part));
        return failed.isEmpty() ? 0 : 1;
    }

    /** The parts of an earlier run that were measured to their end; empty without --resume. */
    private List<RunOfAll.Part> measured(String commit, String machine, Path folder)
            throws IOException {
        if (!resume || !Files.exists(folder.resolve(RunOfAll.DATA))) {
            return new ArrayList<>();
        }
        RunOfAll run = RunOfAll.read(folder);
        if (!run.commit().equals(commit) || !run.machine().equals(machine)) {
            throw new IllegalArgumentException(
                    "--resume: the run in %s is of commit %s on %s; here is %s on %s"
                            .formatted(folder, run.commit(), run.machine(), commit, machine));
        }
        return new ArrayList<>(run.parts().stream().filter(part -> part.exitCode() == 0).toList());
    }

    /** In this process; the results are also printed. */
    private static int run(List<String> arguments, PrintWriter results) {
        StringWriter printed = new StringWriter();
        CommandLine bench = Bench.commandLine().setOut(new PrintWriter(printed));
        int exitCode = bench.execute(arguments.toArray(new String[0]));
        System.out.print(printed);
        results.print(printed);
        results.flush();
        return exitCode;
    }
}
