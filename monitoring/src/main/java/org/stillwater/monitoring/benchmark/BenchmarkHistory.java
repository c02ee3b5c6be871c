package org.stillwater.monitoring.benchmark;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkRun;

/**
 * Runs of one VM or host. Immutable.
 *
 * @param runs the runs, oldest first
 * @param matrices a matrix for each setup, the one with the newest run last
 */
public record BenchmarkHistory(List<BenchmarkRun> runs, List<BenchmarkMatrix> matrices) {

    /** For an object without runs. */
    static final BenchmarkHistory NONE = new BenchmarkHistory(List.of(), List.of());

    public BenchmarkHistory {
        runs = List.copyOf(runs);
        matrices = List.copyOf(matrices);
    }

    /** The matrix of the setup of the newest run, null without runs. */
    public @Nullable BenchmarkMatrix newest() {
        return matrices.isEmpty() ? null : matrices.getLast();
    }
}
