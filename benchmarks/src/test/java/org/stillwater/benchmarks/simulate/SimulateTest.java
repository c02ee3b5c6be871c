package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.HelpText;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.testkit.simulation.EngineUnderSimulation;
import org.stillwater.testkit.simulation.Shown;
import org.stillwater.testkit.simulation.SimulationEnvironment;

class SimulateTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void theLauncherAnswersWithTheSameHelp() {
        HelpText.assertPrepared("simulate", Simulate.commandLine(SimulatedMonitoring::new));
    }

    @Test
    void theLastLineIsASummary() {
        assertThat(run("--seeds", "3", "--from", "41", "--steps", "20")).isZero();
        assertThat(out.toString().lines().toList().getLast())
                .matches(
                        "simulated seeds=3 steps=\\d+ reports=\\d+ operations=[1-9]\\d*"
                                + " lies=[1-9]\\d* violations=0 elapsed=\\S+s");
    }

    @Test
    void aTraceHasEachReportAndTheEnginesReaction() {
        assertThat(run("--seeds=1", "--trace", "--steps=60")).isZero();
        assertThat(out.toString())
                .contains("seed 1")
                .containsPattern("truth +vm-\\d+ runs on host-\\d")
                .containsPattern("network +host-\\d answers a poll")
                .containsPattern("engine +vm-\\d+: down -> up on host-\\d")
                .contains("seed 1, people act")
                .contains("seed 1, a host lies")
                .containsPattern("people +ask for ")
                .containsPattern("engine +operation \\d+: \\w+ of \\S+ is ");
    }

    @Test
    void aViolationPrintsItsReplayCommandAndExitsWithOne() {
        assertThat(run(Mute::new, "--seeds", "4", "--from", "7", "--hosts", "3")).isOne();
        assertThat(out.toString())
                .containsPattern("VIOLATION seed 7, step \\d+: vm-\\d+ ")
                .contains("  replay: ./stillwater simulate --trace --seeds 1 --from 7 --hosts 3");
        assertThat(out.toString().lines().toList().getLast())
                .matches(
                        "simulated seeds=4 steps=\\d+ reports=\\d+ operations=\\d+ lies=\\d+"
                                + " violations=8 elapsed=\\S+s");
    }

    @Test
    void lyingRunsOnlyHistoriesWithALyingHost() {
        assertThat(run("--lying", "--trace", "--seeds=1", "--from=2", "--steps=60")).isZero();
        assertThat(out.toString())
                .contains("seed 2, a host lies", "seed 2, people act, a host lies")
                .doesNotContain("seed 2\n", "seed 2, people act\n")
                .containsPattern("truth +host-\\d begins to lie")
                .containsPattern("network +host-\\d LIES ");
    }

    @Test
    void stopsStopAndStartTheEngine() {
        assertThat(run("--stops", "--trace", "--seeds=1", "--from=2")).isZero();
        assertThat(out.toString())
                .contains("seed 2, people act, the engine is stopped")
                .doesNotContain("seed 2\n", "a host lies")
                .containsPattern("truth +the engine is stopped and started");
    }

    @Test
    void aViolationWithALyingHostIsReplayedWithOne() {
        assertThat(run(Mute::new, "--lying", "--history", "fleet", "--seeds", "1", "--from", "7"))
                .isOne();
        assertThat(out.toString())
                .contains("  replay: ./stillwater simulate --trace --seeds 1 --from 7 --lying")
                .contains("operations=0");
    }

    /** An engine that is started and does nothing more. */
    private static final class Mute extends WrongEngineTest.Wrapped {

        Mute(SimulationEnvironment surroundings) {
            super(new SimulatedMonitoring(surroundings));
        }

        @Override
        public List<Shown> vms() {
            return super.vms().stream()
                    .map(vm -> new Shown(vm.id(), VmRuntime.INITIAL, VmPlacement.NOWHERE))
                    .toList();
        }

        @Override
        public List<VmId> indexedOn(HostId host) {
            return List.of();
        }
    }

    @Test
    void wrongUsageIsRefused() {
        assertThat(run("--seeds", "0")).isEqualTo(2);
        assertThat(run("--hosts", "1")).isEqualTo(2);
        assertThat(run("--trace", "--seeds", "11")).isEqualTo(2);
        assertThat(run("--colour")).isEqualTo(2);
        assertThat(run("--xapi", "--stops")).isEqualTo(2);
        assertThat(run("--stops", "--history", "fleet")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "--xapi goes without --lying, --stops",
                        "--stops is for histories with people");
        assertThat(err.toString()).contains("--seeds", "2 to 100 hosts", "--trace", "--colour");
    }

    @Test
    void helpListsEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("--seeds", "--from", "--steps", "--hosts", "--vms", "--trace")
                .contains("--lying", "--stops", "--history");
    }

    private int run(String... arguments) {
        return run(SimulatedMonitoring::new, arguments);
    }

    private int run(EngineUnderSimulation.Factory engines, String... arguments) {
        return Simulate.commandLine(engines)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
