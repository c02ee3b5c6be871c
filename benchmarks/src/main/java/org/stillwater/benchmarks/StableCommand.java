package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Comparison;
import org.stillwater.benchmarks.scale.Figures;
import org.stillwater.benchmarks.scale.ProfileCostRun;
import org.stillwater.benchmarks.scale.ProfilePictures;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.RunProfile;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import org.stillwater.benchmarks.scale.StableRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code bench stable}: costs of a fleet without changes, and travel time of an event. */
@Command(
        name = "stable",
        description = {
            "The cost of a fleet without changes, and the travel time of an event.",
            "Engine and simulator run as separate processes and communicate over loopback."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class StableCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Mixin private final FleetOptions fleet = new FleetOptions(1, 6000, "1g");

    @Option(names = "--cycles", paramLabel = "N", description = "Statistics cycles to measure.")
    private int cycles = 40;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Cycles before them that are left out.")
    private int warmup = 20;

    @Option(
            names = "--report-size",
            paramLabel = "SIZE",
            description = "small (about 1.8 KB per VM) or full (about 3.3 KB).")
    private ReportSize reportSize = ReportSize.FULL;

    @Option(
            names = "--relay",
            description =
                    "Simulated relays push the numbers of VMs; the engine does not poll for them.")
    private boolean relay;

    @Option(
            names = "--relays",
            paramLabel = "N",
            showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description = "How many relays --relay starts (default: one for each 100 hosts).")
    private @Nullable Integer relays;

    @Option(
            names = "--moving",
            paramLabel = "SHARE",
            description = "Share of VMs with new numbers in each poll of a relay, 0 to" + " 1.")
    private double moving = 1;

    @Option(
            names = "--warehouse",
            description =
                    "A data warehouse samples the database once a minute, so the engine dumps"
                            + " statistics for it; otherwise the dump rests.")
    private boolean warehouse;

    @Option(
            names = "--event-time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long latencies are measured.")
    private Duration eventTime = Duration.ofSeconds(30);

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> engineJvmOptions = new ArrayList<>();

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Runs; the median and range of several are printed.")
    private int repeat = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Option(
            names = "--profile",
            description =
                    "Add the engine's profile of the measured cycles: CPU and allocation by stage,"
                            + " statements, memory.")
    private boolean profile;

    @Option(
            names = "--pictures",
            paramLabel = "FOLDER",
            description =
                    "Draw the figures of --profile there as SVG, beside published ones, and write"
                            + " their data to profile.json.")
    private @Nullable Path pictures;

    @Option(
            names = "--profile-cost",
            description =
                    "Measure the cost of the engine's own profile instead, switched on and off in"
                            + " turns in one engine.")
    private boolean profileCost;

    @Option(
            names = "--against",
            paramLabel = "FILE",
            description =
                    "Compare with the figures of an earlier --json, by stage if both have"
                            + " --profile, with the noise of the runs beside the change.")
    private @Nullable Path against;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (against != null && !Files.isReadable(against)) {
            throw new IllegalArgumentException("--against: " + against + " cannot be read");
        }
        if (repeat < 1 || cycles < 1 || warmup < 0) {
            throw new IllegalArgumentException(
                    "--repeat and --cycles must be 1 or more, --warmup 0 or more");
        }
        if (pictures != null && !profile) {
            throw new IllegalArgumentException("--pictures needs --profile");
        }
        if (relays != null && !relay) {
            throw new IllegalArgumentException("--relays needs --relay");
        }
        int count = relays == null ? (fleet.hosts() + 99) / 100 : relays;
        StablePlan plan =
                fleet.plan(
                        cycles,
                        warmup,
                        reportSize,
                        eventTime,
                        engineJvmOptions,
                        relay ? new StablePlan.Relays(count, moving) : null);
        if (profileCost) {
            System.out.print(new ProfileCostRun(plan, System.out).measure().text());
            return 0;
        }
        List<Figures> runs = new ArrayList<>();
        List<RunProfile> profiles = new ArrayList<>();
        for (int run = 1; run <= repeat; run++) {
            if (repeat > 1) {
                System.out.println("Run " + run + " of " + repeat);
            }
            runs.add(
                    new StableRun(plan, System.out, profile ? profiles::add : null, warehouse)
                            .measure());
        }
        Report report = new Report(plan, Report.Machine.here(), origin(), runs, profiles);
        Results.print(spec, report.table());
        if (json != null) {
            report.writeJson(json);
            System.out.println("\nWritten to " + json);
        }
        if (pictures != null) {
            Path data = pictures.resolve(ProfilePictures.DATA);
            report.writeJson(data);
            for (Path picture : ProfilePictures.write(data)) {
                System.out.println("Drawn: " + picture);
            }
        }
        if (against != null) {
            compare(report, against);
        }
        return 0;
    }

    private void compare(Report report, Path before) throws IOException {
        Path now = json;
        if (now != null) {
            System.out.print(Comparison.of(before, now).table());
            return;
        }
        Path file = Files.createTempFile("stillwater-bench", ".json");
        try {
            report.writeJson(file);
            System.out.print(Comparison.of(before, file).table());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private Report.Origin origin() throws IOException, InterruptedException {
        return new Report.Origin(
                Checkout.commit(Path.of("")),
                "stable"
                        + Objects.requireNonNull(spec)
                                .commandLine()
                                .getParseResult()
                                .originalArgs()
                                .stream()
                                .dropWhile(argument -> !argument.startsWith("-"))
                                .map(argument -> " " + argument)
                                .collect(Collectors.joining())
                                .replaceFirst(" --json[ =]\\S+", ""));
    }

    /** Reads 15s, 500ms or 2m. */
    static final class DurationConverter implements ITypeConverter<Duration> {

        @Override
        public Duration convert(String value) {
            try {
                String text = value.strip().toLowerCase(Locale.ROOT);
                return text.endsWith("ms")
                        ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                        : Duration.parse("PT" + text);
            } catch (RuntimeException e) {
                throw new TypeConversionException(
                        "'" + value + "' is no time such as 15s, 500ms or 2m");
            }
        }
    }
}
