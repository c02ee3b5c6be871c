package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.XapiEncoding;

/** Costs of the adapter alone: whole pools of some sizes, and batches of changes, by encoding. */
final class Decoding {

    private static final double MILLIS = 1e6;

    /** VMs that change at once. */
    private static final int BATCH = 200;

    /** Batches are short: it takes more of them until the compiler has seen them. */
    private static final int WARM_UP_BATCHES = 40;

    private static final Double BATCH_TARGET = 2.0;

    /** Processor time that reading pool L may take. */
    private static final Map<XapiEncoding, Double> TARGETS =
            Map.of(
                    XapiEncoding.JSON_RPC, 120.0,
                    XapiEncoding.JSON_IN_XML, 360.0,
                    XapiEncoding.XML_RPC, 550.0);

    /** A size of a pool (XAPI specification §4.2). */
    record Size(String name, int hosts, int vms) {
        static final Size S = new Size("S", 2, 40);
        static final Size M = new Size("M", 16, 1_000);
        static final Size L = new Size("L", 64, 5_000);

        /** Those of a plan: a large pool is measured beside smaller ones. */
        static List<Size> of(XapiPlan plan) {
            if (plan.hosts() == L.hosts && plan.vms() == L.vms) {
                return List.of(S, M, L);
            }
            return List.of(
                    new Size(
                            plan.hosts() + " hosts, " + plan.vms() + " VMs",
                            plan.hosts(),
                            plan.vms()));
        }
    }

    /**
     * Figures of one size and encoding.
     *
     * @param size the pool
     * @param encoding how it was read
     * @param objects records that were read
     * @param cpuMillis median of the processor time of the reading thread
     * @param visibleMillis median of the time from the login until the records are published
     * @param bestCpuMillis the least processor time
     * @param batchVms VMs that changed at once
     * @param batchCpuMillis median of the processor time of the thread for all of them
     */
    record Figure(
            String size,
            String encoding,
            int objects,
            double cpuMillis,
            double visibleMillis,
            double bestCpuMillis,
            int batchVms,
            double batchCpuMillis) {}

    private final XapiPlan plan;
    private final Measures measures;
    private final List<Figure> figures = new ArrayList<>();

    Decoding(XapiPlan plan, Measures measures) {
        this.plan = plan;
        this.measures = measures;
    }

    /** The age of servers that speak an encoding, as the simulator spells it. */
    private static String era(XapiEncoding encoding) {
        return switch (encoding) {
            case JSON_RPC, XML_RPC -> "today";
            case JSON_IN_XML -> "2016";
        };
    }

    /** Measures and prints. */
    List<Figure> measure() throws IOException, InterruptedException {
        for (Size size : Size.of(plan)) {
            double base = 0;
            for (XapiEncoding encoding : XapiEncoding.values()) {
                Figure figure = measure(size, encoding);
                figures.add(figure);
                base = base == 0 ? figure.cpuMillis() : base;
                boolean large = size.equals(Size.L);
                add(
                        size,
                        encoding,
                        String.format(
                                Locale.ROOT,
                                "%d objects, CPU (best %.1f; %.1f times JSON-RPC)",
                                figure.objects(),
                                figure.bestCpuMillis(),
                                figure.cpuMillis() / base),
                        figure.cpuMillis(),
                        large ? TARGETS.get(encoding) : null);
                add(size, encoding, "login to published", figure.visibleMillis(), null);
                add(
                        size,
                        encoding,
                        "batch of " + figure.batchVms() + " VM changes, CPU",
                        figure.batchCpuMillis(),
                        large ? BATCH_TARGET : null);
            }
        }
        return List.copyOf(figures);
    }

    private void add(
            Size size, XapiEncoding encoding, String what, double millis, @Nullable Double target) {
        measures.add(
                XapiSection.DECODE,
                "pool " + size.name() + " by " + words(encoding) + ": " + what,
                "ms",
                millis,
                target);
    }

    /** As people write it. */
    static String words(XapiEncoding encoding) {
        return switch (encoding) {
            case JSON_RPC -> "JSON-RPC";
            case JSON_IN_XML -> "JSON in XML";
            case XML_RPC -> "XML-RPC";
        };
    }

    private Figure measure(Size size, XapiEncoding encoding)
            throws IOException, InterruptedException {
        try (PoolProcess pools =
                PoolProcess.start(
                        plan.folder().resolve("decode"),
                        plan.simulatorHeap(),
                        new PoolProcess.Size(
                                1, size.hosts(), size.vms(), plan.seed(), era(encoding), false))) {
            List<Double> cpu = new ArrayList<>();
            List<Double> wall = new ArrayList<>();
            int objects = 0;
            for (int i = 0; i < plan.warmUp() + plan.rounds(); i++) {
                PoolReading.Taken taken = PoolReading.read(pools.pool(), encoding);
                objects = taken.objects();
                if (i >= plan.warmUp()) {
                    cpu.add(taken.cpuNanos() / MILLIS);
                    wall.add(taken.wallNanos() / MILLIS);
                }
            }
            int batch = Math.min(BATCH, pools.control().vms(pools.pool().uuid(), "Running").size());
            Sorted batches =
                    Sorted.of(
                            PoolReading.batches(
                                            pools, encoding, batch, WARM_UP_BATCHES, plan.rounds())
                                    .stream()
                                    .map(nanos -> nanos / MILLIS)
                                    .toList());
            Sorted ofCpu = Sorted.of(cpu);
            return new Figure(
                    size.name(),
                    encoding.name(),
                    objects,
                    ofCpu.median(),
                    Sorted.of(wall).median(),
                    ofCpu.least(),
                    batch,
                    batches.median());
        }
    }
}
