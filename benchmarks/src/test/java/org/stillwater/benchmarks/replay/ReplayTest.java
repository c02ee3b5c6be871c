package org.stillwater.benchmarks.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.benchmarks.HelpText;
import picocli.CommandLine;

@DisplayName("./stillwater replay")
class ReplayTest {

    @TempDir Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path recording;

    @BeforeEach
    void record() throws Exception {
        recording = folder.resolve("storm.recording");
        Files.writeString(recording, Histories.all().get("storm").make());
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        CommandLine line = Replay.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    @Test
    @DisplayName("explains itself before anything is built")
    void help() {
        HelpText.assertPrepared("replay", Replay.commandLine());
    }

    @Test
    @DisplayName(
            "prints decisions, and those that differ from saved ones and from another recording")
    void against() throws Exception {
        assertThat(run(recording.toString())).isZero();
        List<String> decisions = out.toString().lines().toList();
        assertThat(decisions).anyMatch(line -> line.contains("up -> paused on host-1"));
        assertThat(decisions).allMatch(line -> ReplayedDecision.parse(line) != null);

        Path saved = folder.resolve("saved.txt");
        Files.write(saved, decisions);
        assertThat(run(recording.toString(), "--against", saved.toString())).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(run(recording.toString(), "--against", recording.toString())).isZero();

        List<String> changed =
                decisions.stream()
                        .map(line -> line.replace("at the end down", "at the end up"))
                        .toList();
        Files.write(saved, changed);
        assertThat(run(recording.toString(), "--against", saved.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("- ") && line.contains("at the end up"))
                .anyMatch(line -> line.startsWith("+ ") && line.contains("at the end down"));
    }

    @Test
    @DisplayName("refuses other files than recordings")
    void refused() throws Exception {
        Path other = Files.writeString(folder.resolve("other.txt"), "hello\n");
        assertThat(run(other.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("no recording");
        assertThat(run(folder.resolve("none").toString())).isEqualTo(2);
        assertThat(err.toString()).contains("there is no file");
    }

    @Test
    @DisplayName("compares in the order of each VM and ignores times")
    void differences() {
        ReplayedDecision a = new ReplayedDecision(1, "vm-1", "a");
        ReplayedDecision b = new ReplayedDecision(2, "vm-1", "b");
        ReplayedDecision other = new ReplayedDecision(2, "vm-2", "a");
        assertThat(
                        DecisionDifferences.between(
                                List.of(a, other, b),
                                List.of(
                                        new ReplayedDecision(9, "vm-1", "a"),
                                        new ReplayedDecision(9, "vm-1", "b"),
                                        other)))
                .isEmpty();
        assertThat(DecisionDifferences.between(List.of(a, b), List.of(b, a)))
                .containsExactly("- 0.001  vm-1  a", "+ 0.001  vm-1  a");
        assertThat(DecisionDifferences.between(List.of(), List.of(other)))
                .containsExactly("+ 0.002  vm-2  a");
    }
}
