package org.stillwater.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.start.StartPlan;
import org.stillwater.benchmarks.start.StartRun;
import org.stillwater.core.store.StoreUnavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench start}: how soon an engine serves its database's content. */
@Command(
        name = "start",
        description = {
            "How long from the start of the JVM until the engine serves all VMs that its database"
                    + " holds.",
            "Also by how many statements it loads them, and how it connects to its hosts, which"
                    + " take connections and hang up."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class StartCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Option(names = "--vms", paramLabel = "N", description = "Virtual machines in the database.")
    private int vms = 100_000;

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts they are spread over.")
    private int hosts = 1_000;

    @Option(names = "--rounds", paramLabel = "N", description = "How often it is started.")
    private int rounds = 3;

    @Option(
            names = "--attach",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long attempts to connect are counted, such as 15s.")
    private Duration attach = Duration.ofSeconds(15);

    @Option(names = "--engine-heap", paramLabel = "SIZE", description = "The engine's -Xmx.")
    private String heap = "1g";

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(
            names = "--engine-option",
            paramLabel = "OPTION",
            description = "One more option of the engine; may be repeated.")
    private List<String> engineOptions = new ArrayList<>();

    @Override
    public Integer call() throws IOException, SQLException, StoreUnavailable, InterruptedException {
        StartPlan plan =
                new StartPlan(
                        vms,
                        hosts,
                        rounds,
                        attach,
                        FleetOptions.folder("engine"),
                        heap,
                        jvmOptions,
                        engineOptions,
                        FleetOptions.folder("folder"));
        Results.print(spec, new StartRun(plan, System.out).measure() + Results.machine());
        return 0;
    }
}
