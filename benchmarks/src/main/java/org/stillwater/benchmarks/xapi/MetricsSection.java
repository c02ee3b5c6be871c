package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import org.stillwater.xapi.client.HostMetrics;

/** Cost of the adapter alone to read the metrics of all hosts of a pool, one row of each. */
final class MetricsSection {

    /** Rounds are short: it takes more of them until the compiler has seen them. */
    private static final int WARM_UP = 40;

    private static final double MILLIS = 1e6;
    private static final Double TARGET = 30.0;

    private final XapiPlan plan;
    private final Measures measures;

    MetricsSection(XapiPlan plan, Measures measures) {
        this.plan = plan;
        this.measures = measures;
    }

    void measure() throws IOException, InterruptedException {
        try (PoolProcess pools =
                PoolProcess.start(
                        plan.folder().resolve("metrics-pools"),
                        plan.simulatorHeap(),
                        new PoolProcess.Size(
                                1, plan.hosts(), plan.vms(), plan.seed(), "today", false))) {
            Sorted cpu =
                    Sorted.of(
                            PoolReading.metrics(pools, WARM_UP, plan.rounds()).stream()
                                    .map(nanos -> nanos / MILLIS)
                                    .toList());
            measures.add(
                    XapiSection.METRICS,
                    "%d hosts, one row each %d s: requests, replies, decoding, CPU of the process"
                            .formatted(plan.hosts(), HostMetrics.STEP_SECONDS),
                    "ms",
                    cpu.median(),
                    TARGET);
        }
    }
}
