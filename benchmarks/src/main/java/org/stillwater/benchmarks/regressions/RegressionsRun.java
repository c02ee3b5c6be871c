package org.stillwater.benchmarks.regressions;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.stillwater.benchmarks.regressions.Peers.Peer;
import org.stillwater.benchmarks.regressions.PythonPackages.Unavailable;
import org.stillwater.benchmarks.scale.Report;
import tools.jackson.databind.json.JsonMapper;

/** Runs all detectors on one corpus and reports how well each did. */
public final class RegressionsRun {

    /** Series of the cost: 5 000 VMs with 6 series each. */
    private static final int FLEET_SERIES = 30_000;

    /** Smallest step with a target for its delay. */
    private static final int LARGE_PERCENT = 20;

    private final int series;
    private final long seed;
    private final boolean withPeers;
    private final boolean withFleet;
    private final long peerSeconds;
    private final PrintStream out;

    private final Grid grid = new Grid();
    private final Map<String, String> skipped = new LinkedHashMap<>();
    private final FleetTrials fleet;
    private Delays delays = new Delays(new int[0]);
    private double microsPerPoint;
    private int count;

    /**
     * Compares detectors.
     *
     * @param series of our generator; otava-test-data makes a quarter as many
     * @param withPeers whether the detectors of other projects take part
     * @param withFleet whether findings of a model fleet are measured too
     * @param peerSeconds how long one of them may take
     */
    public RegressionsRun(
            int series,
            long seed,
            boolean withPeers,
            boolean withFleet,
            long peerSeconds,
            PrintStream out) {
        if (series < 1 || series > 1_000_000) {
            throw new IllegalArgumentException("--series is not between 1 and 1000000");
        }
        if (peerSeconds < 1) {
            throw new IllegalArgumentException("--peer-time is less than a second");
        }
        this.series = series;
        this.seed = seed;
        this.withPeers = withPeers;
        this.withFleet = withFleet;
        this.peerSeconds = peerSeconds;
        this.out = out;
        this.fleet = new FleetTrials(Math.max(5, series / 8), Math.max(10, series / 6), seed);
    }

    /** Measures, and prints the grid. */
    public void measure() throws IOException, InterruptedException {
        List<LabelledSeries> all = new ArrayList<>(Corpus.generate(series, seed));
        int ours = all.size();
        all.addAll(Corpus.weakSpots(Math.max(6, series / 10), seed));
        Path folder = Files.createTempDirectory("regressions");
        try {
            Peers peers =
                    new Peers(
                            folder,
                            peerSeconds,
                            Math.max(1, Runtime.getRuntime().availableProcessors()));
            if (withPeers) {
                generate(peers, all);
            }
            count = all.size();
            grid.add(Grid.OURS, all, Ours.detect(all));
            if (withPeers) {
                for (Peer peer : Peer.values()) {
                    detect(peers, peer, all);
                }
            } else {
                for (Peer peer : Peer.values()) {
                    skip(peer.label(), "not asked for (--no-peers)");
                }
            }
        } finally {
            delete(folder);
        }
        Map<Cell, Delays> byCell = Ours.delays(all);
        grid.add(byCell);
        delays =
                Delays.all(
                        byCell.entrySet().stream()
                                .filter(each -> each.getKey().stepPercent() >= LARGE_PERCENT)
                                .map(Map.Entry::getValue)
                                .toList());
        microsPerPoint = Ours.microsPerPoint(all.subList(0, ours));
        out.print(grid.describe());
        out.print(describeWatch());
        if (withFleet) {
            fleet.run();
            out.print(fleet.describe());
        }
    }

    private void generate(Peers peers, List<LabelledSeries> all)
            throws IOException, InterruptedException {
        try {
            all.addAll(peers.generate(Math.max(1, series / 4), seed));
        } catch (Unavailable e) {
            skip("otava-test-data", String.valueOf(e.getMessage()));
        }
    }

    private void detect(Peers peers, Peer peer, List<LabelledSeries> all)
            throws IOException, InterruptedException {
        out.println(peer.label() + " works on " + all.size() + " series");
        try {
            grid.add(peer.label(), all, peers.detect(peer, all));
        } catch (Unavailable e) {
            skip(peer.label(), String.valueOf(e.getMessage()));
        }
    }

    private void skip(String name, String reason) {
        skipped.put(name, reason);
        out.println("SKIPPED: " + name + ": " + reason);
    }

    private String describeWatch() {
        return String.format(
                Locale.ROOT,
                "%nPoint by point: points until a step of at least %d %% is reported: median, p95"
                        + " %s%n"
                        + "One more point of an unchanged series: %.2f µs, %.2f s for %d series%n"
                        + "Whole series: %.1f µs, %.2f s for %d series%n",
                LARGE_PERCENT,
                delays.describe(),
                microsPerPoint,
                microsPerPoint * FLEET_SERIES / 1e6,
                FLEET_SERIES,
                wholeMicros(),
                wholeMicros() * FLEET_SERIES / 1e6,
                FLEET_SERIES);
    }

    private double wholeMicros() {
        return grid.total(Grid.OURS, cell -> true).microsPerSeries();
    }

    /** Writes the figures of the last measurement. */
    public void writeJson(Path file) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", "regressions");
        all.put("command", "./stillwater bench regressions --series " + series + " --seed " + seed);
        all.put("machine", Report.Machine.here().describe());
        all.put("series", count);
        all.put("seed", seed);
        all.put("skipped", skipped);
        all.put("cells", grid.cells());
        all.put("weakSpots", grid.weakSpots());
        if (withFleet) {
            all.put("fleet", fleet.figures());
        }
        all.put("delayMedianPoints", delays.text(0.5));
        all.put("delayP95Points", delays.text(0.95));
        all.put("microsPerPoint", microsPerPoint);
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

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
