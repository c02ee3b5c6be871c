package org.stillwater.benchmarks.regressions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;

/**
 * How long it takes until a step of one disk, which no other object shares, is a finding: each disk
 * of a fleet becomes slower at a time of its own.
 */
final class LoneSteps {

    private static final int[] STEPS = {20, 40};
    private static final int FIRST = 120;
    private static final int LAST = 200;
    private static final int END = 280;

    private final int disks;
    private final long seed;
    private final Map<Cell, Delays> delays = new LinkedHashMap<>();

    /**
     * Steps that did not happen yet.
     *
     * @param disks of each fleet: the more there are, the clearer a step must be
     */
    LoneSteps(int disks, long seed) {
        this.disks = disks;
        this.seed = seed;
    }

    void run() {
        for (double correlation : Corpus.CORRELATIONS) {
            for (int noise : Corpus.NOISES) {
                for (int step : STEPS) {
                    Cell cell = new Cell(Cell.Generator.STILLWATER, step, noise, correlation);
                    delays.put(cell, new Delays(delays(cell)));
                }
            }
        }
    }

    private int[] delays(Cell cell) {
        SplittableRandom random = new SplittableRandom(seed);
        List<SeriesOwner> owners = new ArrayList<>();
        Map<String, Integer> numbers = new LinkedHashMap<>();
        int[] begins = new int[disks];
        double[] state = new double[disks];
        for (int i = 0; i < disks; i++) {
            // No two disks share an object, so that a step is of its disk alone.
            SeriesOwner disk = ModelFleet.disk("vm-" + i, 0, "host-" + i, "domain-" + i, "c-" + i);
            owners.add(disk);
            numbers.put(disk.name(), i);
            begins[i] = random.nextInt(FIRST, LAST);
            state[i] = random.nextGaussian();
        }
        int[] found = new int[disks];
        Arrays.fill(found, Delays.NEVER);
        double noise = cell.noisePercent() / 100.0;
        double fresh = Math.sqrt(1 - cell.correlation() * cell.correlation());
        double factor = 1 + cell.stepPercent() / 100.0;
        ModelFleet fleet = new ModelFleet(owners);
        for (int i = 0; i < END; i++) {
            int now = i;
            List<Finding> begun =
                    fleet.pass(disk -> {
                        state[disk] =
                                cell.correlation() * state[disk] + fresh * random.nextGaussian();
                        return Math.exp(noise * state[disk]) * (now >= begins[disk] ? factor : 1);
                    });
            for (Finding finding : begun) {
                Integer disk = numbers.get(finding.members().getFirst());
                if (disk != null
                        && Math.abs(ModelFleet.begin(finding) - begins[disk]) <= Score.TOLERANCE) {
                    found[disk] = Math.min(found[disk], now - begins[disk] + 1);
                }
            }
        }
        return found;
    }

    /** The delays as text. */
    String describe() {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "%nPoints until a step of one disk alone is a finding, in a fleet"
                                        + " of %d%n%5s %6s %5s   median, p95%n",
                                disks,
                                "step",
                                "noise",
                                "corr."));
        delays.forEach((cell, all) ->
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%4d%% %5d%% %5.1f   %s%n",
                                cell.stepPercent(),
                                cell.noisePercent(),
                                cell.correlation(),
                                all.describe())));
        return text.toString();
    }

    /** The delays for the file of figures. */
    List<Map<String, Object>> figures() {
        List<Map<String, Object>> all = new ArrayList<>();
        delays.forEach((cell, points) -> {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("stepPercent", cell.stepPercent());
            figures.put("noisePercent", cell.noisePercent());
            figures.put("correlation", cell.correlation());
            figures.put("delayPoints", points.figures());
            all.add(figures);
        });
        return all;
    }
}
