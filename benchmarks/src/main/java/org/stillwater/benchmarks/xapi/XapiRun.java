package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stillwater.benchmarks.scale.Report;
import org.stillwater.xapi.client.XapiEncoding;
import tools.jackson.databind.json.JsonMapper;

/** Reads pools of some sizes by each encoding, again and again. */
public final class XapiRun {

    private static final double MILLIS = 1e6;

    /** A size of a pool (XAPI specification §4.2). */
    public enum Size {
        /** A laboratory. */
        S(2, 40),
        /** A usual pool. */
        M(16, 1_000),
        /** As large as pools may be. */
        L(64, 5_000);

        private final int hosts;
        private final int vms;

        Size(int hosts, int vms) {
            this.hosts = hosts;
            this.vms = vms;
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
     */
    public record Figure(
            String size,
            String encoding,
            int objects,
            double cpuMillis,
            double visibleMillis,
            double bestCpuMillis) {}

    private final List<Size> sizes;
    private final int rounds;
    private final int warmUp;
    private final long seed;
    private final PrintStream out;
    private final List<Figure> figures = new ArrayList<>();

    /**
     * A run.
     *
     * @param rounds readings that count
     * @param warmUp readings before them that do not
     */
    public XapiRun(List<Size> sizes, int rounds, int warmUp, long seed, PrintStream out) {
        this.sizes = List.copyOf(sizes);
        this.rounds = rounds;
        this.warmUp = warmUp;
        this.seed = seed;
        this.out = out;
    }

    /** The age of servers that speak an encoding, as the simulator spells it. */
    private static String era(XapiEncoding encoding) {
        return switch (encoding) {
            case JSON_RPC, XML_RPC -> "today";
            case JSON_IN_XML -> "2016";
        };
    }

    /** Measures and prints. */
    public List<Figure> measure() throws IOException, InterruptedException {
        out.printf(
                "%-4s  %-12s  %8s  %14s  %14s  %12s  %6s%n",
                "pool", "encoding", "objects", "CPU ms", "visible ms", "best CPU ms", "ratio");
        for (Size size : sizes) {
            double base = 0;
            for (XapiEncoding encoding : XapiEncoding.values()) {
                Figure figure = measure(size, encoding);
                figures.add(figure);
                base = base == 0 ? figure.cpuMillis() : base;
                out.printf(
                        Locale.ROOT,
                        "%-4s  %-12s  %8d  %14.1f  %14.1f  %12.1f  %6.1f%n",
                        figure.size(),
                        figure.encoding(),
                        figure.objects(),
                        figure.cpuMillis(),
                        figure.visibleMillis(),
                        figure.bestCpuMillis(),
                        figure.cpuMillis() / base);
            }
        }
        return List.copyOf(figures);
    }

    private Figure measure(Size size, XapiEncoding encoding)
            throws IOException, InterruptedException {
        try (PoolProcess pool = PoolProcess.start(size.hosts, size.vms, seed, era(encoding))) {
            List<Double> cpu = new ArrayList<>();
            List<Double> wall = new ArrayList<>();
            int objects = 0;
            for (int i = 0; i < warmUp + rounds; i++) {
                PoolReading.Taken taken = PoolReading.read(pool, encoding);
                objects = taken.objects();
                if (i >= warmUp) {
                    cpu.add(taken.cpuNanos() / MILLIS);
                    wall.add(taken.wallNanos() / MILLIS);
                }
            }
            cpu.sort(null);
            wall.sort(null);
            return new Figure(
                    size.name(),
                    encoding.name(),
                    objects,
                    cpu.get(cpu.size() / 2),
                    wall.get(wall.size() / 2),
                    cpu.getFirst());
        }
    }

    /** Writes the same figures. */
    public void writeJson(Path file) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", "xapi");
        all.put("machine", Report.Machine.here().describe());
        all.put("rounds", rounds);
        all.put("seed", seed);
        all.put("figures", figures);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(
                file,
                JsonMapper.builder()
                                .build()
                                .writerWithDefaultPrettyPrinter()
                                .writeValueAsString(all)
                        + "\n");
    }
}
