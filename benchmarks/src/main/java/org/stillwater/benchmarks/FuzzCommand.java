package org.stillwater.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.scale.FuzzRun;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench fuzz}: requests that nobody should send. */
@Command(
        name = "fuzz",
        description = {
            "Sends malformed requests to every interface: JSON, XML, search strings, headers,"
                    + " paths.",
            "Exit 1 if any is answered with a server error; 503 is a refusal, and counted."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class FuzzCommand implements Callable<Integer> {

    @Mixin private final FleetOptions fleet = new FleetOptions(2, 40, "512m");

    @Option(names = "--requests", paramLabel = "N", description = "Requests in all.")
    private int requests = 50_000;

    @Option(names = "--fuzz-seed", paramLabel = "N", description = "Seed of the requests.")
    private long seed = 20_261_122;

    @Override
    public Integer call() throws IOException, InterruptedException {
        FuzzRun.Result result =
                new FuzzRun(
                                fleet.plan(1, 0, ReportSize.SMALL, Duration.ZERO, List.of()),
                                requests,
                                seed,
                                System.out)
                        .run();
        System.out.print(result.table());
        System.out.println("on " + Report.Machine.here().describe());
        return result.isFine() ? 0 : 1;
    }
}
