package org.stillwater.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.BulkheadsPlan;
import org.stillwater.benchmarks.scale.BulkheadsRun;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.Programs;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench bulkheads}: whether sick hosts delay the healthy ones. */
@Command(
        name = "bulkheads",
        description = {
            "Whether hosts that are frozen, slow or flapping delay the others' events and polls.",
            "Phases in which all are well alternate with phases in which some are sick."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class BulkheadsCommand implements Callable<Integer> {

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts.")
    private int hosts = 1000;

    @Option(names = "--vms", paramLabel = "N", description = "Virtual machines in all.")
    private int vms = 20_000;

    @Option(
            names = "--sick-percent",
            paramLabel = "N",
            description = "Share of the hosts that is frozen, that is slow and that flaps, each.")
    private double sickPercent = 1;

    @Option(names = "--rounds", paramLabel = "N", description = "Pairs of phases.")
    private int rounds = 3;

    @Option(
            names = "--phase",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long each phase is measured, such as 60s.")
    private Duration phase = Duration.ofSeconds(60);

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "From one statistics cycle to the next, such as 15s or 500ms.")
    private Duration interval = Duration.ofSeconds(15);

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            description = "Status changes per second of VMs on healthy hosts.")
    private int eventsPerSecond = 50;

    @Option(names = "--plain", description = "Without TLS.")
    private boolean plain;

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String engineHeap = "2g";

    @Option(
            names = "--engine-option",
            paramLabel = "OPTION",
            description = "One more option of the engine; may be repeated.")
    private List<String> engineOptions = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the simulated world.")
    private long seed = 1;

    @Override
    public Integer call() throws IOException, InterruptedException {
        BulkheadsPlan plan =
                new BulkheadsPlan(
                        new StablePlan(
                                vms,
                                hosts,
                                1,
                                0,
                                interval,
                                !plain,
                                ReportSize.SMALL,
                                eventsPerSecond,
                                phase,
                                engineHeap,
                                List.of(),
                                engineOptions,
                                seed,
                                new Programs(
                                        StableCommand.folder("engine"),
                                        StableCommand.folder("fake")),
                                StableCommand.folder("folder")),
                        rounds,
                        phase,
                        eventsPerSecond,
                        sickPercent);
        List<BulkheadsRun.Phase> phases = new BulkheadsRun(plan, System.out).measure();
        System.out.print(BulkheadsRun.table(phases));
        System.out.println("on " + Report.Machine.here().describe());
        return 0;
    }
}
