package org.stillwater.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.SoakRun;
import org.stillwater.benchmarks.scale.StablePlan;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench soak}: whether anything grows without an end. */
@Command(
        name = "soak",
        description = {
            "Whether heap, threads, files, rows or partitions grow without an end while days pass"
                    + " on an accelerated clock.",
            "VMs change all the time, or until the quiet days, and hosts are cut off in turns. Exit"
                    + " code 1 if a figure grows."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class SoakCommand implements Callable<Integer> {

    private static final int GROWS = 1;

    @Mixin private final FleetOptions fleet = new FleetOptions(10, 500, "512m");

    @Option(names = "--days", paramLabel = "N", description = "Days to pass through.")
    private int days = 7;

    @Option(
            names = "--step",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "By how much the clock moves at once.")
    private Duration step = Duration.ofMinutes(30);

    @Option(
            names = "--pause",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Time between two steps on the machine's clock.")
    private Duration pause = Duration.ofSeconds(2);

    @Option(
            names = "--restarts",
            paramLabel = "N",
            description = "Restarts of hosts' agents, spread over the whole time.")
    private int restarts = 0;

    @Option(
            names = "--quiet-days",
            paramLabel = "N",
            description = "Days at the end in which no VM changes.")
    private int quietDays = 0;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (days < 3
                || !step.isPositive()
                || !pause.isPositive()
                || step.toHours() > 12
                || restarts < 0
                || quietDays < 0
                || quietDays >= days) {
            throw new IllegalArgumentException(
                    "--days must be 3 or more, --step at most 12h, --pause more than 0, --restarts"
                            + " 0 or more, --quiet-days less than --days");
        }
        requireTimeFor(restarts);
        StablePlan plan = fleet.plan(1, 0, ReportSize.SMALL, Duration.ofSeconds(1), List.of());
        List<String> options = new ArrayList<>(plan.engineOptions());
        options.add("--stillwater.clock.offset-file=" + SoakRun.offsetFile(plan.folder()));
        options.addAll(SoakRun.retentions());
        SoakRun.Result result =
                new SoakRun(
                                with(plan, options),
                                Duration.ofDays(days),
                                step,
                                pause,
                                restarts,
                                Duration.ofDays(quietDays),
                                System.out)
                        .measure();
        System.out.print(result.table());
        System.out.println("on " + Report.Machine.here().describe());
        return result.grows() ? GROWS : 0;
    }

    /**
     * A host that recovers from a restart is not restarted: so many need steps, hosts and pauses.
     */
    private void requireTimeFor(int wanted) {
        long possible = SoakRun.restartsPossible(fleet.hosts(), Duration.ofDays(days), step, pause);
        if (wanted > possible) {
            throw new IllegalArgumentException(
                    "--restarts is at most %d with %d hosts and a --pause of %s: a host recovers for %s after each; more --hosts or a longer --pause allow more"
                            .formatted(possible, fleet.hosts(), pause, SoakRun.BETWEEN_RESTARTS));
        }
    }

    private static StablePlan with(StablePlan plan, List<String> options) {
        return new StablePlan(
                plan.vms(),
                plan.hosts(),
                plan.cycles(),
                plan.warmupCycles(),
                plan.interval(),
                plan.tls(),
                plan.reportSize(),
                plan.eventsPerSecond(),
                plan.eventTime(),
                plan.engineHeap(),
                plan.engineJvmOptions(),
                options,
                plan.seed(),
                plan.programs(),
                plan.folder());
    }
}
