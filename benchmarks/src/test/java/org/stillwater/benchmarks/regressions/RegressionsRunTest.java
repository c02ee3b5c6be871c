package org.stillwater.benchmarks.regressions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RegressionsRunTest {

    private static final String PYTHON = "stillwater.bench.python";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @TempDir Path folder;

    private RegressionsRun run(boolean withPeers, boolean withFleet) {
        return new RegressionsRun(
                96,
                1,
                withPeers,
                withFleet,
                60,
                new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    /** Those of the issue that noise of a small corpus does not decide. */
    @Test
    void theDetectorReachesItsTargets() {
        List<LabelledSeries> series = Corpus.generate(2400, 4711);
        Grid grid = new Grid();
        grid.add(Grid.OURS, series, Ours.detect(series));

        Score large =
                grid.total(
                        Grid.OURS,
                        cell ->
                                cell.stepPercent() >= 20
                                        && (cell.correlation() == 0 || cell.noisePercent() <= 5));
        Score small =
                grid.total(
                        Grid.OURS,
                        cell ->
                                cell.stepPercent() >= 10
                                        && cell.noisePercent() <= 5
                                        && cell.correlation() == 0);
        Score all = grid.total(Grid.OURS, cell -> true);

        assertThat(large.precision()).isGreaterThanOrEqualTo(0.95);
        assertThat(large.recall()).isGreaterThanOrEqualTo(0.95);
        assertThat(small.precision()).isGreaterThanOrEqualTo(0.95);
        assertThat(small.recall()).isGreaterThanOrEqualTo(0.90);
        assertThat(all.falseAlarms()).isLessThanOrEqualTo(0.01);
        assertThat(large.beginError(0.5)).isLessThanOrEqualTo(1);
        assertThat(large.beginError(0.95)).isLessThanOrEqualTo(3);
        assertThat(all.changeCoverage()).isBetween(0.93, 0.97);
    }

    @Test
    void peersThatCannotBeHadAreSkippedByName() throws Exception {
        String before = System.setProperty(PYTHON, folder.resolve("no-python").toString());
        try {
            RegressionsRun run = run(true, true);
            run.measure();
            run.writeJson(folder.resolve("figures.json"));
        } finally {
            if (before == null) {
                System.clearProperty(PYTHON);
            } else {
                System.setProperty(PYTHON, before);
            }
        }

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("SKIPPED: otava-test-data: no Python")
                .contains("SKIPPED: otava: no Python")
                .contains("SKIPPED: e-divisive: no Python");
        JsonNode figures = JsonMapper.builder().build().readTree(folder.resolve("figures.json"));
        assertThat(figures.path("skipped").path("e-divisive").stringValue())
                .startsWith("no Python");
        assertThat(figures.path("cells"))
                .hasSize(24)
                .allSatisfy(cell -> {
                    assertThat(cell.path("detector").stringValue()).isEqualTo("stillwater");
                    assertThat(cell.path("series").intValue()).isEqualTo(4);
                    for (String name :
                            List.of(
                                    "stepPercent",
                                    "noisePercent",
                                    "correlation",
                                    "precision",
                                    "recall",
                                    "falseAlarms",
                                    "microsPerSeries")) {
                        assertThat(cell.path(name).isNumber()).as(name).isTrue();
                    }
                });
    }

    @Test
    void unrequestedPeersAreMarkedAsMissing() throws Exception {
        RegressionsRun run = run(false, false);
        run.measure();
        run.writeJson(folder.resolve("figures.json"));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("SKIPPED: otava: not asked for")
                .contains("SKIPPED: e-divisive: not asked for")
                .contains("Series of stillwater")
                .doesNotContain("Series of otava-test-data", "a peer is better", "A fleet of");
        JsonNode figures = JsonMapper.builder().build().readTree(folder.resolve("figures.json"));
        assertThat(figures.has("fleet")).isFalse();
        assertThat(figures.has("cells")).isTrue();
    }

    @Test
    void aPlanThatCannotBeIsRefused() {
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        assertThatThrownBy(() -> new RegressionsRun(0, 1, true, true, 60, print))
                .hasMessageContaining("--series");
        assertThatThrownBy(() -> new RegressionsRun(10, 1, true, true, 0, print))
                .hasMessageContaining("--peer-time");
    }
}
