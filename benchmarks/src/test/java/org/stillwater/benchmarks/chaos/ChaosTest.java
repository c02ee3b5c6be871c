package org.stillwater.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.HelpText;
import org.stillwater.benchmarks.chaos.Round.Strike;

class ChaosTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void theLauncherAnswersWithTheSameHelp() {
        HelpText.assertPrepared("chaos", Chaos.commandLine(null, null));
    }

    @Test
    void itExplainsItself() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("--rounds", "--seed", "--from", "--fault", "Exit code 0");
    }

    @Test
    void itListsTheFaults() {
        assertThat(run("--list")).isZero();
        assertThat(out.toString().lines())
                .hasSize(FaultKind.values().length)
                .contains("database-stop", "disk-full", "engine-kill", "clock-jump");
    }

    @Test
    void wrongUsageIsRefused() {
        assertThat(run("--rounds=0")).isEqualTo(2);
        assertThat(run("--hosts=1")).isEqualTo(2);
        assertThat(run("--vms=1000")).isEqualTo(2);
        assertThat(run("--from=0")).isEqualTo(2);
        assertThat(run("--colour=red")).isEqualTo(2);
        assertThat(run("--fault=flood")).isEqualTo(2);
        assertThat(err.toString()).contains("'flood' is no kind of fault", "disk-full");
    }

    @Test
    void outsideTheLauncherItNamesTheCommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("./stillwater chaos");
    }

    @Test
    void theTableCountsFaultsAndTheRoundsThatTheyViolated() {
        Tally tally = new Tally();
        Round round =
                new Round(
                        1,
                        5,
                        Duration.ofSeconds(2),
                        List.of(
                                new Strike(
                                        FaultKind.READ_ONLY,
                                        Duration.ofMillis(100),
                                        Duration.ofMillis(500),
                                        Duration.ZERO)),
                        -1,
                        Duration.ZERO);
        tally.played(round, List.of(), Duration.ofSeconds(3));
        tally.played(round, List.of("one", "two"), Duration.ofSeconds(4));
        tally.settled(round, Duration.ofMillis(1_500));

        assertThat(tally.table()).containsPattern("read-only +2 +1 +1\\.5 s");
        assertThat(tally.summary(9, Duration.ofMillis(7_250)))
                .isEqualTo("chaos seed=9 rounds=2 faults=2 violations=1 elapsed=7.3s");
    }

    private int run(String... arguments) {
        return Chaos.commandLine(null, null)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
