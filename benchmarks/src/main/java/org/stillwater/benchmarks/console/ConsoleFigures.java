package org.stillwater.benchmarks.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * The figures of {@code bench console}.
 *
 * @param firstRowsMillis from the navigation to the first frame with rows of VMs
 * @param allRowsMillis from the navigation to the frame that counts all VMs and shows a live link
 * @param frameP99Millis 99th percentile of the intervals between frames while the list scrolls
 * @param longestTaskMillis the longest task of the page's main thread while the list is at rest
 * @param mainThreadShare share of the time, 0 to 1, that tasks of the page's main thread take while
 *     the list is at rest
 * @param filterP95Millis 95th percentile of the time from a keystroke to the frame with its rows
 * @param sortMillis 95th percentile of the time from a click on a title to the frame in its order
 * @param heapMiB JavaScript heaps and buffers of page and worker after a collection
 * @param domNodes nodes of the document, texts included, after a collection
 * @param firstLoadKilobytes compressed scripts and styles of the first load, thousands of bytes
 * @param heapGrowthMiBPerHour slope of the heap while the list is at rest, for an hour
 * @param heapGrowthSeconds how long that was measured; the hour is extrapolated from it
 * @param clickToRowP99Millis 99th percentile of the time from the click that confirms a start to
 *     the frame with the changed row
 * @param changesPerSecond changes that the simulated hosts made
 * @param deliveredPerSecond changes of VMs that the page received
 * @param consoles cost of many consoles for the engine
 */
public record ConsoleFigures(
        double firstRowsMillis,
        double allRowsMillis,
        double frameP99Millis,
        double longestTaskMillis,
        double mainThreadShare,
        double filterP95Millis,
        double sortMillis,
        double heapMiB,
        double domNodes,
        double firstLoadKilobytes,
        double heapGrowthMiBPerHour,
        double heapGrowthSeconds,
        double clickToRowP99Millis,
        double changesPerSecond,
        double deliveredPerSecond,
        Consoles consoles) {

    /**
     * Many consoles at a time, each of them a reader of the stream that subscribes as the console
     * does. Shares are of one core; 1 is all of it.
     *
     * @param count of them
     * @param shareWithout of the engine's process while no console is open
     * @param shareWith of the engine's process while all of them receive the changes
     * @param deliveredPerSecond events that each of them received
     */
    public record Consoles(
            int count, double shareWithout, double shareWith, double deliveredPerSecond) {

        /** Not measured. */
        public static final Consoles NONE = new Consoles(0, Double.NaN, Double.NaN, Double.NaN);

        /** Processor time that the consoles add. */
        double share() {
            return shareWith - shareWithout;
        }
    }

    private static final double SECONDS_PER_HOUR = 3_600;

    /** Targets of the console at 100 000 VMs and 1 000 changes a second, as maxima. */
    private static final Map<String, Double> TARGETS =
            Map.ofEntries(
                    Map.entry("firstRowsMillis", 500.0),
                    Map.entry("allRowsMillis", 3_000.0),
                    Map.entry("frameP99Millis", 20.0),
                    Map.entry("longestTaskMillis", 50.0),
                    Map.entry("mainThreadShare", 0.25),
                    Map.entry("filterP95Millis", 50.0),
                    Map.entry("sortMillis", 200.0),
                    Map.entry("heapMiB", 100.0),
                    Map.entry("domNodes", 3_000.0),
                    Map.entry("firstLoadKilobytes", 100.0),
                    Map.entry("heapGrowthMiBPerHour", 5.0),
                    Map.entry("clickToRowP99Millis", 100.0),
                    Map.entry("consolesServerShare", 0.4));

    /** One figure with its target; NaN where there is none. */
    record Line(String name, double value, double target) {

        String verdict() {
            if (!Double.isFinite(value)) {
                return "  not measured";
            }
            return value <= target ? "" : "  missed";
        }
    }

    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        add(lines, "firstRowsMillis", firstRowsMillis);
        add(lines, "allRowsMillis", allRowsMillis);
        add(lines, "frameP99Millis", frameP99Millis);
        add(lines, "longestTaskMillis", longestTaskMillis);
        add(lines, "mainThreadShare", mainThreadShare);
        add(lines, "filterP95Millis", filterP95Millis);
        add(lines, "sortMillis", sortMillis);
        add(lines, "heapMiB", heapMiB);
        add(lines, "domNodes", domNodes);
        add(lines, "firstLoadKilobytes", firstLoadKilobytes);
        add(lines, "heapGrowthMiBPerHour", heapGrowthMiBPerHour);
        add(lines, "heapGrowthSeconds", heapGrowthSeconds);
        add(lines, "clickToRowP99Millis", clickToRowP99Millis);
        add(lines, "changesPerSecond", changesPerSecond);
        add(lines, "deliveredPerSecond", deliveredPerSecond);
        add(lines, "consoles", consoles.count());
        add(lines, "consolesServerShare", consoles.share());
        add(lines, "serverShareWithConsoles", consoles.shareWith());
        add(lines, "serverShareWithout", consoles.shareWithout());
        add(lines, "consolesDeliveredPerSecond", consoles.deliveredPerSecond());
        return lines;
    }

    private static void add(List<Line> lines, String name, double value) {
        lines.add(new Line(name, value, TARGETS.getOrDefault(name, Double.NaN)));
    }

    /** The figures beside their targets. */
    public String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%n%-26s %12s %12s%n", "", "measured", "target"));
        for (Line line : lines()) {
            boolean hasTarget = Double.isFinite(line.target());
            table.append(
                    String.format(
                            Locale.ROOT,
                            "%-26s %12s %12s%s%n",
                            line.name(),
                            number(line.value()),
                            hasTarget ? "<= " + number(line.target()) : "",
                            hasTarget ? line.verdict() : ""));
        }
        if (heapGrowthSeconds < SECONDS_PER_HOUR) {
            table.append(
                    String.format(
                            Locale.ROOT,
                            "heapGrowthMiBPerHour is extrapolated from %.0f s%n",
                            heapGrowthSeconds));
        }
        return table.toString();
    }

    /**
     * Writes the figures for programs; a figure that was not measured is null.
     *
     * @param commit of the checkout
     * @param command that measured
     * @param fleet the plan in a few words, such as {@code 100000 VMs on 200 hosts}
     * @param machine that measured
     */
    public void writeJson(Path file, String commit, String command, String fleet, String machine)
            throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        try (JsonGenerator json =
                new JsonMapper()
                        .writerWithDefaultPrettyPrinter()
                        .createGenerator(file.toFile(), JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringProperty("scenario", "console");
            json.writeStringProperty("commit", commit);
            json.writeStringProperty("command", command);
            json.writeStringProperty("fleet", fleet);
            json.writeStringProperty("machine", machine);
            for (Line line : lines()) {
                if (Double.isFinite(line.value())) {
                    json.writeNumberProperty(line.name(), Math.rint(line.value() * 1_000) / 1_000);
                } else {
                    json.writeNullProperty(line.name());
                }
            }
            json.writeEndObject();
        }
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : "%.2f", value);
    }
}
