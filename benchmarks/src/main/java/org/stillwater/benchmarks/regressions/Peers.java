package org.stillwater.benchmarks.regressions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.stillwater.benchmarks.regressions.Cell.Generator;
import org.stillwater.benchmarks.regressions.LabelledSeries.Kind;
import org.stillwater.benchmarks.regressions.PythonPackages.Running;
import org.stillwater.benchmarks.regressions.PythonPackages.Unavailable;
import org.stillwater.benchmarks.regressions.Score.Found;

/** Detectors and a generator of other projects, in Python. */
final class Peers {

    private static final String OTAVA = "apache-otava==0.8.0";
    private static final String TEST_DATA = "otava-test-data==0.1.9";
    private static final String E_DIVISIVE = "signal-processing-algorithms==2.1.6";

    private final Path folder;
    private final long seconds;
    private final int processes;

    /**
     * Runs in a folder for files.
     *
     * @param seconds how long one detector may take
     * @param processes how many series a detector works on at a time
     */
    Peers(Path folder, long seconds, int processes) {
        this.folder = folder;
        this.seconds = seconds;
        this.processes = processes;
    }

    /** A detector of another project. */
    @SuppressWarnings("ImmutableEnumChecker") // lists made by List.of
    enum Peer {
        OTAVA("otava", "otava-0.8.0", List.of(Peers.OTAVA, TEST_DATA)),
        E_DIVISIVE("e-divisive", "signal-processing-algorithms-2.1.6", List.of(Peers.E_DIVISIVE));

        private final String label;
        private final String folder;
        private final List<String> packages;

        Peer(String label, String folder, List<String> packages) {
            this.label = label;
            this.folder = folder;
            this.packages = packages;
        }

        String label() {
            return label;
        }
    }

    /** Change points of one series and the time that they took. */
    @SuppressWarnings("ArrayRecordComponent") // never changed and never compared
    record Answer(Found[] found, double micros) {}

    /** Least number of series of otava-test-data. */
    List<LabelledSeries> generate(int series, long seed)
            throws IOException, InterruptedException, Unavailable {
        PythonPackages python = PythonPackages.provide(Peer.OTAVA.folder, Peer.OTAVA.packages);
        List<Cell> cells = Corpus.cells(Generator.OTAVA_TEST_DATA);
        int each = Corpus.perCell(series, cells.size());
        SplittableRandom random = new SplittableRandom(seed + 1);
        List<Cell> cellOf = new ArrayList<>();
        List<Corpus.Plan> plans = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (Cell cell : cells) {
            for (int i = 0; i < each; i++) {
                Corpus.Plan plan = Corpus.plan(cell.stepPercent(), i, random);
                cellOf.add(cell);
                plans.add(plan);
                lines.add(
                        "%s %d %d %d %d %d %d"
                                .formatted(
                                        theirs(plan.kind()),
                                        plan.signedPercent(),
                                        cell.noisePercent(),
                                        plan.begin(),
                                        plan.end(),
                                        Corpus.LENGTH,
                                        plan.seed()));
            }
        }
        Path plan = Files.write(folder.resolve("plan"), lines);
        Path made = folder.resolve("generated");
        PythonPackages.run(
                List.of(python.python(), program(), "generate", plan.toString(), made.toString()),
                seconds);
        List<String> values = Files.readAllLines(made);
        List<LabelledSeries> all = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            double[] numbers =
                    Arrays.stream(values.get(i).split(" "))
                            .mapToDouble(Double::parseDouble)
                            .toArray();
            all.add(Corpus.labelled(cellOf.get(i), plans.get(i), numbers));
        }
        return all;
    }

    private static String theirs(Kind kind) {
        return switch (kind) {
            case STEP -> "step";
            case RECOVERY -> "recovery";
            case UNCHANGED -> "unchanged";
            case DIP -> "outliers";
            case DIURNAL, DRIFT -> throw new IllegalArgumentException("no " + kind);
        };
    }

    /** A peer's change points of each series, in their order. */
    List<Answer> detect(Peer peer, List<LabelledSeries> series)
            throws IOException, InterruptedException, Unavailable {
        PythonPackages python = PythonPackages.provide(peer.folder, peer.packages);
        List<Running> running = new ArrayList<>();
        List<Path> results = new ArrayList<>();
        try {
            for (int p = 0; p < processes; p++) {
                int from = (int) ((long) series.size() * p / processes);
                int to = (int) ((long) series.size() * (p + 1) / processes);
                Path input = folder.resolve(peer.label + "-series-" + p);
                Files.write(input, series.subList(from, to).stream().map(Peers::line).toList());
                Path output = folder.resolve(peer.label + "-results-" + p);
                results.add(output);
                running.add(
                        new Running(
                                List.of(
                                        python.python(),
                                        program(),
                                        peer.label,
                                        input.toString(),
                                        output.toString())));
            }
            for (Running each : running) {
                each.output(seconds);
            }
        } finally {
            for (Running each : running) {
                each.stop();
            }
        }
        List<Answer> answers = new ArrayList<>();
        for (Path result : results) {
            for (String line : Files.readAllLines(result)) {
                answers.add(answer(line));
            }
        }
        if (answers.size() != series.size()) {
            throw new Unavailable(
                    "answered " + answers.size() + " of " + series.size() + " series");
        }
        return answers;
    }

    private static String line(LabelledSeries series) {
        return DoubleStream.of(series.values())
                .mapToObj(Double::toString)
                .collect(Collectors.joining(" "));
    }

    private static Answer answer(String line) {
        String[] words = line.split(" ");
        Found[] found = new Found[words.length - 1];
        for (int i = 0; i < found.length; i++) {
            found[i] = Found.at(Integer.parseInt(words[i + 1]));
        }
        return new Answer(found, Double.parseDouble(words[0]));
    }

    private String program() throws IOException {
        Path program = folder.resolve("peers.py");
        if (!Files.exists(program)) {
            try (InputStream text = Peers.class.getResourceAsStream("/regressions/peers.py")) {
                Files.copy(Objects.requireNonNull(text), program);
            }
        }
        return program.toString();
    }
}
