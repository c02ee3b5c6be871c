package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.benchmarks.scale.Figures.ByStage;
import org.stillwater.benchmarks.scale.Figures.Spread;
import org.stillwater.benchmarks.scale.Report.Machine;
import org.stillwater.benchmarks.scale.Report.Origin;
import org.stillwater.benchmarks.scale.StablePlan.Programs;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ComparisonTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir Path folder;

    /** Ten cycles of 15 s of 100 VMs. */
    private static StablePlan plan() {
        return new StablePlan(
                100,
                1,
                10,
                0,
                Duration.ofSeconds(15),
                true,
                ReportSize.FULL,
                0,
                Duration.ofSeconds(1),
                "1g",
                List.of(),
                List.of(),
                1,
                new Programs(Path.of("engine"), Path.of("simulator")),
                Path.of("folder"));
    }

    private static RunProfile profile(double decodeMillis, double flushMicros) {
        JsonNode cpu =
                JSON.readTree(
                        """
                        {"seconds":150,"items":[{"stage":"decode","cpuMillis":%s},
                        {"stage":"analyse","cpuMillis":10},{"stage":"gc","cpuMillis":5}]}\
                        """
                                .formatted(decodeMillis));
        JsonNode statements =
                JSON.readTree(
                        """
                        {"seconds":150,"items":[{"name":"JdbcHistoryStore.flush","stage":"history",
                        "calls":20,"meanMicros":%s,"p99Micros":900}]}\
                        """
                                .formatted(flushMicros));
        JsonNode memory =
                JSON.readTree(
                        """
                        {"seconds":150,"heapAfterCollectionBytes":104857600,"residentBytes":null,
                        "stages":[{"stage":"decode","allocatedBytes":1000000}]}\
                        """);
        return RunProfile.of(cpu, statements, memory, plan());
    }

    private static Figures figures(double cpu) {
        return new Figures(
                cpu,
                new Spread(cpu, cpu, cpu),
                0.001,
                0.002,
                0.0001,
                new ByStage(0, 0, 0, 0),
                new ByStage(0, 0, 0, 0),
                300,
                500,
                3300,
                12,
                Distribution.NONE,
                Distribution.NONE,
                Distribution.NONE,
                0);
    }

    private Path written(String name, double cpu, double... decodeMillis) throws IOException {
        Path file = folder.resolve(name);
        new Report(
                        plan(),
                        new Machine(2, "a CPU", 1024, "Java"),
                        new Origin(name, "stable"),
                        DoubleStream.of(decodeMillis).mapToObj(_ -> figures(cpu)).toList(),
                        DoubleStream.of(decodeMillis).mapToObj(each -> profile(each, 400)).toList())
                .writeJson(file);
        return file;
    }

    @Test
    void theProfileIsPerVmAndCycle() {
        RunProfile profile = profile(30, 400);
        assertThat(profile.figure(RunProfile.CPU, "decode")).isEqualTo(30);
        assertThat(profile.figure(RunProfile.ALLOCATION, "decode")).isEqualTo(1_000);
        assertThat(profile.figure(RunProfile.CALLS, "JdbcHistoryStore.flush, history"))
                .isEqualTo(2);
        assertThat(profile.figure(RunProfile.MEMORY, "heap after a collection")).isEqualTo(100);
        assertThat(profile.figure(RunProfile.CPU, "stream")).isZero();
    }

    @Test
    void tableAndFileHaveTheProfile() throws IOException {
        Path file = written("a.json", 0.01, 30, 32, 31);
        JsonNode root = JSON.readTree(Files.readString(file));
        JsonNode decode = root.path("profile").path(RunProfile.CPU).path("decode");
        assertThat(decode.path("min").asDouble()).isEqualTo(30);
        assertThat(decode.path("median").asDouble()).isEqualTo(31);
        assertThat(decode.path("max").asDouble()).isEqualTo(32);
        assertThat(
                        root.path("profile")
                                .path(RunProfile.MEMORY)
                                .path("resident")
                                .path("median")
                                .isNull())
                .isTrue();
        String table =
                new Report(
                                plan(),
                                new Machine(2, "a CPU", 1024, "Java"),
                                new Origin("c", "stable"),
                                List.of(figures(1)),
                                List.of(profile(30, 400)))
                        .table();
        assertThat(table)
                .containsPattern("(?s)cpuMicrosPerVmCycle\\n.*decode +30\\.00")
                .containsPattern("JdbcHistoryStore.flush, history +400");
    }

    @Test
    void aStageIsMoreExpensiveOnlyBeyondTheNoise() throws IOException {
        Path before = written("before.json", 0.01, 30, 31, 32);
        String beyond = Comparison.of(before, written("now.json", 0.01, 40, 41, 42)).table();
        assertThat(beyond)
                .contains("Compared with before.json, 3 run(s) then, 3 now")
                .containsPattern("decode +31\\.00 +41\\.00 +\\+32\\.3 % +6\\.5 % +dearer")
                .containsPattern("analyse +10\\.00 +10\\.00 +\\+0\\.0 % +0\\.0 %\\n");
        String within = Comparison.of(before, written("same.json", 0.01, 29, 30, 33)).table();
        assertThat(within).containsPattern("decode +31\\.00 +30\\.00 +-3\\.2 % +13\\.3 %\\n");
        String cheaper = Comparison.of(before, written("less.json", 0.01, 9, 10, 11)).table();
        assertThat(cheaper).containsPattern("decode .* cheaper");
    }

    @Test
    void oneRunHasNoNoiseAndOtherPlansAreNamed() throws IOException {
        Path before = written("one.json", 0.01, 30);
        Path other = folder.resolve("other.json");
        Files.writeString(
                other,
                Files.readString(before)
                        .replace("\"vms\" : 100", "\"vms\" : 200")
                        .replace("\"stage\"", "\"x\""));
        assertThat(Comparison.of(before, other).table())
                .contains("Not alike: vms was 100 and is 200")
                .contains("One run shows no noise")
                .containsPattern("decode +30\\.00 +30\\.00 +\\+0\\.0 % +\\?\\n")
                .doesNotContain("dearer");
        Files.writeString(other, "{\"scenario\":\"write\"}");
        assertThatThrownBy(() -> Comparison.of(before, other))
                .hasMessageContaining("was not written by bench stable --json");
    }
}
