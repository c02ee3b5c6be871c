package org.stillwater.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.BulkheadsPlan;
import org.stillwater.benchmarks.scale.BulkheadsRun;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Mixin private final FleetOptions fleet = new FleetOptions(1000, 20_000, "2g");

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

    @Override
    public Integer call() throws IOException, InterruptedException {
        BulkheadsPlan plan =
                new BulkheadsPlan(
                        fleet.plan(1, 0, ReportSize.SMALL, phase, List.of()),
                        rounds,
                        phase,
                        fleet.eventsPerSecond(),
                        sickPercent);
        List<BulkheadsRun.Phase> phases = new BulkheadsRun(plan, System.out).measure();
        System.out.print(BulkheadsRun.table(phases));
        System.out.println("on " + Report.Machine.here().describe());
        return 0;
    }
}
