package org.stillwater.benchmarks.xapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.server.StillwaterApplication;
import org.stillwater.xapi.client.XapiEncoding;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class XapiRunTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private XapiRun run(Path folder, List<String> engine) {
        return new XapiRun(
                new XapiPlan(
                        1,
                        2,
                        40,
                        1,
                        0,
                        1,
                        10,
                        100,
                        Duration.ofSeconds(1),
                        1,
                        "512m",
                        List.of(),
                        "1g",
                        false,
                        engine,
                        folder.resolve("work")),
                new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private JsonNode written(XapiRun run, Path folder) throws Exception {
        Path file = folder.resolve("xapi.json");
        run.writeJson(file, "abc", "./stillwater bench xapi");
        JsonNode json = JsonMapper.builder().build().readTree(Files.readString(file));
        assertThat(json.path("scenario").asString()).isEqualTo("xapi");
        for (JsonNode measure : json.path("measures")) {
            assertThat(measure.path("value").isNumber()).as(measure.toString()).isTrue();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains(measure.path("what").asString());
        }
        return json;
    }

    @Test
    @Tag("full")
    @Timeout(300)
    @DisplayName(
            "X55, X69 a pool is read by each of the three encodings, batches and metrics too, with"
                    + " figures of each in the table and in the file")
    void threeEncodings(@TempDir Path folder) throws Exception {
        XapiRun run = run(folder, List.of("-version"));
        run.measure(EnumSet.of(XapiSection.DECODE, XapiSection.METRICS));
        JsonNode json = written(run, folder);
        assertThat(json.path("figures")).hasSize(XapiEncoding.values().length);
        for (JsonNode figure : json.path("figures")) {
            assertThat(figure.path("objects").asInt()).isGreaterThan(100);
            assertThat(figure.path("cpuMillis").asDouble()).isPositive();
            assertThat(figure.path("visibleMillis").asDouble()).isPositive();
            assertThat(figure.path("batchVms").asInt()).isGreaterThan(20);
            assertThat(figure.path("batchCpuMillis").asDouble()).isPositive();
        }
        // The engine's part of the metrics needs an engine: the run names what is missing.
        assertThat(json.path("measures")).hasSize(10);
        assertThat(run.isComplete()).isFalse();
        assertThat(json.path("failures").path(0).path("section").asString()).isEqualTo("metrics");
        assertThat(run.summary()).contains("metrics was not measured to its end: the engine ended");
    }

    @Test
    @Tag("full")
    @Timeout(580)
    @DisplayName("X36, X59 the engine beside pools: each section gives its figures")
    void engine(@TempDir Path folder) throws Exception {
        XapiRun run =
                run(
                        folder,
                        List.of(
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                StillwaterApplication.class.getName()));
        run.measure(EnumSet.complementOf(EnumSet.of(XapiSection.DECODE, XapiSection.METRICS)));
        assertThat(run.isComplete()).as(out.toString(StandardCharsets.UTF_8)).isTrue();
        JsonNode json = written(run, folder);
        Set<String> sections = new TreeSet<>();
        json.path("measures").forEach(each -> sections.add(each.path("section").asString()));
        assertThat(sections)
                .containsExactly("batching", "burst", "death", "latency", "stable", "sync");
        assertThat(json.path("peer").path("leftOut").asString()).isNotEmpty();
    }
}
