package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.regressions.RegressionsRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench regressions}: how well the detector of change points does. */
@Command(
        name = "regressions",
        description = {
            "Precision, recall, false alarms, begins, intervals and time of the engine's detector"
                    + " of change points, by size of the step, noise and correlation.",
            "Apache Otava and MongoDB's E-divisive read the same series beside it. They need Python"
                    + " and are installed from PyPI once, below the user's cache directory."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class RegressionsCommand implements Callable<Integer> {

    @Option(
            names = "--series",
            paramLabel = "N",
            description = {
                "Series of the engine's generator, rounded up to as many in each cell;",
                "otava-test-data makes a quarter as many."
            })
    private int series = 2400;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the series.")
    private long seed = 1;

    @Option(
            names = "--no-peers",
            description = "Measures the engine's detector alone, on its own generator.")
    private boolean noPeers;

    @Option(names = "--no-fleet", description = "Leaves the findings of a model fleet out.")
    private boolean noFleet;

    @Option(
            names = "--peer-time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long one peer may take before it is skipped.")
    private Duration peerTime = Duration.ofMinutes(10);

    @Option(names = "--json", paramLabel = "FILE", description = "Where to write the figures.")
    private @Nullable Path json;

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path file = json;
        if (file != null && !isWritable(file)) {
            throw new IllegalArgumentException("--json: cannot write the file " + file);
        }
        RegressionsRun run =
                new RegressionsRun(
                        series,
                        seed,
                        !noPeers,
                        !noFleet,
                        peerTime.toSeconds(),
                        Results.stream(spec));
        run.measure();
        Results.print(spec, Results.machine());
        if (file != null) {
            run.writeJson(file);
            System.out.println("Written to " + file);
        }
        return 0;
    }

    /** Looked at before the run, which takes minutes. */
    private static boolean isWritable(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return !file.toString().isEmpty()
                && !Files.isDirectory(file)
                && folder != null
                && (Files.exists(file) ? Files.isWritable(file) : Files.isWritable(folder));
    }
}
