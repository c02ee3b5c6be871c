package org.stillwater.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.write.WritePlan;
import org.stillwater.benchmarks.write.WriteRun;
import org.stillwater.core.store.StoreUnavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench write}: how many changed rows the engine's writer makes durable. */
@Command(
        name = "write",
        description = {
            "Changed rows per second of the engine's writer, the latency of a change, and the cost"
                    + " in PostgreSQL.",
            "A naive writer, which sets every column of one row by each statement, runs beside it."
                    + " At the end every row is compared with the written values."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class WriteCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Option(names = "--vms", paramLabel = "N", description = "Rows of the fleet.")
    private int vms = 100_000;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Changes per second of the paced phase.")
    private int rate = 50_000;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = {
                "Unmeasured time in which each writer runs at full speed, so that the JVM compiles",
                "its code."
            })
    private Duration warmUp = Duration.ofSeconds(15);

    @Option(
            names = "--time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long the paced phase lasts, such as 60s.")
    private Duration time = Duration.ofSeconds(60);

    @Option(
            names = "--flat-out",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long each phase lasts that goes as fast as it can.")
    private Duration flatOut = Duration.ofSeconds(20);

    @Option(names = "--rounds", paramLabel = "N", description = "How often each phase is run.")
    private int rounds = 1;

    @Option(
            names = "--backlog",
            paramLabel = "N",
            description = "VMs that may wait for the engine's writer.")
    private int backlog = 20_000;

    @Option(
            names = "--naive-commit",
            paramLabel = "N",
            description = "Rows after which the naive writer commits.")
    private int naiveCommit = 100;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the changes.")
    private long seed = 1;

    @Override
    public Integer call() throws IOException, InterruptedException, SQLException, StoreUnavailable {
        WritePlan plan =
                new WritePlan(
                        vms,
                        rate,
                        backlog,
                        warmUp,
                        time,
                        flatOut,
                        rounds,
                        naiveCommit,
                        seed,
                        FleetOptions.folder("folder"));
        Results.print(spec, new WriteRun(plan, System.out).measure() + Results.machine());
        return 0;
    }
}
