package org.stillwater.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.Programs;
import org.stillwater.benchmarks.scale.StablePlan.Relays;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Option;

/** The fleet of a measurement and the engine that watches it: options that its verbs share. */
final class FleetOptions {

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts.")
    private int hosts;

    @Option(names = "--vms", paramLabel = "N", description = "Virtual machines in all.")
    private int vms;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "From one statistics cycle to the next, such as 15s or 500ms.")
    private Duration interval = Duration.ofSeconds(15);

    @Option(names = "--plain", description = "Without TLS.")
    private boolean plain;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            description = "Status changes per second while latencies are measured; 0 for none.")
    private int eventsPerSecond = 50;

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String engineHeap;

    @Option(
            names = "--engine-option",
            paramLabel = "OPTION",
            description = "One more option of the engine; may be repeated.")
    private List<String> engineOptions = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the simulated world.")
    private long seed = 1;

    /** Options with these defaults. */
    FleetOptions(int hosts, int vms, String engineHeap) {
        this.hosts = hosts;
        this.vms = vms;
        this.engineHeap = engineHeap;
    }

    int eventsPerSecond() {
        return eventsPerSecond;
    }

    /**
     * The plan of a measurement of this fleet.
     *
     * @param eventTime how long latencies are measured
     * @param engineJvmOptions more options of the engine's JVM
     */
    StablePlan plan(
            int cycles,
            int warmup,
            ReportSize reportSize,
            Duration eventTime,
            List<String> engineJvmOptions) {
        return plan(cycles, warmup, reportSize, eventTime, engineJvmOptions, null);
    }

    /** The same with relays. */
    StablePlan plan(
            int cycles,
            int warmup,
            ReportSize reportSize,
            Duration eventTime,
            List<String> engineJvmOptions,
            @Nullable Relays relays) {
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
                folder("folder"),
                relays);
    }

    int hosts() {
        return hosts;
    }

    /** A folder that the launcher names. */
    static Path folder(String name) {
        String property = "stillwater.bench." + name;
        String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalArgumentException(
                    "-D" + property + " is not set; start this as ./stillwater bench");
        }
        return Path.of(value);
    }
}
