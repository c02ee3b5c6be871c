package org.stillwater.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.scale.HaRun;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench ha}: many starts at once, and the loss of a host. */
@Command(
        name = "ha",
        description = {
            "How long the highly available VMs of a lost host take to run elsewhere, in which"
                    + " order, and at which cost.",
            "Adds highly available VMs, starts all of them by one request, then switches one host"
                    + " off and confirms that."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class HaCommand implements Callable<Integer> {

    @Mixin private final FleetOptions fleet = new FleetOptions(20, 20, "1g");

    @Option(
            names = "--start",
            paramLabel = "N",
            description = "VMs that are added and started, beside those that run already.")
    private int started = 1_000;

    @Option(names = "--priorities", paramLabel = "N", description = "Different priorities.")
    private int priorities = 4;

    @Override
    public Integer call() throws IOException, InterruptedException {
        HaRun run =
                new HaRun(
                        fleet.plan(1, 0, ReportSize.SMALL, Duration.ZERO, List.of()),
                        started,
                        priorities,
                        System.out);
        HaRun.Result result = run.measure();
        System.out.print(result.table());
        System.out.println("on " + Report.Machine.here().describe());
        return result.isComplete() ? 0 : 1;
    }
}
