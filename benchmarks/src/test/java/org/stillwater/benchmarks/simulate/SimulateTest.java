package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class SimulateTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void theLastLineIsASummary() {
        assertThat(run("--seeds", "3", "--from", "41", "--steps", "20")).isZero();
        assertThat(out.toString().lines().toList().getLast())
                .matches("simulated seeds=3 steps=\\d+ reports=\\d+ violations=0 elapsed=\\S+s");
    }

    @Test
    void aTraceTellsWhoSaidWhatAndWhatTheEngineMadeOfIt() {
        assertThat(run("--seeds=1", "--trace", "--steps=60")).isZero();
        assertThat(out.toString())
                .contains("seed 1")
                .containsPattern("truth +vm-\\d+ runs on host-\\d")
                .containsPattern("network +host-\\d answers a poll")
                .containsPattern("engine +vm-\\d+: down -> up on host-\\d");
    }

    @Test
    void wrongUsageIsRefused() {
        assertThat(run("--seeds", "0")).isEqualTo(2);
        assertThat(run("--hosts", "1")).isEqualTo(2);
        assertThat(run("--trace", "--seeds", "11")).isEqualTo(2);
        assertThat(run("--colour")).isEqualTo(2);
        assertThat(err.toString()).contains("--seeds", "2 to 100 hosts", "--trace", "--colour");
    }

    @Test
    void helpTellsEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("--seeds", "--from", "--steps", "--hosts", "--vms", "--trace");
    }

    private int run(String... arguments) {
        return Simulate.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
