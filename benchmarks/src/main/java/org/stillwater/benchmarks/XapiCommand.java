package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.EngineProcess;
import org.stillwater.benchmarks.xapi.XapiPlan;
import org.stillwater.benchmarks.xapi.XapiRun;
import org.stillwater.benchmarks.xapi.XapiSection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench xapi}: costs of XAPI pools for the engine. */
@Command(
        name = "xapi",
        description = {
            "The cost of XAPI pools for the engine, beside its targets and npm's xen-api in the"
                    + " same run. Pools, engine and xen-api are separate processes.",
            "Sections:",
            "  decode    processor time of reading a whole pool and a batch of changes, by"
                    + " encoding",
            "  sync      from the login until all VMs are listed; REST reads and stalls"
                    + " meanwhile",
            "  latency   from a change to memory, subscriber and row; servers collect no metrics",
            "  batching  the same while servers gather events as real ones do",
            "  burst     until the last of many changes at once is in memory",
            "  metrics   the metrics of all hosts",
            "  death     until the death of a host shows",
            "  stable    processor time and SQL of pools without changes",
            "The usual pool has 64 hosts and 5000 VMs. A trial: --hosts 4 --vms 100"
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class XapiCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Option(
            names = "--only",
            paramLabel = "SECTION",
            split = ",",
            description = "Sections to measure, separated by commas; all without it.")
    private List<XapiSection> only = new ArrayList<>();

    @Option(
            names = "--skip",
            paramLabel = "SECTION",
            split = ",",
            description = "Sections to leave out, separated by commas.")
    private List<XapiSection> skip = new ArrayList<>();

    @Option(names = "--pools", paramLabel = "N", description = "Pools of the section stable.")
    private int pools = 10;

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts of each pool, 2 to 64.")
    private int hosts = 64;

    @Option(names = "--vms", paramLabel = "N", description = "VMs of each pool.")
    private int vms = 5_000;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Readings, batches and rounds of metrics that count.")
    private int rounds = 9;

    @Option(names = "--warm-up", paramLabel = "N", description = "Readings before them.")
    private int warmUp = 5;

    @Option(
            names = "--syncs",
            paramLabel = "N",
            description = "Pools of the section sync by each encoding.")
    private int syncs = 3;

    @Option(
            names = "--changes",
            paramLabel = "N",
            description = "VMs that change one by one; at most three in four that run.")
    private int changes = 3_000;

    @Option(names = "--per-second", paramLabel = "N", description = "Changes a second.")
    private int perSecond = 100;

    @Option(
            names = "--watch",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long stable pools are watched. Default: 2m, below 1000 VMs 8s.")
    private @Nullable Duration watch;

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String engineHeap = "4g";

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> engineJvmOptions = new ArrayList<>();

    @Option(names = "--simulator-heap", paramLabel = "SIZE", description = "The simulator's -Xmx.")
    private String simulatorHeap = "6g";

    @Option(names = "--no-peer", description = "Without npm's xen-api.")
    private boolean noPeer;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of pools and changes.")
    private long seed = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Set<XapiSection> sections =
                only.isEmpty() ? EnumSet.allOf(XapiSection.class) : EnumSet.copyOf(only);
        skip.forEach(sections::remove);
        if (sections.isEmpty()) {
            throw new IllegalArgumentException("--skip leaves no section");
        }
        XapiPlan plan =
                new XapiPlan(
                        pools,
                        hosts,
                        vms,
                        rounds,
                        warmUp,
                        syncs,
                        changes,
                        perSecond,
                        watch,
                        seed,
                        engineHeap,
                        engineJvmOptions,
                        simulatorHeap,
                        !noPeer,
                        EngineProcess.program(FleetOptions.folder("engine")),
                        FleetOptions.folder("folder").resolve("xapi"));
        XapiRun run = new XapiRun(plan, System.out);
        run.measure(sections);
        Results.print(spec, run.summary() + Results.machine());
        if (json != null) {
            run.writeJson(json, Checkout.commit(Path.of("")), command());
            System.out.println("Written to " + json);
        }
        return run.isComplete() ? 0 : 1;
    }

    private String command() {
        return "./stillwater bench xapi"
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
