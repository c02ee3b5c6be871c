package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Figures;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.Programs;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import org.stillwater.benchmarks.scale.StableRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code bench stable}: what a fleet costs in which nothing changes, and how fast news travel. */
@Command(
        name = "stable",
        description = {
            "What a fleet costs in which nothing changes, and how fast an event travels through"
                    + " it.",
            "Engine and simulator run as processes of their own and talk over loopback."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class StableCommand implements Callable<Integer> {

    @Option(names = "--vms", paramLabel = "N", description = "Virtual machines in all.")
    private int vms = 6000;

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts they are spread over.")
    private int hosts = 1;

    @Option(names = "--cycles", paramLabel = "N", description = "Statistics cycles to measure.")
    private int cycles = 40;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Cycles before them that are left out.")
    private int warmup = 20;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "From one statistics cycle to the next, such as 15s or 500ms.")
    private Duration interval = Duration.ofSeconds(15);

    @Option(names = "--plain", description = "Without TLS.")
    private boolean plain;

    @Option(
            names = "--report-size",
            paramLabel = "SIZE",
            description = "small (about 1.8 KB per VM) or full (about 3.3 KB).")
    private ReportSize reportSize = ReportSize.FULL;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            description =
                    "Status changes per second while latencies are measured, after the cycles; 0"
                            + " for none.")
    private int eventsPerSecond = 50;

    @Option(
            names = "--event-time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long latencies are measured.")
    private Duration eventTime = Duration.ofSeconds(30);

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String engineHeap = "1g";

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> engineJvmOptions = new ArrayList<>();

    @Option(
            names = "--engine-option",
            paramLabel = "OPTION",
            description = "One more option of the engine; may be repeated.")
    private List<String> engineOptions = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the simulated world.")
    private long seed = 1;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Runs; the median and range of several are told.")
    private int repeat = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (repeat < 1 || cycles < 1 || warmup < 0) {
            throw new IllegalArgumentException(
                    "--repeat and --cycles must be 1 or more, --warmup 0 or more");
        }
        StablePlan plan = plan();
        List<Figures> runs = new ArrayList<>();
        for (int run = 1; run <= repeat; run++) {
            if (repeat > 1) {
                System.out.println("Run " + run + " of " + repeat);
            }
            runs.add(new StableRun(plan, System.out).measure());
        }
        Report report = new Report(plan, Report.Machine.here(), runs);
        System.out.print(report.table());
        if (json != null) {
            report.writeJson(json);
            System.out.println("\nWritten to " + json);
        }
        return 0;
    }

    private StablePlan plan() {
        return new StablePlan(
                vms,
                hosts,
                cycles,
                warmup,
                interval,
                !plain,
                reportSize,
                eventsPerSecond,
                eventTime,
                engineHeap,
                engineJvmOptions,
                engineOptions,
                seed,
                new Programs(folder("engine"), folder("fake")),
                folder("folder"));
    }

    static Path folder(String name) {
        String property = "stillwater.bench." + name;
        String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalArgumentException(
                    "-D" + property + " is not set; start this as ./stillwater bench");
        }
        return Path.of(value);
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
