package org.stillwater.benchmarks.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.client.recording.RecordingReader;
import org.stillwater.vdsm.client.recording.RecordingReader.Recording;

/**
 * The library of recordings guards the decisions of the analysis: what an earlier build decided
 * about each stands beside it. A change that is meant is written with {@code
 * -Dstillwater.golden=write}; with {@code -Dstillwater.recordings=write} the simulator makes the
 * recordings anew.
 */
@DisplayName("The library of recordings")
class RecordingsTest {

    private static final Path FILES = Path.of("src", "test", "resources", "recordings");

    private static boolean isWritten(String what) {
        return "write".equals(System.getProperty("stillwater." + what));
    }

    private static Recording recording(String name) throws Exception {
        Path file = FILES.resolve(name + ".recording.gz");
        if (isWritten("recordings")) {
            Files.createDirectories(FILES);
            try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
                out.write(Histories.all().get(name).make().getBytes(StandardCharsets.UTF_8));
            }
        }
        try (InputStreamReader text =
                new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8)) {
            return RecordingReader.read(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hand-over", "ends", "silence", "storm"})
    @DisplayName("has the decisions of earlier builds")
    void decisions(String name) throws Exception {
        List<ReplayedDecision> decisions = RecordingReplay.of(recording(name));
        Path file = FILES.resolve(name + ".decisions");
        if (isWritten("golden")) {
            Files.write(file, decisions.stream().map(ReplayedDecision::line).toList());
        }
        assertThat(DecisionDifferences.between(Replay.decisions(file, true), decisions))
                .as("%s; -Dstillwater.golden=write renews it", name)
                .isEmpty();
    }

    @Test
    @DisplayName("is complete")
    void complete() throws IOException {
        assertThat(Histories.all().keySet())
                .containsExactlyInAnyOrder("hand-over", "ends", "silence", "storm");
    }

    @Test
    @DisplayName("hands a VM over once, in every order of four reports")
    void handOver() throws Exception {
        Recording recording = recording("hand-over");
        List<ReplayedDecision> decisions = RecordingReplay.of(recording);
        assertThat(recording.vms()).hasSize(24);
        for (var vm : recording.vms()) {
            List<String> own =
                    decisions.stream()
                            .filter(each -> each.subject().equals(vm.name()))
                            .map(ReplayedDecision::text)
                            .toList();
            assertThat(own.getLast()).as(vm.name()).startsWith("at the end up on host-2, values");
            assertThat(
                            own.stream()
                                    .filter(text ->
                                            text.contains("-> ") && text.contains("host-2;")))
                    .as("%s: %s", vm.name(), own)
                    .isNotEmpty();
            assertThat(own).as(vm.name()).noneMatch(text -> text.contains("-> down"));
        }
    }

    @Test
    @DisplayName("has the same decisions each time it is replayed")
    void deterministic() throws Exception {
        Recording silence = recording("silence");
        assertThat(RecordingReplay.of(silence)).isEqualTo(RecordingReplay.of(silence));
    }

    @Test
    @DisplayName("is made by the simulator, the same each time")
    void made() throws Exception {
        Map<String, Histories.History> all = Histories.all();
        String storm = all.get("storm").make();
        assertThat(all.get("storm").make()).isEqualTo(storm);
        assertThat(RecordingReader.read(new StringReader(storm)).lines()).isNotEmpty();
    }
}
