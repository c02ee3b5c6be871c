package org.stillwater.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.HostConnection;
import org.stillwater.core.port.HostListener;
import org.stillwater.core.port.OpenWork;
import org.stillwater.core.report.VmReports;

/** The rules must be able to fail: each engine here is wrong in one way. */
class FleetSimulationTest {

    private static final SimulationPlan PLAN = new SimulationPlan(3, 6, 100);

    @Test
    void anEngineThatNeverLooksIsFound() {
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, BlindEngine::new, null))
                .isInstanceOf(Violation.class)
                .hasMessageMatching("seed 1, step \\d+: .* is (shown as down|not known).*");
    }

    @Test
    void anEngineThatShowsAVmTwiceIsFound() {
        EngineUnderSimulation.Factory factory =
                surroundings ->
                        new BlindEngine(surroundings) {
                            @Override
                            public List<VmId> indexedOn(HostId host) {
                                return List.of(new VmId(0x2000, 1));
                            }
                        };
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, factory, null))
                .hasMessageContaining("vm-1 has two owners");
    }

    @Test
    void anEngineThatShowsARunningVmNowhereIsFound() {
        EngineUnderSimulation.Factory factory =
                surroundings ->
                        new BlindEngine(surroundings) {
                            @Override
                            public List<Shown> vms() {
                                return super.vms().stream()
                                        .map(vm ->
                                                new Shown(
                                                        vm.id(),
                                                        vm.runtime()
                                                                .with(
                                                                        RuntimeField.STATUS,
                                                                        VmStatus.UP),
                                                        VmPlacement.NOWHERE))
                                        .toList();
                            }
                        };
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, factory, null))
                .hasMessageContaining("what was not stored");
    }

    @Test
    void anEngineThatDestroysWhatRunsIsFound() {
        List<String> found = new ArrayList<>();
        for (long seed = 1; seed <= 30; seed++) {
            try {
                FleetSimulation.run(PLAN, seed, DestroyingEngine::new, null);
            } catch (Violation violation) {
                found.add(violation.getMessage()); // which rule is broken first, the seed decides
            }
        }
        assertThat(found).anyMatch(what -> what.contains("had its own process on"));
    }

    /** Knows what is stored and never learns more. */
    private static class BlindEngine implements EngineUnderSimulation {

        final Surroundings surroundings;
        final List<HostConnection> connections = new ArrayList<>();

        BlindEngine(Surroundings surroundings) {
            this.surroundings = surroundings;
        }

        @Override
        public void start() {
            try {
                surroundings
                        .hosts()
                        .loadAll()
                        .forEach(host ->
                                connections.add(
                                        surroundings
                                                .connector()
                                                .open(host.definition(), listener())));
            } catch (org.stillwater.core.port.StoreUnavailable e) {
                throw new IllegalStateException(e);
            }
        }

        HostListener listener() {
            return new Deaf();
        }

        @Override
        public void pump() {}

        @Override
        public void stop() {}

        @Override
        public void kill() {}

        @Override
        public List<Shown> vms() {
            List<Shown> shown = new ArrayList<>();
            for (long i = 1; i <= PLAN.vms(); i++) {
                VmId id = new VmId(0x2000, i);
                if (surroundings.vms().vm(id) != null) {
                    shown.add(new Shown(id, VmRuntime.INITIAL, VmPlacement.NOWHERE));
                }
            }
            return shown;
        }

        @Override
        public List<VmId> indexedOn(HostId host) {
            return List.of();
        }

        @Override
        public HostStatus hostStatus(HostId host) {
            return HostStatus.UP;
        }

        @Override
        public void order(HostId host, HostFact.Order order) {}

        @Override
        public void refresh(HostId host) {}

        @Override
        public void addHost(HostDefinition host) {}

        @Override
        public boolean removeHost(HostId host) {
            return false;
        }

        @Override
        public long revision() {
            return 0;
        }

        @Override
        public void lock(VmId vm) {}

        @Override
        public void unlock(VmId vm) {}

        @Override
        public void beginMigration(VmId vm, HostId destination) {}

        @Override
        public void beginRun(VmId vm, HostId host) {}

        @Override
        public void coldReboot(VmId vm) {}

        @Override
        public void powerOff(VmId vm) {}

        @Override
        public List<OpenWork> pendingWork() {
            return List.of();
        }

        @Override
        public boolean takeOver(PendingWork work, UUID owner) {
            return false;
        }
    }

    /** Has everything destroyed whenever it hears anything. */
    private static final class DestroyingEngine extends BlindEngine {

        private boolean heard;

        DestroyingEngine(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        HostListener listener() {
            return new Deaf() {
                @Override
                public void vmsChanged(VmReports reports) {
                    super.vmsChanged(reports);
                    heard = true;
                }
            };
        }

        @Override
        public void pump() {
            if (heard) {
                heard = false;
                for (HostConnection host : connections) {
                    vms().forEach(vm -> host.destroy(vm.id(), _ -> {}));
                }
            }
        }
    }

    /** Hears nothing. */
    private static class Deaf implements HostListener {

        @Override
        public void connected() {}

        @Override
        public void disconnected(org.stillwater.core.port.HostFailure failure) {}

        @Override
        public void vmsChanged(VmReports reports) {
            reports.close();
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}
    }

    @Test
    void aTraceIsReadByWhoeverAsks() {
        List<String> lines = new ArrayList<>();
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, BlindEngine::new, lines::add))
                .isInstanceOf(Violation.class);
        assertThat(lines).anyMatch(line -> line.contains("truth"));
    }
}
