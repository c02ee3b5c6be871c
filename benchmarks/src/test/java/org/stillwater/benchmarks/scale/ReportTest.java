package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.benchmarks.scale.Figures.ByStage;
import org.stillwater.benchmarks.scale.Figures.Spread;
import org.stillwater.benchmarks.scale.Report.Machine;
import org.stillwater.benchmarks.scale.Report.Origin;
import org.stillwater.benchmarks.scale.StablePlan.Programs;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;

class ReportTest {

    @TempDir Path folder;

    @Test
    void theJsonObjectHasEveryFigureByName() throws IOException {
        String json = json(figures(0.01));

        assertThat(json)
                .contains(
                        "\"cpuMillisPerVmCycle\" : 0.01,",
                        "\"gcCpuMillisPerVmCycle\"",
                        "\"databaseCpuMillisPerVmCycle\"",
                        "\"sqlPerStableCycle\" : 0.75,",
                        "\"monitoringSqlPerStableCycle\" : 0.0,",
                        "\"historySqlPerStableCycle\" : 0.5,",
                        "\"warehouseSqlPerStableCycle\" : 0.25,",
                        "\"rowsPerStableCycle\" : 300.0,",
                        "\"monitoringRowsPerStableCycle\" : 0.0,",
                        "\"historyRowsPerStableCycle\" : 200.0,",
                        "\"warehouseRowsPerStableCycle\" : 100.0,",
                        "\"commit\" : \"c0ffee\"",
                        "\"command\" : \"./stillwater bench stable --vms 6000\"",
                        "\"heapLiveMiB\"",
                        "\"rssMiB\"",
                        "\"receivedBytesPerVmCycle\"",
                        "\"allocatedBytesPerVmCycle\"",
                        "\"eventToMemoryMillis\"",
                        "\"eventToSubscriberMillis\"",
                        "\"eventToCommittedMillis\"",
                        "\"p50\" : 1.5",
                        "\"p99\" : 2.5",
                        "\"max\" : 9.0");
    }

    @Test
    void severalRunsAreReportedByMedianAndRange() throws IOException {
        String json = json(figures(0.03), figures(0.01), figures(0.02));

        assertThat(json)
                .contains("\"cpuMillisPerVmCycle\" : 0.02,")
                .containsPattern(
                        "\"cpuMillisPerVmCycle\" : \\{\\s*\"min\" : 0.01,\\s*\"median\" :"
                                + " 0.02,\\s*\"max\" : 0.03");
    }

    @Test
    void unmeasuredFiguresAreNull() throws IOException {
        Figures none = withLatency(0.01, Distribution.NONE);

        assertThat(json(none)).contains("\"p50\" : null");
        assertThat(new Report(plan(), machine(), origin(), List.of(none)).table())
                .contains("eventToMemoryMillis");
    }

    @Test
    void theTableHasALineForEachFigure() {
        String table = new Report(plan(), machine(), origin(), List.of(figures(0.0123))).table();

        assertThat(table)
                .contains("6000 VMs on 1 hosts, 40 cycles of 15.0 s")
                .containsPattern("cpuMillisPerVmCycle +0\\.01230")
                .containsPattern("eventToCommittedMillis +1\\.50 +2\\.50 +9\\.00");
    }

    private String json(Figures... runs) throws IOException {
        Path file = folder.resolve("a folder/figures.json");
        new Report(plan(), machine(), origin(), List.of(runs)).writeJson(file);
        return Files.readString(file);
    }

    private static Figures figures(double cpu) {
        return withLatency(cpu, new Distribution(100, 1.5, 2.5, 9));
    }

    private static Figures withLatency(double cpu, Distribution latency) {
        return new Figures(
                cpu,
                new Spread(cpu, cpu, cpu),
                0.001,
                0.002,
                0.0001,
                new ByStage(0, 0.5, 0.25, 0),
                new ByStage(0, 200, 100, 0),
                300,
                500,
                3300,
                12,
                latency,
                latency,
                latency,
                100);
    }

    private static StablePlan plan() {
        return new StablePlan(
                6000,
                1,
                40,
                10,
                Duration.ofSeconds(15),
                true,
                ReportSize.FULL,
                50,
                Duration.ofSeconds(30),
                "1g",
                List.of(),
                List.of(),
                1,
                new Programs(Path.of("engine"), Path.of("simulator")),
                Path.of("folder"));
    }

    private static Origin origin() {
        return new Origin("c0ffee", "stable --vms 6000");
    }

    private static Machine machine() {
        return new Machine(2, "a processor", 4096, "a JDK");
    }
}
