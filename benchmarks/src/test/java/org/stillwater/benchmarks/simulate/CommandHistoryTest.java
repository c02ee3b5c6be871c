package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.testkit.Tier;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;

/** The real engine with its commands, on data centres in which people act, too. */
class CommandHistoryTest {

    private static final int SEEDS = Tier.count(30, 300);
    private static final int STOPPED_SEEDS = Tier.count(15, 150);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noHistoryMakesCommandsBreakARule() {
        List<String> violations = new ArrayList<>();
        long operations = 0;
        long starts = 0;
        long lives = 0;
        long fenced = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                CommandHistory.Result result =
                        CommandHistory.run(SimulationPlan.DEFAULT, seed, null);
                operations += result.operations();
                starts += result.starts();
                lives += result.lives();
                fenced += result.fenced();
            } catch (Violation violation) {
                violations.add(
                        violation.getMessage()
                                + "\n  replay: ./stillwater simulate --trace --seeds 1 --from "
                                + seed);
            }
        }
        assertThat(violations).isEmpty();
        assertThat(operations).as("operations").isGreaterThan(50L * SEEDS);
        assertThat(starts).as("VMs started").isGreaterThan(15L * SEEDS);
        assertThat(lives).as("lives of the engine").isGreaterThan(5L * SEEDS);
        assertThat(fenced).as("hosts switched off").isGreaterThan(SEEDS);
    }

    /** Hosts report for a moment after commands have ended, and before monitoring has. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noStopOfTheEngineMakesCommandsBreakARule() {
        List<String> violations = new ArrayList<>();
        long lives = 0;
        for (long seed = 1; seed <= STOPPED_SEEDS; seed++) {
            try {
                lives += CommandHistory.run(SimulationPlan.DEFAULT.withStops(), seed, null).lives();
            } catch (Violation violation) {
                violations.add(
                        violation.getMessage()
                                + "\n"
                                + "  replay: ./stillwater simulate --stops --trace --seeds 1 --from"
                                + " "
                                + seed);
            }
        }
        assertThat(violations).isEmpty();
        assertThat(lives).as("lives of the engine").isGreaterThan(5L * STOPPED_SEEDS);
    }

    /**
     * Defects found, in this order:
     *
     * <ol>
     *   <li>After a restart of the engine the former host of a VM, which had arrived elsewhere,
     *       said that it had failed, and the VM was started a second time.
     *   <li>An open cold reboot kept a highly available VM down after restarts of the engine.
     *   <li>A start and a migration of one VM looked for a host at once, and one of them was lost.
     *   <li>The second attempt of a migration, which its host was never asked for, waited for it.
     *   <li>The source of a migration was fenced a moment after the connection to the destination
     *       was lost, and the VM was started a second time.
     *   <li>While the database was away a start failed on one host and was tried on another. The
     *       late news of the first failure ended the second start, and the VM ran twice.
     *   <li>The source of a migration was silent for a while, and came back saying that it had lost
     *       the VM. The destination was silent, and a highly available VM was started a second
     *       time.
     * </ol>
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(
            longs = {
                20_261_150,
                41_001_707,
                41_005_915,
                42_016_762,
                43_002_077,
                102_015_065,
                104_003_153
            })
    void aHistoryThatBrokeARuleOnce(long seed) {
        CommandHistory.Result result = CommandHistory.run(SimulationPlan.DEFAULT, seed, null);

        assertThat(result.starts()).isGreaterThan(5);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        assertThat(history(7)).hasSizeGreaterThan(100).isEqualTo(history(7));
    }

    private static List<String> history(long seed) {
        List<String> lines = new ArrayList<>();
        CommandHistory.run(SimulationPlan.DEFAULT, seed, lines::add);
        return lines;
    }
}
