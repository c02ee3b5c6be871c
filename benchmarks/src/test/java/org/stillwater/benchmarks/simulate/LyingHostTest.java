package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Tier;
import org.stillwater.testkit.simulation.EngineUnderSimulation;
import org.stillwater.testkit.simulation.FleetSimulation;
import org.stillwater.testkit.simulation.Shown;
import org.stillwater.testkit.simulation.SimulationEnvironment;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.SimulationResult;
import org.stillwater.testkit.simulation.Violation;

/** A host that lies does not harm VMs of other hosts; {@code simulate --lying} replays any seed. */
class LyingHostTest {

    private static final int FLEETS = Tier.count(30, 300);
    private static final int DATA_CENTRES = Tier.count(3, 30);
    private static final SimulationPlan LYING = SimulationPlan.DEFAULT.withLyingHost();

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aLyingHostHarmsNoVmOfAnHonestHostInContact() {
        List<String> violations = new ArrayList<>();
        long lies = 0;
        long starts = 0;
        for (long seed = 1; seed <= FLEETS; seed++) {
            try {
                SimulationResult result =
                        FleetSimulation.run(LYING, seed, SimulatedMonitoring::new, null);
                lies += result.lies();
                starts += result.starts();
            } catch (Violation violation) {
                violations.add(violation.getMessage() + replay(seed));
            }
        }
        assertThat(violations).isEmpty();
        assertThat(lies).as("messages with lies").isGreaterThan(50L * FLEETS);
        assertThat(starts).as("VMs started again meanwhile").isGreaterThan(FLEETS);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aLyingHostEndsNoCommandOfAnotherHostsVm() {
        List<String> violations = new ArrayList<>();
        long lies = 0;
        long starts = 0;
        for (long seed = 1; seed <= DATA_CENTRES; seed++) {
            try {
                CommandHistory.Result result = CommandHistory.run(LYING, seed, null);
                lies += result.lies();
                starts += result.starts();
            } catch (Violation violation) {
                violations.add(violation.getMessage() + replay(seed));
            }
        }
        assertThat(violations).isEmpty();
        assertThat(lies).as("events with lies").isGreaterThan(50L * DATA_CENTRES);
        assertThat(starts).as("VMs started").isGreaterThan(15L * DATA_CENTRES);
    }

    /**
     * Defects found in the history of a fleet, in this order:
     *
     * <ol>
     *   <li>The end of a VM on an honest host waited for TPM data that its former host, which lies,
     *       had said that it has: the honest one, which knew nothing of them, was asked three
     *       times.
     *   <li>The same; meanwhile the VM was shown as up.
     *   <li>What the former host was to be asked for was never asked, and the end of the VM was not
     *       taken in at all.
     *   <li>How the last run of a VM ended stayed with it when it ran again, and it was waited for
     *       as if it had migrated away.
     *   <li>A VM that only the liar knew, and said to have migrated, was still waited for when the
     *       checks at the end of the history ran.
     *   <li>The simulated command that started a VM did not settle it, as commands do, so that a
     *       poll from before the start set the VM down, and the paused process that had lost the
     *       VM's lease was taken for the VM.
     * </ol>
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {51_004_347, 44_013_928, 44_014_532, 1_087, 81_202_164, 91_008_417})
    void aHistoryOfAFleetThatBrokeARuleOnce(long seed) {
        SimulationResult result = FleetSimulation.run(LYING, seed, SimulatedMonitoring::new, null);

        assertThat(result.lies()).isGreaterThan(10);
    }

    /**
     * Defects found in a history with users, in this order:
     *
     * <ol>
     *   <li>The source of a migration left the order undone and said that it restores the VM: the
     *       operation waited for its longest patience.
     *   <li>The same, by a source that said that the VM does not respond,
     *   <li>that it is restored,
     *   <li>and an unknown status.
     *   <li>A VM with a lease was handed over to a host in contact, and moved to the one that lies,
     *       which had been told to start it before.
     *   <li>A VM that had arrived on an honest host was shown as down, because that host refused to
     *       start it.
     *   <li>A VM seemed to be held for too long: it was by one attempt after the other.
     *   <li>The source of a migration paused the VM, let it migrate, and had it up: the operation,
     *       which had waited for the end once, waited for its longest patience.
     * </ol>
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(
            longs = {
                51_001_587,
                51_004_828,
                52_000_365,
                52_002_735,
                51_004_277,
                51_000_306,
                52_002_957,
                61_002_214
            })
    void aHistoryOfPeopleThatBrokeARuleOnce(long seed) {
        CommandHistory.Result result = CommandHistory.run(LYING, seed, null);

        assertThat(result.lies()).isGreaterThan(10);
    }

    private static String replay(long seed) {
        return "\n  replay: ./stillwater simulate --trace --seeds 1 --from " + seed + " --lying";
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        assertThat(fleet(2)).hasSizeGreaterThan(100).isEqualTo(fleet(2));
        assertThat(dataCentre(2)).hasSizeGreaterThan(100).isEqualTo(dataCentre(2));
        assertThat(fleet(2)).anyMatch(line -> line.contains(" LIES "));
        assertThat(dataCentre(2)).anyMatch(line -> line.contains(" LIES "));
    }

    @Test
    void aVmThatIsShownAsUnknownAlthoughItsHostIsInContactIsFound() {
        assertThat(
                        found(surroundings ->
                                new Doubting(new SimulatedMonitoring(surroundings), surroundings)))
                .containsPattern(
                        "vm-\\d+ runs on host-\\d, which is honest and in contact, and is shown as"
                                + " unknown");
    }

    @Test
    void aChangeOfAnothersVmByALieIsFound() {
        assertThat(
                        found(surroundings ->
                                new WrongEngineTest.Wrapped(new SimulatedMonitoring(surroundings)) {
                                    private long looks;

                                    @Override
                                    public String beside(VmId vm) {
                                        return super.beside(vm) + ++looks;
                                    }
                                }))
                .contains("changed because of a lie of host-");
    }

    @Test
    void aClaimThatIsLeftIsFound() {
        assertThat(
                        found(surroundings ->
                                new WrongEngineTest.Wrapped(new SimulatedMonitoring(surroundings)) {
                                    @Override
                                    public List<String> contested() {
                                        return List.of("vm-1");
                                    }
                                }))
                .contains("claims are left of a host that lies no more: [vm-1]");
    }

    /** Shows VMs as unknown for a moment each minute. */
    private static final class Doubting extends WrongEngineTest.Wrapped {

        private final SimulationEnvironment surroundings;

        Doubting(SimulatedMonitoring right, SimulationEnvironment surroundings) {
            super(right);
            this.surroundings = surroundings;
        }

        @Override
        public List<Shown> vms() {
            boolean doubts = surroundings.clock().nanoTime() / 1_000_000_000 % 60 == 30;
            return super.vms().stream().map(vm -> doubts ? unknown(vm) : vm).toList();
        }

        private static Shown unknown(Shown vm) {
            return vm.runtime().status() == VmStatus.UP
                    ? new Shown(
                            vm.id(),
                            vm.runtime().with(RuntimeField.STATUS, VmStatus.UNKNOWN),
                            vm.placement())
                    : vm;
        }
    }

    /** The violation of the first seed that finds one in an engine. */
    private static String found(EngineUnderSimulation.Factory wrong) {
        for (long seed = 1; seed <= 100; seed++) {
            try {
                FleetSimulation.run(LYING, seed, wrong, null);
            } catch (Violation violation) {
                return String.valueOf(violation.getMessage());
            }
        }
        return "nothing in 100 seeds";
    }

    private static List<String> fleet(long seed) {
        List<String> lines = new ArrayList<>();
        FleetSimulation.run(LYING, seed, SimulatedMonitoring::new, lines::add);
        return lines;
    }

    private static List<String> dataCentre(long seed) {
        List<String> lines = new ArrayList<>();
        CommandHistory.run(LYING, seed, lines::add);
        return lines;
    }
}
