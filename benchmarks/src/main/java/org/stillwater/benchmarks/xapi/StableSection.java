package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.benchmarks.scale.ProcessCpu;
import org.stillwater.xapi.client.XapiEncoding;

/**
 * Cost of pools without changes: watched by events alone, and with the statistics cycles that read
 * the metrics of all hosts.
 */
final class StableSection {

    private static final Double SHARE_TARGET = 1.0;
    private static final Double STATEMENTS_TARGET = 0.0;
    private static final Duration QUIET = Duration.ofSeconds(15);

    /** The wait for quiet reads all meters again and again, which are compiled after it. */
    private static final Duration SETTLED = Duration.ofMinutes(1);

    private static final Duration QUIET_OF_TRIALS = Duration.ofSeconds(1);

    /** So long that none comes while pools are watched. */
    private static final String NO_CYCLES = "--stillwater.cycle.interval=1h";

    /** Stages of statements that are not of monitoring. */
    private static final List<String> OTHERS =
            List.of(
                    "dwh",
                    "history",
                    "regressions",
                    "configuration",
                    "audit",
                    "load",
                    "health",
                    "other");

    private final XapiPlan plan;
    private final Measures measures;
    private final HarnessClock clock = new HarnessClock();

    StableSection(XapiPlan plan, Measures measures) {
        this.plan = plan;
        this.measures = measures;
    }

    void measure() throws IOException, InterruptedException {
        measures.say(
                "stable: %d pools of %d hosts and %d VMs, watched for %d s each time"
                        .formatted(
                                plan.pools(),
                                plan.hosts(),
                                plan.vms(),
                                plan.watched().toSeconds()));
        try (PoolProcess pools =
                PoolProcess.start(
                        plan.folder().resolve("stable-pools"),
                        plan.simulatorHeap(),
                        new PoolProcess.Size(
                                plan.pools(),
                                plan.hosts(),
                                plan.vms(),
                                plan.seed(),
                                "today",
                                true))) {
            watch(pools, "by events alone", List.of(NO_CYCLES), true);
            if (plan.isLarge()) {
                watch(pools, "with metrics of all hosts each 15 s", List.of(), false);
            }
        }
    }

    private void watch(PoolProcess pools, String how, List<String> options, boolean targeted)
            throws IOException, InterruptedException {
        try (PoolBed bed =
                PoolBed.start(
                        plan,
                        plan.folder().resolve("stable"),
                        pools,
                        Collections.<@Nullable XapiEncoding>nCopies(plan.pools(), null),
                        options)) {
            bed.awaitVms(plan.pools() * plan.vms());
            bed.awaitQuiet(plan.pools() * plan.hosts(), plan.isLarge() ? QUIET : QUIET_OF_TRIALS);
            if (plan.isLarge()) {
                clock.waitUntil(clock.nanoTime() + SETTLED.toNanos());
            }
            ProcessCpu cpu = ProcessCpu.ofThisMachine();
            long pid = bed.engine().pid();
            double statements = statements(bed.engine().meters());
            long before = cpu.nanosOf(pid);
            long begun = clock.nanoTime();
            clock.waitUntil(begun + plan.watched().toNanos());
            double share = 100.0 * (cpu.nanosOf(pid) - before) / (clock.nanoTime() - begun);
            measures.add(
                    XapiSection.STABLE,
                    "%d pools of %d VMs %s, the whole engine"
                            .formatted(plan.pools(), plan.vms(), how),
                    "% of a core",
                    share,
                    targeted ? SHARE_TARGET : null);
            measures.add(
                    XapiSection.STABLE,
                    "SQL statements of monitoring meanwhile, " + how,
                    "",
                    statements(bed.engine().meters()) - statements,
                    STATEMENTS_TARGET);
        }
    }

    private static double statements(Meters meters) {
        String name = "stillwater_sql_statements_total";
        double all = meters.sum(name);
        for (String other : OTHERS) {
            all -= meters.sum(name, "stage=\"" + other + "\"");
        }
        return all;
    }
}
