package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.benchmarks.xapi.Measure;
import org.stillwater.benchmarks.xapi.PoolEngineRun;
import org.stillwater.benchmarks.xapi.XapiRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench xapi}: what XAPI pools cost the engine. */
@Command(
        name = "xapi",
        description = {
            "What XAPI pools cost, simulated in a process of their own: reading a whole pool by"
                    + " encoding, and what the engine reaches with them in another process.",
            "Parts: reading (processor time and time until all is visible by JSON-RPC, JSON inside"
                    + " XML-RPC, XML-RPC), sync, changes, burst, stable, death.",
            "Sizes of reading: S has 2 hosts and 40 VMs, M 16 and 1000, L 64 and 5000."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class XapiCommand implements Callable<Integer> {

    /** What can be asked for. */
    enum Part {
        /** By the adapter alone. */
        READING(null),
        /** By the engine. */
        SYNC(PoolEngineRun.Part.SYNC),
        CHANGES(PoolEngineRun.Part.CHANGES),
        BURST(PoolEngineRun.Part.BURST),
        STABLE(PoolEngineRun.Part.STABLE),
        DEATH(PoolEngineRun.Part.DEATH);

        private final PoolEngineRun.@Nullable Part ofEngine;

        Part(PoolEngineRun.@Nullable Part ofEngine) {
            this.ofEngine = ofEngine;
        }
    }

    @Option(
            names = "--parts",
            paramLabel = "PART",
            split = ",",
            description = "Parts, separated by commas.")
    private List<Part> parts = new ArrayList<>(List.of(Part.values()));

    @Option(
            names = "--pools",
            paramLabel = "SIZE",
            split = ",",
            description = "Sizes of reading, separated by commas.")
    private List<XapiRun.Size> pools =
            new ArrayList<>(List.of(XapiRun.Size.S, XapiRun.Size.M, XapiRun.Size.L));

    @Option(names = "--rounds", paramLabel = "N", description = "Readings that count.")
    private int rounds = 9;

    @Option(names = "--warm-up", paramLabel = "N", description = "Readings before them.")
    private int warmUp = 5;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            description = "Hosts of each pool that the engine watches, 2 to 64.")
    private int hosts = 64;

    @Option(names = "--vms", paramLabel = "N", description = "VMs of each such pool.")
    private int vms = 5_000;

    @Option(
            names = "--changes",
            paramLabel = "N",
            description = "VMs that change, a hundred each second.")
    private int changes = 3_000;

    @Option(
            names = "--stable-pools",
            paramLabel = "N",
            description = "Pools in which nothing happens.")
    private int stablePools = 10;

    @Option(
            names = "--watch",
            paramLabel = "SECONDS",
            description = "How long stable pools are watched.")
    private int watch = 120;

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String heap = "4g";

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the pools.")
    private long seed = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException, SQLException {
        if (rounds < 1 || warmUp < 0 || watch < 1) {
            throw new IllegalArgumentException(
                    "--rounds and --watch are 1 or more, --warm-up 0 or more");
        }
        XapiRun run = new XapiRun(pools, rounds, warmUp, seed, System.out);
        if (parts.contains(Part.READING)) {
            run.measure();
        }
        List<PoolEngineRun.Part> ofEngine = new ArrayList<>();
        for (Part part : parts) {
            if (part.ofEngine != null) {
                ofEngine.add(part.ofEngine);
            }
        }
        List<Measure> measures = List.of();
        if (!ofEngine.isEmpty()) {
            measures =
                    new PoolEngineRun(
                                    new PoolEngineRun.Plan(
                                            hosts,
                                            vms,
                                            rounds,
                                            changes,
                                            stablePools,
                                            Duration.ofSeconds(watch)),
                                    seed,
                                    FleetOptions.folder("engine"),
                                    FleetOptions.folder("folder"),
                                    heap,
                                    System.out)
                            .measure(ofEngine);
        }
        System.out.println("on " + Report.Machine.here().describe());
        if (json != null) {
            run.writeJson(json, measures);
            System.out.println("Written to " + json);
        }
        return 0;
    }
}
