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

/** {@code bench fuzz}: requests that no client should send. */
@Command(
        name = "fuzz",
        description = {
            "Sends malformed requests to every interface: JSON, XML, search strings, headers,"
                    + " paths.",
            "Exit 1 if any is answered with a server error, or if heap, threads or connections"
                    + " leak; 503 is a refusal, and counted."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class FuzzCommand implements Callable<Integer> {

    /** A sender of nonsense does not wait long for its outcome. */
    private static final List<String> IMPATIENT =
            List.of("-Dstillwater.ovirt.actions.ordered=1s", "-Dstillwater.ovirt.actions.ended=1s");

    @Mixin private final FleetOptions fleet = new FleetOptions(2, 40, "512m");

    @Option(names = "--requests", paramLabel = "N", description = "Requests in all.")
    private int requests = 50_000;

    @Option(names = "--fuzz-seed", paramLabel = "N", description = "Seed of the requests.")
    private long seed = 20_261_122;

    @Option(
            names = "--schemathesis",
            paramLabel = "N",
            description =
                    "Then runs schemathesis with N examples of each operation of the native"
                            + " interface; 0 for none.")
    private int schemathesis;

    @Override
    public Integer call() throws IOException, InterruptedException {
        FuzzRun.Result result =
                new FuzzRun(
                                fleet.plan(1, 0, ReportSize.SMALL, Duration.ZERO, IMPATIENT),
                                requests,
                                seed,
                                schemathesis,
                                System.out)
                        .run();
        System.out.println("on " + Report.Machine.here().describe());
        System.out.print(result.table());
        return result.isFine() ? 0 : 1;
    }
}
