package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.simulation.EngineUnderSimulation;
import org.stillwater.testkit.simulation.FleetSimulation;
import org.stillwater.testkit.simulation.Shown;
import org.stillwater.testkit.simulation.SimulationEnvironment;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;

/** The rules about work for commands must be able to fail: each engine is wrong once. */
class WrongEngineTest {

    private static final int MOST_SEEDS = 500;

    @Test
    void workThatIsGivenToTwoOwnersIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public boolean takeOver(PendingWork work, UUID owner)
                                            throws StoreUnavailable {
                                        super.takeOver(work, owner);
                                        return true;
                                    }
                                }))
                .endsWith("was given to two owners");
    }

    @Test
    void workThatIsTakenAwayFromItsOwnerIsFound() {
        Set<UUID> seen = new HashSet<>();
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public boolean takeOver(PendingWork work, UUID owner)
                                            throws StoreUnavailable {
                                        return super.takeOver(work, owner) && seen.add(owner);
                                    }
                                }))
                .endsWith("was taken away from its owner");
    }

    @Test
    void aRestartThatIsLostIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public void pump() {
                                        super.pump();
                                        pendingWork().forEach(this::lose);
                                    }

                                    private void lose(OpenWork open) {
                                        try {
                                            if (open.work().kind() == WorkKind.HA_RESTART) {
                                                takeOver(open.work(), new UUID(0, 0));
                                            }
                                        } catch (StoreUnavailable _) {
                                            // the next time
                                        }
                                    }
                                }))
                .contains("failed in run")
                .endsWith("nobody is to start it again");
    }

    @Test
    void unannouncedWorkIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public List<OpenWork> pendingWork() {
                                        return List.of();
                                    }
                                }))
                .contains("the open work is told as []");
    }

    @Test
    void aVmThatWasShutDownAndIsStartedAgainIsFound() {
        assertThat(
                        found((right, surroundings) ->
                                new Queueing(right, surroundings) {
                                    @Override
                                    void queue(Shown vm) {
                                        if (vm.runtime().status() == VmStatus.DOWN
                                                && vm.runtime().exitStatus() == ExitStatus.NORMAL
                                                && vm.placement().run().generation() > 0) {
                                            write(
                                                    vm,
                                                    vm.placement(),
                                                    PlacementFields.NONE,
                                                    WorkKind.HA_RESTART);
                                        }
                                    }
                                }))
                .matches(".*ha_restart of vm-\\d+, run \\d+ is to be done although .*");
    }

    @Test
    void aRunThatIsRestartedWhileItIsUnderWayIsFound() {
        assertThat(
                        found((right, surroundings) ->
                                new Queueing(right, surroundings) {
                                    @Override
                                    void queue(Shown vm) {
                                        if (vm.runtime().status() == VmStatus.UP) {
                                            write(
                                                    vm,
                                                    vm.placement(),
                                                    PlacementFields.NONE,
                                                    WorkKind.HA_RESTART);
                                        }
                                    }
                                }))
                .endsWith("is to be done while the VM is shown as running");
    }

    @Test
    void aMigrationThatIsRerunAgainAndAgainIsFound() {
        assertThat(
                        found((right, surroundings) ->
                                new Queueing(right, surroundings) {
                                    @Override
                                    void queue(Shown vm) {
                                        if (vm.runtime().status() == VmStatus.UP) {
                                            write(
                                                    vm,
                                                    vm.placement(),
                                                    PlacementFields.NONE,
                                                    WorkKind.RERUN_MIGRATION);
                                        }
                                    }
                                }))
                .endsWith("each migration that was ordered was rerun already");
    }

    @Test
    void workThatIsDoneTwiceBecauseRunsAreMiscountedIsFound() {
        List<PendingWork> done = new ArrayList<>();
        assertThat(
                        found((right, surroundings) ->
                                new Queueing(right, surroundings) {
                                    @Override
                                    public boolean takeOver(PendingWork work, UUID owner)
                                            throws StoreUnavailable {
                                        boolean taken = super.takeOver(work, owner);
                                        if (taken) {
                                            done.add(work);
                                        }
                                        return taken;
                                    }

                                    @Override
                                    void queue(Shown vm) {
                                        for (PendingWork work : List.copyOf(done)) {
                                            if (work.vmId().equals(vm.id())
                                                    && work.kind() == WorkKind.PROCESS_DOWN) {
                                                again(vm);
                                            }
                                        }
                                    }

                                    private void again(Shown vm) {
                                        PlacementFields run =
                                                PlacementFields.of(PlacementField.RUN_GENERATION);
                                        VmRun present = vm.placement().run();
                                        write(vm, placed(vm, present.next()), run, null);
                                        write(vm, placed(vm, present), run, WorkKind.PROCESS_DOWN);
                                    }

                                    private VmPlacement placed(Shown vm, VmRun run) {
                                        return vm.placement().withRun(run);
                                    }
                                }))
                .endsWith("is to be done again");
    }

    @Test
    void aVmThatStoppedAsItShouldAndIsShownAsFailedIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public List<Shown> vms() {
                                        return super.vms().stream()
                                                .map(WrongEngineTest::failed)
                                                .toList();
                                    }
                                }))
                .endsWith("is shown as failed although its host said that it stopped as it should");
    }

    private static Shown failed(Shown vm) {
        return vm.runtime().status() == VmStatus.DOWN
                        && vm.runtime().exitStatus() == ExitStatus.NORMAL
                        && vm.placement().run().generation() > 0
                ? new Shown(
                        vm.id(),
                        vm.runtime().with(RuntimeField.EXIT_STATUS, ExitStatus.ERROR),
                        vm.placement())
                : vm;
    }

    @Test
    void aVmThatWasPoweredOffAndIsShownAsFailedIsFound() {
        assertThat(
                        found(
                                440,
                                SimulationPlan.DEFAULT,
                                (right, _) ->
                                        new Wrapped(right) {
                                            @Override
                                            public void powerOff(VmId vm) {}
                                        }))
                .endsWith("is shown as failed although it was powered off");
    }

    @Test
    void aHostThatTakesATransitionThatDoesNotExistIsFound() {
        assertThat(
                        found((right, _) ->
                                new Showing(right, HostStatus.CONNECTING, HostStatus.INSTALLING)))
                .matches(".*host-\\d went from UP to INSTALLING, which no transition allows");
    }

    @Test
    void aHostThatIsFencedWithoutAnOutageIsFound() {
        assertThat(
                        found((right, _) ->
                                new Showing(
                                        right, HostStatus.NON_RESPONSIVE, HostStatus.INITIALIZING)))
                .endsWith("is to be fenced 1 times for 0 outages");
    }

    @Test
    void aHostThatNeverStopsConnectingIsFound() {
        assertThat(
                        found((right, _) ->
                                new ShowingNext(
                                        right, HostStatus.NON_RESPONSIVE, HostStatus.CONNECTING)))
                .matches(".*host-\\d has been connecting for \\d+ s without an answer");
    }

    @Test
    void aHostThatIsInMaintenanceWhileItIsConnectedIsFound() {
        assertThat(
                        found((right, _) ->
                                new Showing(
                                        right,
                                        HostStatus.PREPARING_FOR_MAINTENANCE,
                                        HostStatus.MAINTENANCE)))
                .endsWith("is MAINTENANCE and still connected");
    }

    @Test
    void aHostThatEntersMaintenanceWithVmsIsFound() {
        assertThat(
                        found((right, _) ->
                                new ShowingNext(
                                        right,
                                        HostStatus.PREPARING_FOR_MAINTENANCE,
                                        HostStatus.MAINTENANCE)))
                .matches(".*host-\\d enters maintenance although VMs are on it: .*");
    }

    @Test
    void aKnownVmOnAnUnpolledHostIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    @Override
                                    public List<Shown> vms() {
                                        return super.vms().stream().map(this::pretend).toList();
                                    }

                                    private Shown pretend(Shown vm) {
                                        HostId host = vm.placement().runOn();
                                        return host == null || hostStatus(host).isRefreshed()
                                                ? vm
                                                : with(vm, VmStatus.UP);
                                    }
                                }))
                .matches(".*host-\\d is (MAINTENANCE|REBOOT) and its VMs are shown as known: .*");
    }

    @Test
    void aVmThatStaysUnknownAlthoughItsHostAnswersIsFound() {
        assertThat(
                        found((right, _) ->
                                new Wrapped(right) {
                                    private final Set<VmId> lost = new HashSet<>();

                                    @Override
                                    public List<Shown> vms() {
                                        return super.vms().stream().map(this::forgetful).toList();
                                    }

                                    private Shown forgetful(Shown vm) {
                                        if (vm.runtime().status() == VmStatus.UNKNOWN) {
                                            lost.add(vm.id());
                                        }
                                        return vm.runtime().status() == VmStatus.UP
                                                        && lost.contains(vm.id())
                                                ? with(vm, VmStatus.UNKNOWN)
                                                : vm;
                                    }
                                }))
                .matches(".*vm-\\d+ is shown as unknown although host-\\d said that it is up");
    }

    private static Shown with(Shown vm, VmStatus status) {
        return new Shown(vm.id(), vm.runtime().with(RuntimeField.STATUS, status), vm.placement());
    }

    @Test
    void aHostThatIsNeverGivenUpIsFound() {
        SimulationPlan calm = new SimulationPlan(4, 10, 0);
        assertThat(
                        found(
                                calm,
                                (right, _) ->
                                        new Showing(
                                                right,
                                                HostStatus.NON_RESPONSIVE,
                                                HostStatus.CONNECTING)))
                .endsWith("is silent and shown as CONNECTING");
    }

    /** Shows one status of hosts as another. */
    private static final class Showing extends Wrapped {

        private final HostStatus is;
        private final HostStatus shown;

        Showing(EngineUnderSimulation right, HostStatus is, HostStatus shown) {
            super(right);
            this.is = is;
            this.shown = shown;
        }

        @Override
        public HostStatus hostStatus(HostId host) {
            HostStatus status = super.hostStatus(host);
            return status == is ? shown : status;
        }
    }

    /** Shows one status of hosts once as it is, and as another from then on. */
    private static final class ShowingNext extends Wrapped {

        private final HostStatus is;
        private final HostStatus next;
        private final Set<HostId> shown = new HashSet<>();

        ShowingNext(EngineUnderSimulation right, HostStatus is, HostStatus next) {
            super(right);
            this.is = is;
            this.next = next;
        }

        @Override
        public HostStatus hostStatus(HostId host) {
            HostStatus status = super.hostStatus(host);
            return status == is && !shown.add(host) ? next : status;
        }
    }

    /** The violation of the first seed that finds one in an engine. */
    private static String found(
            BiFunction<EngineUnderSimulation, SimulationEnvironment, EngineUnderSimulation> wrong) {
        return found(SimulationPlan.DEFAULT, wrong);
    }

    private static String found(
            SimulationPlan plan,
            BiFunction<EngineUnderSimulation, SimulationEnvironment, EngineUnderSimulation> wrong) {
        return found(1, plan, wrong);
    }

    /** The same from any seed on: rare violations are searched where they were found last. */
    private static String found(
            long from,
            SimulationPlan plan,
            BiFunction<EngineUnderSimulation, SimulationEnvironment, EngineUnderSimulation> wrong) {
        for (long seed = from; seed < from + MOST_SEEDS; seed++) {
            try {
                FleetSimulation.run(
                        plan,
                        seed,
                        surroundings ->
                                wrong.apply(new SimulatedMonitoring(surroundings), surroundings),
                        null);
            } catch (Violation violation) {
                System.out.println("found by seed " + seed);
                return String.valueOf(violation.getMessage());
            }
        }
        return "nothing in " + MOST_SEEDS + " seeds";
    }

    /** Leaves its own work to commands, besides the engine's. */
    private abstract static class Queueing extends Wrapped {

        private final SimulationEnvironment surroundings;

        Queueing(EngineUnderSimulation right, SimulationEnvironment surroundings) {
            super(right);
            this.surroundings = surroundings;
        }

        abstract void queue(Shown vm);

        @Override
        public void pump() {
            super.pump();
            vms().forEach(this::queue);
        }

        void write(Shown vm, VmPlacement placement, PlacementFields placed, WorkKind kind) {
            VmId id = vm.id();
            List<OpenWork> work =
                    kind == null
                            ? List.of()
                            : List.of(
                                    new OpenWork(
                                            new PendingWork(
                                                    id,
                                                    kind,
                                                    vm.placement().run().generation(),
                                                    null,
                                                    "it pleases"),
                                            surroundings.clock().now()));
            surroundings
                    .vms()
                    .write(
                            List.of(
                                    new VmChange(
                                            id,
                                            RuntimeFields.NONE,
                                            vm.runtime(),
                                            placed,
                                            placement,
                                            work)));
        }
    }

    /** An engine that is right except for a given fault. */
    static class Wrapped implements EngineUnderSimulation {

        private final EngineUnderSimulation right;

        Wrapped(EngineUnderSimulation right) {
            this.right = right;
        }

        @Override
        public void start() throws StoreUnavailable {
            right.start();
        }

        @Override
        public void pump() {
            right.pump();
        }

        @Override
        public void stop() {
            right.stop();
        }

        @Override
        public void kill() {
            right.kill();
        }

        @Override
        public List<Shown> vms() {
            return right.vms();
        }

        @Override
        public String beside(VmId vm) {
            return right.beside(vm);
        }

        @Override
        public List<String> contested() {
            return right.contested();
        }

        @Override
        public List<VmId> indexedOn(HostId host) {
            return right.indexedOn(host);
        }

        @Override
        public HostStatus hostStatus(HostId host) {
            return right.hostStatus(host);
        }

        @Override
        public void order(HostId host, HostFact.Order order) {
            right.order(host, order);
        }

        @Override
        public void refresh(HostId host) {
            right.refresh(host);
        }

        @Override
        public void addHost(HostDefinition host) throws StoreUnavailable {
            right.addHost(host);
        }

        @Override
        public boolean removeHost(HostId host) throws StoreUnavailable {
            return right.removeHost(host);
        }

        @Override
        public long revision() {
            return right.revision();
        }

        @Override
        public void lock(VmId vm) {
            right.lock(vm);
        }

        @Override
        public void unlock(VmId vm) {
            right.unlock(vm);
        }

        @Override
        public void settle(VmId vm) {
            right.settle(vm);
        }

        @Override
        public void beginMigration(VmId vm, HostId destination) {
            right.beginMigration(vm, destination);
        }

        @Override
        public void beginRun(VmId vm, HostId host) {
            right.beginRun(vm, host);
        }

        @Override
        public void coldReboot(VmId vm) {
            right.coldReboot(vm);
        }

        @Override
        public void powerOff(VmId vm) {
            right.powerOff(vm);
        }

        @Override
        public List<OpenWork> pendingWork() {
            return right.pendingWork();
        }

        @Override
        public boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable {
            return right.takeOver(work, owner);
        }
    }
}
