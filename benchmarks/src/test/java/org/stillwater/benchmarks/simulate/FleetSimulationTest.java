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
import org.stillwater.testkit.simulation.FleetSimulation;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.SimulationResult;
import org.stillwater.testkit.simulation.Violation;

/** The real engine on simulated fleets; {@code ./stillwater simulate} replays any seed. */
class FleetSimulationTest {

    private static final int SEEDS = Tier.count(250, 2_000);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noHistoryMakesTheEngineBreakARule() {
        List<String> violations = new ArrayList<>();
        long reports = 0;
        long destroys = 0;
        long lives = 0;
        long work = 0;
        long starts = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                SimulationResult result =
                        FleetSimulation.run(
                                SimulationPlan.DEFAULT, seed, SimulatedMonitoring::new, null);
                reports += result.reports();
                destroys += result.destroys();
                lives += result.lives();
                work += result.work();
                starts += result.starts();
            } catch (Violation violation) {
                violations.add(
                        violation.getMessage()
                                + "\n  replay: ./stillwater simulate --trace --seeds 1 --from "
                                + seed);
            }
        }
        assertThat(violations).isEmpty();
        assertThat(reports).as("reports that reached the engine").isGreaterThan(20L * SEEDS);
        assertThat(destroys).as("remains destroyed").isGreaterThan(SEEDS);
        assertThat(lives).as("lives of the engine").isGreaterThan(2L * SEEDS);
        assertThat(work).as("work that commands took over").isGreaterThan(4L * SEEDS);
        assertThat(starts).as("VMs started again because of it").isGreaterThan(SEEDS);
    }

    /**
     * Defects found, in this order:
     *
     * <ol>
     *   <li>A word of an earlier stay came after a poll that was set aside, and what had come back
     *       to that host was destroyed.
     *   <li>A host without a boot id came back non-operational after it had booted, and its words
     *       were taken for older than those of its former boot.
     *   <li>A VM was shown as down while it was paused where it had moved behind the engine's back.
     *   <li>A host told its new boot id in one connection and its new boot time in the next one,
     *       and what it had said in between was forgotten.
     *   <li>a claim did not count when the destination of a migration, that was handed the VM, said
     *       that it migrated away again.
     *   <li>A VM was held when it ended, and its host booted and ran it again: once it was free,
     *       the end of before was believed and set it down.
     *   <li>A host said that it starts a VM whose state was unknown. The claim was not kept, and
     *       the end that the former host told set the VM down.
     *   <li>A poll over a newer connection was skipped and its stamp forgotten, and an older event
     *       of the end of the run before set the VM down.
     *   <li>The destination of a migration said that the VM leaves it again. This was taken for one
     *       half of that migration, and what had arrived was destroyed when the source spoke.
     *   <li>The answer to the write of a failed migration was lost. The write was repeated after a
     *       command had taken the work over, and the migration was rerun twice.
     * </ol>
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(
            longs = {
                11_954,
                41_015_565,
                42_014_228,
                42_020_076,
                44_015_896,
                91_010_581,
                95_203_160,
                101_019_264,
                104_001_953,
                107_003_662
            })
    void aHistoryThatBrokeARuleOnce(long seed) {
        SimulationResult result =
                FleetSimulation.run(SimulationPlan.DEFAULT, seed, SimulatedMonitoring::new, null);

        assertThat(result.reports()).isGreaterThan(20);
    }

    /**
     * A command held a VM for long. A word of its host that was overtaken on its way took the place
     * of the newer one that waited, and the VM was shown as down on the word of a former run.
     */
    @Test
    void aHistoryOfAnOvertakenReportThatBrokeARuleOnce() {
        SimulationResult result =
                FleetSimulation.run(
                        SimulationPlan.DEFAULT, 44_013_461, SimulatedMonitoring::new, null);

        assertThat(result.reports()).isGreaterThan(20);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        for (long seed = 1; seed <= 5; seed++) {
            List<String> history = history(seed);
            assertThat(history).hasSizeGreaterThan(100).isEqualTo(history(seed));
        }
    }

    private static List<String> history(long seed) {
        List<String> lines = new ArrayList<>();
        FleetSimulation.run(SimulationPlan.DEFAULT, seed, SimulatedMonitoring::new, lines::add);
        return lines;
    }
}
