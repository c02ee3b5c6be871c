package org.stillwater.benchmarks.regressions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.stillwater.benchmarks.regressions.Cell.Generator;
import org.stillwater.benchmarks.regressions.Peers.Answer;

/** Scores of detectors by cell, as a table for people and as figures for programs. */
final class Grid {

    static final String OURS = "stillwater";

    /** Of each detector, in the order in which they were added. */
    private final Map<String, Map<Cell, Score>> scores = new LinkedHashMap<>();

    private final Map<String, Score> weakSpots = new LinkedHashMap<>();
    private final Map<Cell, Delays> delays = new LinkedHashMap<>();

    void add(String detector, List<LabelledSeries> series, List<Answer> answers) {
        Map<Cell, Score> cells = new LinkedHashMap<>();
        Score weak = new Score();
        for (int i = 0; i < series.size(); i++) {
            LabelledSeries each = series.get(i);
            Score score =
                    each.kind().isWeakSpot()
                            ? weak
                            : cells.computeIfAbsent(each.cell(), cell -> new Score());
            score.add(each, answers.get(i).found(), answers.get(i).micros());
        }
        scores.put(detector, cells);
        weakSpots.put(detector, weak);
    }

    /** Adds how long our detector takes, by cell. */
    void add(Map<Cell, Delays> ours) {
        delays.putAll(ours);
    }

    Score total(String detector, Predicate<Cell> cells) {
        Score total = new Score();
        scores.getOrDefault(detector, Map.of())
                .forEach((cell, score) -> {
                    if (cells.test(cell)) {
                        total.add(score);
                    }
                });
        return total;
    }

    /** The table. */
    String describe() {
        StringBuilder out = new StringBuilder();
        for (Generator generator : Generator.values()) {
            if (total(OURS, cell -> cell.generator() == generator).series() > 0) {
                describe(out, generator);
            }
        }
        describeWeakSpots(out);
        return out.toString();
    }

    private void describe(StringBuilder out, Generator generator) {
        out.append(
                "%nSeries of %s. P: precision, R: recall, F: change-free series with an alarm%n"
                        .formatted(generator.label()));
        out.append("%5s %6s %5s".formatted("step", "noise", "corr."));
        for (String detector : scores.keySet()) {
            out.append(" | %-30s".formatted(detector + ":  P    R    F     µs"));
        }
        out.append(" | begin median, p95; inside: change, begin; delay median, p95%n".formatted());
        for (Cell cell : Corpus.cells(generator)) {
            out.append(
                    "%4d%% %5d%% %5.1f"
                            .formatted(
                                    cell.stepPercent(), cell.noisePercent(), cell.correlation()));
            for (Map<Cell, Score> cells : scores.values()) {
                Score score = cells.getOrDefault(cell, new Score());
                out.append(
                        String.format(
                                Locale.ROOT,
                                " | %8s %.3f %.3f %.3f %6.0f",
                                "",
                                score.precision(),
                                score.recall(),
                                score.falseAlarms(),
                                score.microsPerSeries()));
            }
            Score ours = total(OURS, cell::equals);
            out.append(
                    String.format(
                            Locale.ROOT,
                            " | %3.0f %3.0f  %.3f %.3f  %5s %5s%n",
                            ours.beginError(0.5),
                            ours.beginError(0.95),
                            ours.changeCoverage(),
                            ours.beginCoverage(),
                            delay(cell, 0.5),
                            delay(cell, 0.95)));
        }
        if (scores.size() > 1) {
            List<String> worse = worse(generator);
            out.append("cells in which a peer is better: ")
                    .append(worse.isEmpty() ? "none" : String.join("; ", worse))
                    .append('\n');
        }
    }

    private String delay(Cell cell, double share) {
        Delays known = delays.get(cell);
        return known == null ? "-" : known.text(share);
    }

    private void describeWeakSpots(StringBuilder out) {
        out.append("\nThe curve of a day and slow drifts, without a step; series with an alarm: ");
        out.append(
                weakSpots.entrySet().stream()
                        .map(each ->
                                String.format(
                                        Locale.ROOT,
                                        "%s %.3f",
                                        each.getKey(),
                                        each.getValue().falseAlarms()))
                        .collect(Collectors.joining(", ")));
        out.append('\n');
    }

    /** Cells in which a peer has a better figure than ours, and which. */
    List<String> worse(Generator generator) {
        return scores.entrySet().stream()
                .filter(peer -> !peer.getKey().equals(OURS))
                .flatMap(peer ->
                        Corpus.cells(generator).stream()
                                .map(cell -> worse(peer.getKey(), cell))
                                .filter(text -> !text.isEmpty()))
                .toList();
    }

    private String worse(String peer, Cell cell) {
        Score ours = total(OURS, cell::equals);
        Score theirs = total(peer, cell::equals);
        if (ours.series() == 0 || theirs.series() == 0) {
            return "";
        }
        StringBuilder worse = new StringBuilder();
        if (ours.precision() < theirs.precision()) {
            worse.append(" precision");
        }
        if (ours.recall() < theirs.recall()) {
            worse.append(" recall");
        }
        if (ours.falseAlarms() > theirs.falseAlarms()) {
            worse.append(" false alarms");
        }
        return worse.isEmpty()
                ? ""
                : peer
                        + " %d%%/%d%%/%.1f:"
                                .formatted(
                                        cell.stepPercent(), cell.noisePercent(), cell.correlation())
                        + worse;
    }

    /** One object for each detector and cell. */
    List<Map<String, Object>> cells() {
        return scores.entrySet().stream()
                .flatMap(detector ->
                        detector.getValue().entrySet().stream()
                                .map(cell ->
                                        figures(detector.getKey(), cell.getKey(), cell.getValue())))
                .toList();
    }

    /** Share of the weak spots' series with an alarm, by detector. */
    Map<String, Object> weakSpots() {
        Map<String, Object> shares = new LinkedHashMap<>();
        weakSpots.forEach((detector, score) -> shares.put(detector, rounded(score.falseAlarms())));
        return shares;
    }

    private Map<String, Object> figures(String detector, Cell cell, Score score) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("detector", detector);
        figures.put("generator", cell.generator().label());
        figures.put("stepPercent", cell.stepPercent());
        figures.put("noisePercent", cell.noisePercent());
        figures.put("correlation", cell.correlation());
        figures.put("series", score.series());
        put(figures, "precision", score.precision());
        put(figures, "recall", score.recall());
        put(figures, "falseAlarms", score.falseAlarms());
        put(figures, "microsPerSeries", score.microsPerSeries());
        put(figures, "beginErrorMedian", score.beginError(0.5));
        put(figures, "beginErrorP95", score.beginError(0.95));
        put(figures, "changeInsideInterval", score.changeCoverage());
        put(figures, "beginInsideInterval", score.beginCoverage());
        Delays known = delays.get(cell);
        if (known != null && detector.equals(OURS)) {
            figures.put("delayPoints", known.figures());
        }
        return figures;
    }

    private static void put(Map<String, Object> figures, String name, double value) {
        if (!Double.isNaN(value)) {
            figures.put(name, rounded(value));
        }
    }

    private static double rounded(double value) {
        return Math.round(value * 1e4) / 1e4;
    }
}
