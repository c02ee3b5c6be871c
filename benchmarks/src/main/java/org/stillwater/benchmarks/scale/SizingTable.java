package org.stillwater.benchmarks.scale;

import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * The table of {@code docs/reference/sizing.md}: the needs of fleets, by the figures of a small and
 * a large one. Stateless.
 */
final class SizingTable {

    static final String BEGIN = "<!-- sizes: made by ./stillwater bench publish -->";
    static final String END = "<!-- end of sizes -->";

    private static final double INTERVAL_MILLIS = 15_000;
    private static final double GIGABYTES = 1.048576e-3; // of a mebibyte

    /** A row: a fleet, and the machine that leaves room for changes and repair. */
    private record Size(int vms, int hosts, String machine) {}

    private static final List<Size> SIZES =
            List.of(
                    new Size(1_000, 20, "1 CPU, 2 GB"),
                    new Size(6_000, 100, "2 CPUs, 4 GB"),
                    new Size(20_000, 300, "2 CPUs, 8 GB"),
                    new Size(100_000, 1_000, "4 CPUs, 16 GB"));

    private SizingTable() {}

    /** The section between the marks. */
    static String of(JsonNode small, JsonNode large) {
        StringBuilder out = new StringBuilder();
        out.append(
                "| VMs | hosts | CPU in a stable fleet | memory of the engine | suggested machine"
                        + " |\n|---|---|---|---|---|\n");
        for (Size size : SIZES) {
            out.append("| ").append(number(size.vms())).append(" | ").append(number(size.hosts()));
            out.append(" | ").append(cpu(size.vms(), large)).append(" | ");
            out.append(memory(size.vms(), small, large)).append(" | ");
            out.append(size.machine()).append(" |\n");
        }
        out.append(
                String.format(
                        Locale.ROOT,
                        "%nCPU: %.4f ms of the engine and %.4f ms of PostgreSQL for each VM and"
                                + " cycle (run B, commit `%s`), divided by 15 s.%n",
                        large.path("cpuMillisPerVmCycle").asDouble(),
                        large.path("databaseCpuMillisPerVmCycle").asDouble(),
                        large.path("commit").asString("")));
        out.append(
                "Memory: %s MiB resident with %s VMs and a heap of at most %s (run B), %s MiB with %s and at most %s (run A); in proportion between them.\n"
                        .formatted(
                                number(large.path("rssMiB").asDouble()),
                                number(large.path("vms").asInt()),
                                large.path("engineHeap").asString("?"),
                                number(small.path("rssMiB").asDouble()),
                                number(small.path("vms").asInt()),
                                small.path("engineHeap").asString("?")));
        return out.toString();
    }

    private static String cpu(int vms, JsonNode large) {
        double percent =
                vms
                        * (large.path("cpuMillisPerVmCycle").asDouble()
                                + large.path("databaseCpuMillisPerVmCycle").asDouble())
                        / INTERVAL_MILLIS
                        * 100;
        return percent < 1 ? "below 1 % of one" : Math.round(percent) + " % of one";
    }

    private static String memory(int vms, JsonNode small, JsonNode large) {
        double least = small.path("rssMiB").asDouble();
        int from = small.path("vms").asInt();
        double share = Math.max(0, vms - from) / (double) (large.path("vms").asInt() - from);
        double mebibytes = least + share * (large.path("rssMiB").asDouble() - least);
        return (vms < from ? "at most " : "")
                + String.format(Locale.ROOT, "%.1f GB", mebibytes * GIGABYTES);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,d", Math.round(value)).replace(',', ' ');
    }
}
