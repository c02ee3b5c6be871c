package org.stillwater.benchmarks.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.benchmarks.scale.BenchFailure;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConsoleFiguresTest {

    private static final ConsoleFigures FIGURES =
            new ConsoleFigures(
                    412.5,
                    3_100,
                    17,
                    Double.NaN,
                    0.2,
                    48,
                    199,
                    88,
                    1_200,
                    37.4,
                    2.5,
                    180,
                    40,
                    1_000,
                    998,
                    new ConsoleFigures.Consoles(100, 0.5, 0.75, 997));

    @Test
    void theTableMarksMissedTargets() {
        assertThat(FIGURES.table().lines().filter(line -> line.endsWith("missed")))
                .singleElement()
                .matches(line -> line.matches("allRowsMillis +3100 +<= 3000 +missed"));
        assertThat(FIGURES.table())
                .containsPattern("longestTaskMillis +- +<= 50.00 +not measured\\R")
                .containsPattern("consolesServerShare +0.25 +<= 0.40\\R")
                .contains("heapGrowthMiBPerHour is extrapolated from 180 s");
        assertThat(FIGURES.table()).containsPattern("mainThreadShare +0.20 +<= 0.25\\R");
    }

    @Test
    void programsGetEveryFigureByName(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("figures/console.json");
        FIGURES.writeJson(file, "abc", "./stillwater bench console", "20000 VMs", "a machine");
        JsonNode json = new JsonMapper().readTree(file.toFile());
        assertThat(json.path("firstRowsMillis").asDouble()).isEqualTo(412.5);
        assertThat(json.path("longestTaskMillis").isNull()).isTrue();
        assertThat(json.propertyNames())
                .contains(
                        "allRowsMillis",
                        "frameP99Millis",
                        "mainThreadShare",
                        "filterP95Millis",
                        "sortMillis",
                        "heapMiB",
                        "domNodes",
                        "firstLoadKilobytes",
                        "heapGrowthMiBPerHour",
                        "clickToRowP99Millis",
                        "consolesServerShare",
                        "command");
    }

    @Test
    void aHeapGrowsByTheSlopeOfALineThroughIt() {
        assertThat(ConsoleProbe.slope(new double[] {0, 1, 2}, new double[] {5, 5, 5})).isZero();
        assertThat(ConsoleProbe.slope(new double[] {0, 1, 2, 3}, new double[] {1, 4, 5, 8}))
                .isCloseTo(2.2, within(1e-9));
    }

    @Test
    void percentilesAreMeasuredValues() {
        double[] values = {5, 1, 4, 2, 3};
        assertThat(ConsoleProbe.percentile(values, 95)).isEqualTo(5);
        assertThat(ConsoleProbe.percentile(values, 50)).isEqualTo(3);
        assertThat(ConsoleProbe.percentile(new double[0], 95)).isNaN();
    }

    @Test
    void theLongestTaskIsThatOfTheBusiestMainThread() {
        TaskTrace trace = new TaskTrace();
        assertThat(trace.longestMillis()).isNaN();
        trace.add(
                new JsonMapper()
                        .readTree(
                                """
                                [{"pid":1,"tid":1,"name":"RunTask","dur":9000},
                                 {"pid":1,"tid":1,"name":"RunTask","dur":12500},
                                 {"pid":1,"tid":7,"name":"RunTask","dur":900000},
                                 {"pid":2,"tid":2,"name":"RunTask","dur":15000}]
                                """));
        trace.add(
                new JsonMapper()
                        .readTree(
                                """
                                [{"pid":1,"tid":1,"name":"thread_name","args":{"name":"CrRendererMain"}},
                                 {"pid":2,"tid":2,"name":"thread_name","args":{"name":"CrRendererMain"}},
                                 {"pid":1,"tid":7,"name":"thread_name","args":{"name":"Compositor"}}]
                                """));
        assertThat(trace.longestMillis()).isEqualTo(12.5);
    }

    @Test
    void aMissingBrowserIsExplained(@TempDir Path folder) throws IOException {
        assertThatThrownBy(() -> ChromiumProgram.find(Map.of("PATH", folder.toString())))
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("found no Chromium")
                .hasMessageContaining("CHROMIUM");
        assertThatThrownBy(() -> ChromiumProgram.find(Map.of("CHROMIUM", folder + "/none")))
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("/none");
        Path program = Files.createFile(folder.resolve("chromium"));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(ChromiumProgram.find(Map.of("PATH", "/nowhere:" + folder))).isEqualTo(program);
    }
}
