package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.xapi.XapiRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench xapi}: what reading a whole XAPI pool costs by encoding. */
@Command(
        name = "xapi",
        description = {
            "Processor time and time until all is visible of a whole XAPI pool, by encoding:"
                    + " JSON-RPC, JSON inside XML-RPC, XML-RPC.",
            "Pools are simulated in processes of their own: S has 2 hosts and 40 VMs, M 16 and"
                    + " 1000, L 64 and 5000."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class XapiCommand implements Callable<Integer> {

    @Option(
            names = "--pools",
            paramLabel = "SIZE",
            split = ",",
            description = "Sizes, separated by commas.")
    private List<XapiRun.Size> pools =
            new ArrayList<>(List.of(XapiRun.Size.S, XapiRun.Size.M, XapiRun.Size.L));

    @Option(names = "--rounds", paramLabel = "N", description = "Readings that count.")
    private int rounds = 9;

    @Option(names = "--warm-up", paramLabel = "N", description = "Readings before them.")
    private int warmUp = 5;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the pools.")
    private long seed = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || warmUp < 0) {
            throw new IllegalArgumentException("--rounds is 1 or more, --warm-up 0 or more");
        }
        XapiRun run = new XapiRun(pools, rounds, warmUp, seed, System.out);
        run.measure();
        System.out.println("on " + Report.Machine.here().describe());
        if (json != null) {
            run.writeJson(json);
            System.out.println("Written to " + json);
        }
        return 0;
    }
}
